import { Buffer } from 'node:buffer';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { TLSSocket } from 'node:tls';
import { objectOr, parseJson } from '#json.ts';

const CONNECTED = 'undici:client:connected';
const DAY_S = 86_400;
/** A certificate is renewed when a third of its life is left; less than this, and it was forgotten. */
const LEFT_SHARE = 0.2;
const LEFT_S = 14 * DAY_S;
/** Hosts that were not connected to for this long are forgotten. */
const FORGOTTEN_S = 30 * DAY_S;
const MOST_HOSTS = 1000;

/** Begin and end in Unix seconds. */
interface Span {
  from: number;
  to: number;
}

interface Seen extends Span {
  at: number;
}

/** Whether it ends soon enough to be an incident, or has ended. */
export const isEnding = ({ from, to }: Span, now: number): boolean =>
  to - now < Math.min(LEFT_S, (to - from) * LEFT_SHARE);

/** When a key was issued and ends, if it is a JSON Web Token with an end. */
export function tokenSpan(key: string): Span | undefined {
  const token = /^eyJ[\w-]*\.(eyJ[\w-]+)\.[\w-]*$/.exec(key)?.[1];
  const { iat, exp } = objectOr(
    token === undefined ? undefined : parseJson(Buffer.from(token, 'base64url').toString()),
  );
  if (typeof exp !== 'number') return undefined;
  return { from: typeof iat === 'number' ? iat : 0, to: exp };
}

/** A connection's certificate that ends soon. `days`: full days left; below 0: it has ended. */
export interface EndingCertificate {
  host: string;
  days: number;
}

/** Certificates of the hosts that this process connects to: providers, proxies, gateways, ways. Unix seconds. */
export class Certificates {
  readonly #seen = new Map<string, Seen>();
  readonly #now: () => number;
  readonly #note = (message: unknown): void => {
    const { socket, connectParams } = message as { socket: TLSSocket; connectParams: { host: string } }; // as undici documents
    if (!socket.encrypted) return;
    const certificate = socket.getPeerCertificate();
    const [from, to] = [Date.parse(certificate.valid_from) / 1000, Date.parse(certificate.valid_to) / 1000];
    if (Number.isNaN(from) || Number.isNaN(to)) return;
    const { host } = connectParams;
    if (this.#seen.size < MOST_HOSTS || this.#seen.has(host)) this.#seen.set(host, { from, to, at: this.#now() });
  };

  constructor(now: () => number) {
    this.#now = now;
    subscribe(CONNECTED, this.#note);
  }

  stop(): void {
    unsubscribe(CONNECTED, this.#note);
  }

  ending(): EndingCertificate[] {
    const now = this.#now();
    const ending: EndingCertificate[] = [];
    for (const [host, { from, to, at }] of this.#seen)
      if (at < now - FORGOTTEN_S) this.#seen.delete(host);
      else if (isEnding({ from, to }, now)) ending.push({ host, days: Math.floor((to - now) / DAY_S) });
    return ending;
  }
}

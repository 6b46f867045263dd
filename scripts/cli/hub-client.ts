import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Endpoint, Envelope, InputOf, ListQuery, Page, ReplyOf } from '@relay-hub/contract';
import { text } from '../../server/src/process/command-line.ts';

/** A mistake that the operator can mend; the message is printed without a stack trace. */
export class CliError extends Error {}

/** A refusal of the hub. `field` names the input to blame, if one is. */
export class Refusal extends CliError {
  readonly code: string;
  readonly field: string | undefined;
  constructor(message: string, code: string, field: string | undefined) {
    super(field === undefined ? `${message} (${code})` : `${field}: ${message} (${code})`);
    this.code = code;
    this.field = field;
  }
}

/** Options by which every command finds its hub. */
export const hubOptions = {
  hub: text('<address>', 'address of the hub; default: RELAY_HUB_URL, then the file of `login`', undefined),
  'key-file': text('<file>', 'file with an access key; default: RELAY_HUB_KEY, then the file of `login`', undefined),
};

export interface HubPlace {
  hub: string | undefined;
  'key-file': string | undefined;
}

/** The management API of a hub, as one account. */
export interface HubClient {
  address: string;
  /** The data of an endpoint's reply. Throws `Refusal`, and `CliError` if there is no hub. */
  call<E extends Endpoint>(endpoint: E, input?: Partial<InputOf<E>>): Promise<ReplyOf<E>>;
}

/** File of `login`. */
export const settingsFile = (): string =>
  path.join(process.env['XDG_CONFIG_HOME'] || path.join(homedir(), '.config'), 'relay-hub', 'cli.json');

/** Time for an answer; changes of many prices take seconds. */
const PATIENCE_MS = 120_000;
/** Times that a call is repeated after the hub said when. */
const MOST_WAITS = 3;
const LONGEST_WAIT_S = 200;

/** Throws `CliError` without an address or a key. */
export function connect(place: HubPlace): HubClient {
  const address = place.hub ?? (process.env['RELAY_HUB_URL'] || readLogin().hub);
  if (!address) throw new CliError('Which hub? Give --hub or RELAY_HUB_URL, or run `login`.');
  const url = addressOf(address);
  const given = place['key-file'] === undefined ? process.env['RELAY_HUB_KEY'] : read(place['key-file']);
  const key = given || storedKey(url);
  if (!key) throw new CliError(`No access key for ${url}. Give --key-file or RELAY_HUB_KEY, or run \`login\`.`);
  return client(url, checkedKey(key));
}

/** The key of `login`, which goes to its own hub alone. */
function storedKey(url: string): string | undefined {
  const { hub, key } = readLogin();
  return hub === url ? key : undefined;
}

/** An address without a slash at the end. Throws `CliError`. */
export function addressOf(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const isPlain = url && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '';
  if (!isPlain) throw new CliError(`${plain(given)} is not an http(s) address.`);
  return given.trim().replace(/\/+$/, '');
}

/** Throws `CliError` for what no header can carry. */
export function checkedKey(given: string): string {
  const key = given.trim();
  if (!/^[\x21-\x7e]{20,200}$/.test(key))
    throw new CliError('The access key has an unknown form: it begins with rhk_.');
  return key;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CliError(`${file}: ${(error as Error).message}`);
  }
}

function readLogin(): { hub?: string; key?: string } {
  const file = settingsFile();
  let mode: number;
  try {
    ({ mode } = statSync(file));
  } catch {
    // There was no login on this machine.
    return {};
  }
  // Windows has no such bits.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new CliError(`Others can read ${file}, which has an access key. Run: chmod 600 ${file}`);
  try {
    const { hub, key } = JSON.parse(read(file)) as Record<string, unknown>;
    if (typeof hub === 'string' && typeof key === 'string') return { hub, key };
  } catch {
    // The same as a wrong shape.
  }
  throw new CliError(`${file} cannot be read. Run \`login\` again.`);
}

/** A text without characters that a terminal would obey. */
export const plain = (given: string): string => given.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ');

export function client(address: string, key: string): HubClient {
  return {
    address,
    async call<E extends Endpoint>(endpoint: E, { params, query, body }: Partial<InputOf<E>> = {}) {
      const given = (params ?? {}) as Record<string, unknown>;
      const place = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(given[name])));
      const search = new URLSearchParams(
        Object.entries((query ?? {}) as Record<string, unknown>).map(([name, value]) => [name, String(value)]),
      );
      const url = `${address}${place}${search.size > 0 ? `?${search.toString()}` : ''}`;
      for (let waits = 0; ; waits++) {
        const response = await send(url, endpoint.method, key, body);
        const answer = await envelopeOf(response, address);
        if (answer.success) return answer.data as ReplyOf<E>; // as the contract declares it
        const seconds = Number(response.headers.get('retry-after') ?? NaN);
        const isSoon = response.status === 429 && seconds <= LONGEST_WAIT_S && waits < MOST_WAITS;
        if (!isSoon) throw new Refusal(plain(answer.message), answer.code ?? String(response.status), answer.field);
        process.stderr.write(`${plain(answer.message)} Waiting ${seconds} s.\n`);
        await wait(seconds * 1000);
      }
    },
  };
}

async function send(url: string, method: string, key: string, body: unknown): Promise<Response> {
  try {
    return await fetch(url, {
      method,
      // The key must not follow a redirect to another place.
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE_MS),
      headers: {
        authorization: `Bearer ${key}`,
        'accept-language': 'en-US',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  } catch (error) {
    const { cause, message } = error as Error;
    throw new CliError(`${new URL(url).origin} does not answer: ${cause instanceof Error ? cause.message : message}`);
  }
}

async function envelopeOf(response: Response, address: string): Promise<Envelope<unknown>> {
  const body = await response.text();
  try {
    const answer = JSON.parse(body) as Envelope<unknown>;
    if (typeof answer.success === 'boolean') return answer;
  } catch {
    // The same as another shape.
  }
  throw new CliError(`${address} is no Relay Hub, or a proxy answers for it: status ${response.status}.`);
}

type ListEndpoint<T> = Endpoint<{ audience: 'admin' | 'user'; summary: string } & object> & { readonly schemas?: T };

/** All records of a list, page by page. */
export async function all<E extends ListEndpoint<unknown>>(
  hub: HubClient,
  endpoint: E,
  filters: Readonly<Record<string, string>> = {},
): Promise<(ReplyOf<E> extends Page<infer Row> ? Row : never)[]> {
  const rows: unknown[] = [];
  for (let page = 1; ; page++) {
    const query: Partial<ListQuery> = { ...filters, page, size: 100, order: 'id' };
    const found = (await hub.call(endpoint, { query } as unknown as Partial<InputOf<E>>)) as Page<unknown>;
    rows.push(...found.data);
    if (found.data.length === 0 || rows.length >= found.total_count) break;
  }
  return rows as never; // the rows of the endpoint's page
}

import type { FastifyInstance } from 'fastify';
import type { BaseDeps } from '#base-deps.ts';
import { AppError } from '#errors.ts';
import type { SettingKey } from '#settings.ts';
import { clientIp } from '#http/client-ip.ts';
import { networkOf } from '#http/client-network.ts';

const WINDOW_MS = 180_000;
/** Beyond so many addresses in a window the count begins anew, lest it takes the memory that it protects. */
const MOST_ADDRESSES = 500_000;

/** Requests by address, in windows that begin for all of them at once: nothing has to be swept. */
class Window {
  readonly #counts = new Map<string, number>();
  #endsMs = 0;

  /** Counts one more; the seconds to wait, or 0 when it is within the limit. */
  hit(address: string, limit: number, nowMs: number): number {
    if (this.#endsMs <= nowMs) {
      this.#counts.clear();
      this.#endsMs = nowMs + WINDOW_MS;
    }
    const count = (this.#counts.get(address) ?? 0) + 1;
    if (this.#counts.size >= MOST_ADDRESSES) this.#counts.clear();
    this.#counts.set(address, count);
    return count > limit ? Math.ceil((this.#endsMs - nowMs) / 1000) : 0;
  }
}

/** Asked by machines that must not be turned away: health checks, Prometheus, and Telegram, which has a secret. */
const notCounted = /^\/(healthz|readyz|metrics|api\/telegram\/[^/?]+)(?=[/?]|$)/;
const api = /^\/api(?=[/?]|$)/;

/**
 * Holds each client address to so many requests of the management API, and so many of pages and their files. Each node
 * counts for itself: it is itself that it protects, also while there is no Redis. What guessing could bring something
 * has narrower limits of its own, which nodes share.
 */
export function limitRequests(app: FastifyInstance, { live, config }: Pick<BaseDeps, 'live' | 'config'>): void {
  const windows = { GlobalApiRateLimit: new Window(), GlobalWebRateLimit: new Window() } satisfies Partial<
    Record<SettingKey, Window>
  >;
  app.addHook('onRequest', async ({ url, raw }) => {
    if (notCounted.test(url)) return;
    const key = api.test(url) ? 'GlobalApiRateLimit' : 'GlobalWebRateLimit';
    const address = networkOf(clientIp(raw, config.trustedProxies));
    const seconds = windows[key].hit(address, live.settings[key], Date.now());
    if (seconds > 0) throw new AppError('request.too_many', { seconds });
  });
}

import type { FastifyInstance } from 'fastify';
import type { BaseDeps } from '#base-deps.ts';
import { AppError } from '#errors.ts';
import type { SettingKey } from '#settings.ts';
import { clientIp } from '#http/client-ip.ts';
import { networkOf } from '#http/client-network.ts';

const WINDOW_MS = 180_000;
/** Number of addresses in a window after which counting restarts, to bound memory. */
const MOST_ADDRESSES = 500_000;

/** Requests by address, in windows with a common start, so no cleanup is needed. */
class Window {
  readonly #counts = new Map<string, number>();
  #endsMs = 0;

  /** Counts a request; returns the seconds to wait, or 0 if within the limit. */
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

/** Machines that must not be limited: health checks, Prometheus, and Telegram, which sends a secret. */
const notCounted = /^\/(healthz|readyz|metrics|api\/metrics|api\/telegram\/[^/?]+)(?=[/?]|$)/;
const api = /^\/(api|scim)(?=[/?]|$)/;

/**
 * Limits each client address: requests of the management API, and requests of pages and files. Each node counts for
 * itself, since it protects itself, also while Redis is down. Endpoints that could be brute-forced have lower limits
 * that nodes share.
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

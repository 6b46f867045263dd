import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { clientIp } from '#http/client-ip.ts';

/** Health checks, Prometheus, and payment gateways, whose notifications are signed and must not be lost. */
const alwaysServed = /^\/(?:healthz|readyz|metrics|api\/metrics|api\/payment\/notify\/[^/?]+)(?=[/?]|$)/;

/** Refuses requests of blocked networks before sessions and limits are looked at. */
export function refuseBlocked(
  app: FastifyInstance,
  { live, config, now }: Pick<Deps, 'live' | 'config' | 'now'>,
): void {
  app.addHook('onRequest', async ({ url, raw }) => {
    if (live.blocks.isEmpty || alwaysServed.test(url)) return;
    const ip = clientIp(raw, config.trustedProxies);
    if (live.blocks.has(ip, now())) throw new AppError('address.blocked', { ip });
  });
}

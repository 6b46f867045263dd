import { BlockList, isIPv6 } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import type { BaseDeps } from '#base-deps.ts';
import { AppError } from '#errors.ts';
import type { MetricsDeps } from './registry.ts';
import { isSameSecret } from '#secrets.ts';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** `/metrics` for Prometheus: with METRICS_TOKEN as its bearer token, or without one from this machine only. */
export function metricsRoutes(app: FastifyInstance, deps: MetricsDeps & Pick<BaseDeps, 'config'>): void {
  // The library is loaded with the first scrape.
  let registry: Promise<Registry> | undefined;
  app.get('/metrics', async (request, reply) => {
    if (!mayRead(request, deps.config.metricsToken)) throw new AppError('metrics.refused');
    registry ??= import('./registry.ts').then(({ makeRegistry }) => makeRegistry(deps));
    const told = await registry;
    return reply
      .type(told.contentType)
      .header('cache-control', 'no-store')
      .send(await told.metrics());
  });
}

function mayRead({ headers, socket }: FastifyRequest, token: string | undefined): boolean {
  if (token !== undefined) return isSameSecret(/^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1], token);
  // Requests forwarded by a proxy on this machine come from elsewhere.
  if (headers['x-forwarded-for'] ?? headers['x-real-ip'] ?? headers.forwarded ?? headers.via) return false;
  const address = socket.remoteAddress ?? '';
  return address !== '' && loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

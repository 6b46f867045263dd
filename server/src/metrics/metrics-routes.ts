import { BlockList, isIPv6 } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import { AppError } from '#errors.ts';
import type { MetricsDeps, MetricsList } from './registry.ts';
import type { Siblings } from '#process/siblings.ts';
import { isSameSecret } from '#secrets.ts';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * `/metrics` for Prometheus: with METRICS_TOKEN as its bearer token, or without one from this machine only. `/api/metrics`
 * is the path of the product family: Basic, with METRICS_TOKEN as the password of any user; otherwise not found. With
 * workers, one scrape gets the sum of all.
 */
export function metricsRoutes(
  app: FastifyInstance,
  deps: MetricsDeps & { siblings: Pick<Siblings, 'exist' | 'ask' | 'answer'> },
): void {
  // The library is loaded with the first scrape.
  let registry: Promise<Registry> | undefined;
  const own = (): Promise<Registry> =>
    (registry ??= import('./registry.ts').then(({ makeRegistry }) => makeRegistry(deps)));
  const { siblings } = deps;
  siblings.answer('metrics', async () => (await own()).getMetricsAsJSON());
  const tell = async (reply: FastifyReply): Promise<FastifyReply> => {
    const told = siblings.exist ? await withOthers(await own(), siblings) : await own();
    return reply
      .type(told.contentType)
      .header('cache-control', 'no-store')
      .send(await told.metrics());
  };
  const { metricsToken: token } = deps.config;
  app.get('/metrics', async (request, reply) => {
    if (!mayRead(request, token)) throw new AppError('metrics.refused');
    return tell(reply);
  });
  app.get('/api/metrics', async (request, reply) => {
    const { method, url, headers } = request;
    const isKnown = token !== undefined && isSameSecret(basicPassword(headers.authorization), token);
    if (!isKnown) throw new AppError('route.unknown', { method, path: url.split('?')[0] });
    return tell(reply);
  });
}

/** The sum of all workers: a scrape reaches any one of them. */
async function withOthers(own: Registry, { ask }: Pick<Siblings, 'ask'>): Promise<Registry> {
  const { sumOf } = await import('./registry.ts');
  const mine = await own.getMetricsAsJSON();
  return sumOf([mine, ...((await ask('metrics', mine)) as MetricsList[])]); // lists of the same code
}

function basicPassword(authorization = ''): string | undefined {
  const [, credentials = ''] = /^Basic\s+([\w+/=-]+)$/i.exec(authorization) ?? [];
  const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(credentials, 'base64').toString('utf8')) ?? [];
  return password;
}

function mayRead({ headers, socket }: FastifyRequest, token: string | undefined): boolean {
  if (token !== undefined) return isSameSecret(/^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1], token);
  // Requests forwarded by a proxy on this machine come from elsewhere.
  if (headers['x-forwarded-for'] ?? headers['x-real-ip'] ?? headers.forwarded ?? headers.via) return false;
  const address = socket.remoteAddress ?? '';
  return address !== '' && loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

import type { FastifyRequest } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';

/**
 * Base URL of links in mails: the configured server address. Without one, only requests from this machine are accepted,
 * because a forged Host header could redirect the link. Throws `mail.no_address`.
 */
export function linkBase({ config, live }: Pick<Deps, 'config' | 'live'>, request: FastifyRequest): string {
  if (live.settings.ServerAddress !== '') return live.settings.ServerAddress;
  const { host = '' } = request.headers;
  ensure(/^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/.test(host), 'mail.no_address');
  return `http://${host}${config.basePath}`;
}

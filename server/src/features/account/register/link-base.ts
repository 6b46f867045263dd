import type { FastifyRequest } from 'fastify';
import { ensure } from '#errors.ts';
import type { Settings } from '#settings.ts';

/**
 * Base URL of links in mails: the configured server address. Without one, only requests from this machine are accepted,
 * because a forged Host header could redirect the link. Throws `mail.no_address`.
 */
export function linkBase({ ServerAddress }: Pick<Settings, 'ServerAddress'>, request: FastifyRequest): string {
  if (ServerAddress !== '') return ServerAddress;
  const { host = '' } = request.headers;
  ensure(/^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/.test(host), 'mail.no_address');
  return `http://${host}`;
}

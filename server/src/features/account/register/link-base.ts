import type { FastifyRequest } from 'fastify';
import { ensure } from '#errors.ts';
import type { Settings } from '#settings.ts';

/**
 * What links in mails begin with: the server address that the operator has set. Without one only a request to this very
 * machine says where it is: anybody can write anything into a Host header, and have a link led to themselves by it.
 * Throws `mail.no_address`.
 */
export function linkBase({ ServerAddress }: Pick<Settings, 'ServerAddress'>, request: FastifyRequest): string {
  if (ServerAddress !== '') return ServerAddress;
  const { host = '' } = request.headers;
  ensure(/^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/.test(host), 'mail.no_address');
  return `http://${host}`;
}

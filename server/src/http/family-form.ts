import type { FastifyRequest } from 'fastify';
import type { BaseDeps } from '#base-deps.ts';
import type { AppError } from '#errors.ts';

/** `family` or `native`: the form of refusals of one call, regardless of the setting. */
const HEADER = 'x-relay-envelope';

/** Transport, overload and outages, on which clients and balancers of the product family act by status as well. */
const statusKept = /^(request|body|server|database|metrics)\./;

/** Whether a refusal of this request is sent in the form of the product family. */
export function isFamilyForm(
  { url, headers }: FastifyRequest,
  { settings }: Pick<BaseDeps['live'], 'settings'>,
): boolean {
  if (!/^\/api(?=[/?]|$)/.test(url)) return false;
  const asked = headers[HEADER];
  return asked === 'family' || (asked !== 'native' && settings.FamilyMode);
}

/**
 * Status of a refusal in the form of the product family: 200, except where its clients look at the status. 401 means "no
 * credentials" and makes a console forget its user; a wrong access token is an ordinary refusal.
 */
export function familyStatus({ code, status }: AppError, { url, headers }: FastifyRequest): number {
  if (code === 'session.none') return headers.authorization === undefined ? status : 200;
  if (code === 'oauth.state' || code.startsWith('route.') || status === 429 || statusKept.test(code)) return status;
  return code === 'input.not_json' && /^\/api\/option(?=[/?]|$)/.test(url) ? status : 200;
}

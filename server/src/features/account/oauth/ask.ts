import type { IdentityProvider } from '@relay-hub/contract';
import type * as z from 'zod/mini';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { type Fetched, fetchGuarded, type OutboundRequest } from '#http/outbound/outbound.ts';
import { operatorReach } from '#http/outbound/reach.ts';

const TIMEOUT_MS = 5000;
const MOST_BYTES = 1024 * 1024;

export type IdentityProviderDeps = Pick<Deps, 'config' | 'live' | 'log'>;

/** Sends a request to an identity provider. Throws `oauth.unreachable` without a usable response. */
export async function ask(
  { config, live, log }: IdentityProviderDeps,
  provider: IdentityProvider,
  address: string,
  request: OutboundRequest,
): Promise<Fetched> {
  try {
    const answer = await fetchGuarded(address, {
      reach: operatorReach({ config, live }),
      maxBytes: MOST_BYTES,
      timeoutMs: TIMEOUT_MS,
      accept: 'application/json',
      request,
    });
    if (answer.status < 500 && answer.status !== 429) return answer;
    log.warn({ provider, status: answer.status }, 'identity provider error');
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn({ provider, reason: error.code, ...error.values }, 'identity provider unreachable');
  }
  throw new AppError('oauth.unreachable', { provider });
}

/**
 * Sends a request and parses the JSON response. Throws `oauth.unreachable`, and `oauth.refused` when the response does
 * not match the schema.
 */
export async function askJson<T>(
  asking: IdentityProviderDeps,
  provider: IdentityProvider,
  schema: z.ZodMiniType<T>,
  [address, request]: [address: string, request: OutboundRequest],
): Promise<T> {
  const { status, body } = await ask(asking, provider, address, request);
  const parsed = status < 300 ? schema.safeParse(jsonIn(body)) : undefined;
  if (parsed?.success) return parsed.data;
  asking.log.warn({ provider, status }, 'identity provider refused');
  throw new AppError('oauth.refused', { provider });
}

/** The JSON of a response; undefined if it is none. */
export function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

export const post = (body: object, headers: Record<string, string> = {}): OutboundRequest => ({
  method: 'POST',
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: JSON.stringify(body),
});

export const get = (headers: Record<string, string>): OutboundRequest => ({ method: 'GET', headers });

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

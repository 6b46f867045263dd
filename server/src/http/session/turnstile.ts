import type { BaseDeps } from '#base-deps.ts';
import { ensure } from '#errors.ts';
import * as z from 'zod/mini';
import { fetchGuarded } from '#http/outbound/outbound.ts';
import { operatorReach } from '#http/outbound/reach.ts';

const TIMEOUT_MS = 5000;
const MOST_BYTES = 64 * 1024;

const answer = z.object({ success: z.boolean() });

/**
 * Verifies a Turnstile token if the check is on. A token is valid for one request. Throws `turnstile.failed`, also if
 * the service is unreachable.
 */
export async function ensureHuman(
  { config, live, log }: Pick<BaseDeps, 'config' | 'live' | 'log'>,
  { token = '', ip }: { token: string | undefined; ip: string },
): Promise<void> {
  const { TurnstileCheckEnabled: on, TurnstileAddress: address, TurnstileSecretKey: secret } = live.settings;
  if (!on) return;
  ensure(token !== '', 'turnstile.failed', { field: 'turnstile' });
  let passed = false;
  try {
    const { status, body } = await fetchGuarded(`${address}/turnstile/v0/siteverify`, {
      reach: operatorReach({ config, live }),
      maxBytes: MOST_BYTES,
      timeoutMs: TIMEOUT_MS,
      accept: 'application/json',
      request: {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ secret, response: token, remoteip: ip }).toString(),
      },
    });
    const parsed = answer.safeParse(JSON.parse(body.toString('utf8')));
    passed = status === 200 && parsed.success && parsed.data.success;
  } catch (error) {
    log.warn({ reason: error instanceof Error ? error.message : 'unknown' }, 'challenge service is unreachable');
  }
  ensure(passed, 'turnstile.failed', { field: 'turnstile' });
}

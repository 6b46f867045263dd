import { tokenStatus, type UserGroup, userStatus } from '@relay-hub/contract';
import type { Caller } from '#live/callers.ts';
import type { Live } from '#live/live.ts';
import { RelayError, unauthorized } from './relay-error.ts';

/** The key of a request without its prefixes; throws a 401 when there is none. */
export function keyOf(authorization: string | undefined): string {
  const key = authorization?.replace(/^\s*(?:bearer(?:\s+|$))?(?:sk-)?/i, '').trim();
  if (!key) throw unauthorized('No API key was given. Send it as "Authorization: Bearer sk-…".');
  return key;
}

/** Throws unless this caller may make a call now. Balances are checked by the reservation. */
export function checkCaller(caller: Caller | undefined, nowS: number): asserts caller is Caller {
  if (!caller) throw unauthorized('The API key is not valid.');
  if (caller.userStatus !== userStatus.enabled)
    throw unauthorized('The account that this API key belongs to is disabled.');
  if (caller.tokenStatus === tokenStatus.expired || (caller.expiredTime !== -1 && caller.expiredTime <= nowS))
    throw unauthorized('The API key has expired.');
  if (caller.tokenStatus === tokenStatus.exhausted) throw noQuota('token_quota');
  if (caller.tokenStatus !== tokenStatus.enabled) throw unauthorized('The API key is disabled.');
}

/** The group whose channels and ratio a call uses: the token's, else the user's. Throws a 403 when it may not. */
export function groupOf(caller: Caller, live: Live): UserGroup {
  const symbol = caller.tokenGroup || caller.userGroup;
  const group = live.groups.get(symbol);
  if (!group) throw forbidden(`The user group '${symbol}' does not exist or is switched off.`);
  // Checked at each call, not only when the token is made: groups become private, and users move.
  if (!group.public && symbol !== caller.userGroup)
    throw forbidden(`This API key may not use the user group '${symbol}' any more.`);
  return group;
}

/** 402: what the caller cannot pay for. */
export function noQuota(whose: 'user_quota' | 'token_quota'): RelayError {
  const message =
    whose === 'user_quota'
      ? 'The balance does not cover this call. Top up and try again.'
      : 'The quota of this API key does not cover this call. Raise it and try again.';
  return new RelayError(
    402,
    'insufficient_quota',
    whose === 'user_quota' ? 'insufficient_user_quota' : 'insufficient_token_quota',
    message,
  );
}

const forbidden = (message: string): RelayError =>
  new RelayError(403, 'permission_error', 'group_forbidden', message, {});

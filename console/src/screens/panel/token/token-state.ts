import { tokenStatus, type Token } from '@relay-hub/contract';

export type TokenState = keyof typeof tokenStatus;

/** Whether the key before the last rotation still works. */
export const hasOldKey = ({ old_key: old }: Pick<Token, 'old_key'>, now: number): boolean =>
  old !== null && old.valid_until > now;

/** Effective state of a token; the server records expiry and exhaustion only on its next use. */
export function stateOf(token: Token, now: number): TokenState {
  if (token.status === tokenStatus.disabled) return 'disabled';
  if (token.status === tokenStatus.expired || (token.expired_time !== -1 && token.expired_time <= now))
    return 'expired';
  if (token.status === tokenStatus.exhausted || (!token.unlimited_quota && token.remain_quota <= 0)) return 'exhausted';
  return 'enabled';
}

import { redemptionStatus, type Redemption } from '@relay-hub/contract';

export type RedemptionState = 'unredeemed' | 'redeemed' | 'disabled' | 'expired';

/** State of a code; expiry is not stored but derived from the time. */
export function stateOf({ status, expired_time: at }: Redemption, now: number): RedemptionState {
  if (status === redemptionStatus.used) return 'redeemed';
  if (status === redemptionStatus.disabled) return 'disabled';
  return at !== -1 && at <= now ? 'expired' : 'unredeemed';
}

/** A whole code as lists show it, which also finds it; other text unchanged. */
export function maskOf(text: string): string {
  const code = text.replace(/[\s-]+/g, '').toLowerCase();
  return /^[0-9a-f]{32}$/.test(code) ? `${code.slice(0, 4)}••••••••${code.slice(-4)}` : text;
}

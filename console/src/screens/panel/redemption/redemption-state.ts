import { redemptionStatus, type Redemption } from '@relay-hub/contract';

export type RedemptionState = 'unredeemed' | 'redeemed' | 'disabled' | 'expired';

/** What a code is worth now; that its time is over is written nowhere. */
export function stateOf({ status, expired_time: at }: Redemption, now: number): RedemptionState {
  if (status === redemptionStatus.used) return 'redeemed';
  if (status === redemptionStatus.disabled) return 'disabled';
  return at !== -1 && at <= now ? 'expired' : 'unredeemed';
}

/** A whole code as lists show it, by which it can be found as well; any other text as it is. */
export function maskOf(text: string): string {
  const code = text.replace(/[\s-]+/g, '').toLowerCase();
  return /^[0-9a-f]{32}$/.test(code) ? `${code.slice(0, 4)}••••••••${code.slice(-4)}` : text;
}

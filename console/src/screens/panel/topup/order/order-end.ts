import type { OwnOrder } from '@relay-hub/contract';

/** How an unpaid order ended: the time was up, it was cancelled before, or the gateway refused it. */
export function endOf({
  status,
  expires_at: expires,
  updated_at: updated,
}: OwnOrder): 'expired' | 'cancelled' | 'failed' {
  if (status === 'failed') return 'failed';
  return expires > 0 && updated < expires ? 'cancelled' : 'expired';
}

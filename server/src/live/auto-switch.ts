import { channelStatus } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import type { Settings } from '#settings.ts';
import { isInRequest } from './is-in-request.ts';

/** An upstream's refusal. */
export interface VendorRefusal {
  status: number;
  /** The vendor's error names. */
  code?: string | undefined;
  type?: string | undefined;
  param?: string | undefined;
  message: string;
  /** Findings of a content filter, see `UpstreamError`. */
  inner?: Record<string, unknown> | undefined;
}

const codes = new Set(['invalid_api_key', 'account_deactivated', 'billing_not_active']);
const types = new Set([
  'insufficient_quota',
  'authentication_error',
  'permission_error',
  'forbidden',
  // Google, for a key without the required permission.
  'PERMISSION_DENIED',
]);

/**
 * Whether a refusal concerns the account or its key, so that retrying is useless until an operator acts. `asked`: the
 * request; some upstreams echo it, so phrases in it do not count.
 */
export function endsAccount(refusal: VendorRefusal, keywords: string, asked?: Buffer): boolean {
  const { status, code, type, param, message } = refusal;
  if (status === 401 || (code && codes.has(code)) || (type && types.has(type)) || param === 'PERMISSIONDENIED')
    return true;
  return keywords
    .split('\n')
    .map((line) => line.trim())
    .some((phrase) => phrase !== '' && message.includes(phrase) && !isInRequest(asked, phrase));
}

/** Whether the settings switch a channel off for a refusal. */
export const switchesOff = (refusal: VendorRefusal, settings: Settings, asked?: Buffer): boolean =>
  settings.AutomaticDisableChannelEnabled && endsAccount(refusal, settings.DisableChannelKeywords, asked);

/** Switches a channel off automatically; false if it was off already. Call `live.changed` afterwards. */
export async function switchOff(db: Db, channelId: number, reason: string, now: number): Promise<boolean> {
  const changed = await db
    .updateTable('channels')
    .set({ status: channelStatus.testDisabled, last_error: reason, last_error_time: now })
    .where('id', '=', channelId)
    .where('status', '=', channelStatus.enabled)
    .where('deleted_time', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return changed !== undefined;
}

/** Switches an automatically disabled channel on; manually disabled ones stay off. */
export async function switchOn(db: Db, channelId: number): Promise<boolean> {
  const changed = await db
    .updateTable('channels')
    .set({ status: channelStatus.enabled })
    .where('id', '=', channelId)
    .where('status', '=', channelStatus.testDisabled)
    .where('deleted_time', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return changed !== undefined;
}

import { channelStatus } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import type { Settings } from '#settings.ts';
import { isInRequest } from './is-in-request.ts';

/** What an upstream said no with. */
export interface Refusal {
  status: number;
  /** The vendor's own names for it. */
  code?: string | undefined;
  type?: string | undefined;
  param?: string | undefined;
  message: string;
}

const codes = new Set(['invalid_api_key', 'account_deactivated', 'billing_not_active']);
const types = new Set([
  'insufficient_quota',
  'authentication_error',
  'permission_error',
  'forbidden',
  // Google's, of a key that may not do what it is for.
  'PERMISSION_DENIED',
]);

/**
 * Whether a refusal is about the account or its key, so that asking again is of no use until somebody has seen to it.
 * `asked`: what was sent; some upstreams repeat it, and a phrase in it is the caller's.
 */
export function endsAccount(refusal: Refusal, keywords: string, asked?: Buffer): boolean {
  const { status, code, type, param, message } = refusal;
  if (status === 401 || (code && codes.has(code)) || (type && types.has(type)) || param === 'PERMISSIONDENIED')
    return true;
  return keywords
    .split('\n')
    .map((line) => line.trim())
    .some((phrase) => phrase !== '' && message.includes(phrase) && !isInRequest(asked, phrase));
}

/** Whether the server is to switch a channel off for a refusal, as the settings have it. */
export const switchesOff = (refusal: Refusal, settings: Settings, asked?: Buffer): boolean =>
  settings.AutomaticDisableChannelEnabled && endsAccount(refusal, settings.DisableChannelKeywords, asked);

/** Switches a channel off on the server's own account; false when it was off already. To be made known by `live.changed`. */
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

/** Switches a channel on again that the server had switched off; what somebody switched off by hand stays off. */
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

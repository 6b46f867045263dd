import { type Language, logType } from '@relay-hub/contract';
import type { Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { noteInLog } from '#features/log/log-note.ts';
import { post } from '#quota/ledger.ts';
import { serverTexts } from '#i18n/texts.ts';

export interface Gift {
  to: { id: number; username: string };
  kind: 'gift' | 'reward';
  credits: number;
  reference: string;
  /** The new account that the credits are given for. */
  newcomer: number;
  ip: string;
  language: Language;
  now: number;
}

/** Posts credits for a new account and notes them in the receiver's log. Does nothing for 0. */
export async function giveCredits(
  trx: Transaction<Tables>,
  { to: user, kind, credits, reference, newcomer, ip, language, now }: Gift,
): Promise<void> {
  if (credits === 0) return;
  await post(trx, { user_id: user.id, kind, credits, reference, actor_id: newcomer, remark: '', created_time: now });
  const note = { type: logType.system, quota: credits, content: serverTexts(language).entries[kind] };
  await noteInLog(trx, { ...note, user, reference, sourceIp: ip, now });
}

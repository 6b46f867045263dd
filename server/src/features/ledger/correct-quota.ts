import { randomUUID } from 'node:crypto';
import type { LedgerEntry } from '@relay-hub/contract';
import { logType } from '@relay-hub/contract';
import type { Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { noteInLog } from '#features/log/log-note.ts';
import { ensureOutranks, holdPair } from '#features/account/user/user-rank.ts';
import { post } from '#quota/ledger.ts';
import { findByReference } from './ledger-queries.ts';

interface Correction {
  userId: number;
  /** Negative takes. */
  credits: number;
  remark: string;
  /** Makes a second submission of the same change harmless. */
  reference?: string | undefined;
}

interface Corrector {
  id: number;
  ip: string;
}

/**
 * Gives credits to a user or takes them away, and says so in the user's log. A correction that was made before under
 * its reference is not made again: its entry is returned. Throws `record.not_found`, `user.rank`, `quota.beyond` when
 * more is to be taken than calls leave, `quota.uncountable`, and `reference.used` when the reference stands for another
 * change.
 */
export async function correctQuota(
  { db, book, now }: Pick<Deps, 'db' | 'book' | 'now'>,
  actor: Corrector,
  correction: Correction,
): Promise<LedgerEntry> {
  const reference = `correction:${correction.reference ?? randomUUID()}`;
  const attempt = () => db.transaction().execute((trx) => correct(trx, actor, { ...correction, reference }, now));
  try {
    return await attempt();
  } catch (error) {
    // What nodes have leased and no call has reserved can be taken as well, once they have given it back.
    const isBeyond = error instanceof AppError && error.code === 'quota.beyond' && error.values['held'] !== 0;
    if (isBeyond && (await book.recall(correction.userId))) return attempt();
    throw error;
  }
}

async function correct(
  trx: Transaction<Tables>,
  actor: Corrector,
  correction: Correction & { reference: string },
  now: () => number,
): Promise<LedgerEntry> {
  const { userId, credits, remark, reference } = correction;
  // Whoever corrects this account waits here, so what is read below stays true until the entry is posted.
  const pair = await holdPair(trx, actor.id, { id: userId });
  ensureOutranks(pair);
  const before = await findByReference(trx, reference, 'administrator');
  if (before) {
    ensure(isSame(before, actor, correction), 'reference.used', { field: 'reference' });
    return before;
  }
  await ensureRoom(trx, userId, credits);
  // Not before: waiting may have taken a while.
  const time = now();
  const made = { reference, remark, actor_id: actor.id, created_time: time };
  await post(trx, { ...made, user_id: userId, kind: 'correction', credits });
  const note = { type: logType.manage, quota: credits, content: remark, reference, sourceIp: actor.ip, now: time };
  await noteInLog(trx, { ...note, user: pair.target });
  const entry = await findByReference(trx, reference, 'administrator');
  return entry!; // posted just above
}

const isSame = (entry: LedgerEntry, actor: Corrector, { userId, credits, remark }: Correction): boolean =>
  entry.user_id === userId && entry.actor_id === actor.id && entry.credits === credits && entry.remark === remark;

/** What calls have reserved cannot be taken: it may be spent already. */
async function ensureRoom(trx: Transaction<Tables>, userId: number, credits: number): Promise<void> {
  const { quota, held } = await trx
    .selectFrom('users')
    .where('id', '=', userId)
    .select(['quota', 'held'])
    .executeTakeFirstOrThrow();
  ensure(quota + credits >= 0, 'quota.beyond', { field: 'quota', most: quota, held });
  ensure(quota + held + credits <= Number.MAX_SAFE_INTEGER, 'quota.uncountable', { field: 'quota' });
}

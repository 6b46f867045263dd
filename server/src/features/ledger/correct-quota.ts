import { randomUUID } from 'node:crypto';
import type { LedgerEntry } from '@relay-hub/contract';
import { logType, role } from '@relay-hub/contract';
import type { Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { noteInLog } from '#features/log/log-note.ts';
import { ensureOutranks, holdPair } from '#features/account/access/user-rank.ts';
import { post } from '#quota/ledger.ts';
import { findByReference } from './ledger-queries.ts';

interface Correction {
  userId: number;
  /** Negative to deduct. */
  credits: number;
  remark: string;
  /** Idempotency key of the correction. */
  reference?: string | undefined;
}

interface Corrector {
  id: number;
  ip: string;
}

/**
 * Adds or deducts credits and notes it in the user's log. A repeated reference returns the first entry. Throws
 * `record.not_found`, `user.rank`, `quota.beyond` if more is deducted than calls leave, `quota.uncountable`, and
 * `reference.used` if the reference belongs to another change.
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
    // Credits that are leased but not reserved become available once nodes return them.
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
  // Serialises corrections of this account, so the reads below stay valid until the entry is posted.
  const pair = await holdPair(trx, actor.id, { id: userId, teams: true });
  ensureOutranks(pair);
  // Administrators do not give credits to themselves, by way of their team neither.
  if (pair.actor.role < role.root) ensure(!(await isMember(trx, userId, actor.id)), 'user.self');
  const before = await findByReference(trx, reference, 'administrator');
  if (before) {
    ensure(isSame(before, actor, correction), 'reference.used', { field: 'reference' });
    return before;
  }
  await ensureRoom(trx, userId, credits);
  // Read after the lock, which may have taken a while.
  const time = now();
  const made = { reference, remark, actor_id: actor.id, created_time: time };
  await post(trx, { ...made, user_id: userId, kind: 'correction', credits });
  const note = { type: logType.manage, quota: credits, content: remark, reference, sourceIp: actor.ip, now: time };
  await noteInLog(trx, { ...note, user: pair.target });
  const entry = await findByReference(trx, reference, 'administrator');
  ensure(entry, 'record.not_found', { field: 'reference' });
  return entry;
}

const isSame = (entry: LedgerEntry, actor: Corrector, { userId, credits, remark }: Correction): boolean =>
  entry.user_id === userId && entry.actor_id === actor.id && entry.credits === credits && entry.remark === remark;

/** Credits reserved by calls may be spent already, so they cannot be deducted. */
async function ensureRoom(trx: Transaction<Tables>, userId: number, credits: number): Promise<void> {
  const { quota, held } = await trx
    .selectFrom('users')
    .where('id', '=', userId)
    .select(['quota', 'held'])
    .executeTakeFirstOrThrow();
  ensure(quota + credits >= 0, 'quota.beyond', { field: 'quota', most: quota, held });
  ensure(quota + held + credits <= Number.MAX_SAFE_INTEGER, 'quota.uncountable', { field: 'quota' });
}

async function isMember(trx: Transaction<Tables>, team: number, user: number): Promise<boolean> {
  const members = trx.selectFrom('team_members').where('team_id', '=', team).where('user_id', '=', user);
  return (await members.select('user_id').executeTakeFirst()) !== undefined;
}

import type { Language } from '@relay-hub/contract';
import { logType, redemptionStatus, role } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import { AppError, ensure } from '#errors.ts';
import { noteInLog } from '#features/log/log-note.ts';
import { holdWithInviter, payInviterAtTopup } from '#features/account/user/pay-inviter.ts';
import { giveOfCode } from '#features/plan/plan-money.ts';
import type { Live } from '#live/live.ts';
import { post } from '#quota/ledger.ts';
import { fingerprint } from '#secrets.ts';
import { plainCode } from './redemption-code.ts';
import { serverTexts } from '#i18n/texts.ts';

export interface Redeemer {
  /** The account that gets the credits. */
  user: { id: number; username: string };
  /** Who redeems for a team; absent: the account itself. */
  person?: number;
  ip: string;
  /** Language of the log text. */
  language: Language;
}

/**
 * Adds a code's credits to the user and marks it redeemed, at most once under concurrency; the user's first redemption
 * also pays the inviter. Returns the credits. Administrators, who may not give themselves credits, could redeem codes of
 * their own; the super administrator may do both. Throws `redemption.administrator`, `redemption.unknown` for an unknown
 * code, and the reason for a known one that is not redeemable.
 */
export async function redeem(
  db: Kysely<Tables>,
  typed: string,
  { user, person = user.id, ip, language }: Redeemer,
  { now, live }: { now: number; live: Pick<Live, 'settings' | 'usersChanged'> },
): Promise<number> {
  const hash = fingerprint(plainCode(typed));
  const { quota, plan_id } = await db.transaction().execute(async (trx) => {
    const { role: rank } = await trx
      .selectFrom('users')
      .where('id', '=', person)
      .select('role')
      .executeTakeFirstOrThrow();
    ensure(rank < role.admin || rank >= role.root, 'redemption.administrator', { field: 'key' });
    const code = await trx
      .updateTable('redemptions')
      .set({ status: redemptionStatus.used, redeemed_time: now, redeemed_user_id: user.id })
      .where('key_hash', '=', hash)
      .where('status', '=', redemptionStatus.enabled) // the guard: only one of racing updates matches
      .where('deleted_time', 'is', null)
      .where('import_pending', '=', false)
      .where(({ eb, or }) => or([eb('expired_time', '=', -1), eb('expired_time', '>', now)]))
      .returning(['id', 'quota', 'key_hint', 'plan_id'])
      .executeTakeFirst();
    if (!code) throw await refusal(trx, hash, user.id);
    const reference = `redemption:${code.id}`;
    await holdWithInviter(trx, user.id);
    await post(trx, {
      user_id: user.id,
      kind: 'redemption',
      credits: code.quota,
      reference,
      actor_id: person,
      remark: code.key_hint,
      created_time: now,
    });
    await noteInLog(trx, {
      user,
      type: logType.topup,
      quota: code.quota,
      content: `${serverTexts(language).entries.code} ${code.key_hint}`,
      reference,
      sourceIp: ip,
      now,
    });
    await payInviterAtTopup(trx, { newcomer: user.id, reference }, { now, settings: live.settings });
    const { id: codeId, plan_id: planId } = code;
    if (planId !== null) await giveOfCode(trx, { userId: user.id, planId, codeId, now });
    return code;
  });
  if (plan_id !== null) await live.usersChanged(user.id);
  return quota;
}

/** Why a code cannot be redeemed. 128 bits cannot be guessed, so its holder may learn the reason. */
async function refusal(db: Db, hash: string, userId: number): Promise<AppError> {
  const code = await db
    .selectFrom('redemptions')
    .where('key_hash', '=', hash)
    .where('deleted_time', 'is', null)
    .select(['status', 'redeemed_user_id', 'import_pending'])
    .executeTakeFirst();
  const field = 'key';
  if (!code) return new AppError('redemption.unknown', { field });
  if (code.status === redemptionStatus.disabled) return new AppError('redemption.disabled', { field });
  if (code.import_pending && code.status === redemptionStatus.enabled)
    return new AppError('redemption.moving', { field });
  if (code.status !== redemptionStatus.used) return new AppError('redemption.expired', { field });
  return new AppError(code.redeemed_user_id === userId ? 'redemption.yours' : 'redemption.redeemed', { field });
}

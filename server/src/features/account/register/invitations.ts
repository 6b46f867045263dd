import { type Invitations, userStatus } from '@relay-hub/contract';
import type { ExpressionBuilder } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import { uniqueClash } from '#db/unique-clash.ts';
import { ensure } from '#errors.ts';
import { randomText } from '#secrets.ts';
import type { Settings } from '#settings.ts';

const LENGTH = 4;

/** An account's referral code, created on first use. */
export async function affCodeOf(db: Db, userId: number): Promise<string> {
  // Collisions grow with the number of codes, so the length grows after a few.
  for (let length = LENGTH; ; length++) {
    const kept = await findAffCode(db, userId);
    if (kept !== '') return kept;
    try {
      const code = randomText(length);
      await db
        .updateTable('users')
        .set({ aff_code: code })
        .where('id', '=', userId)
        .where('aff_code', 'is', null)
        .execute();
    } catch (error) {
      if (!uniqueClash(error)?.includes('aff_code')) throw error;
    }
  }
}

async function findAffCode(db: Db, userId: number): Promise<string> {
  const user = await db.selectFrom('users').where('id', '=', userId).select('aff_code').executeTakeFirst();
  ensure(user, 'record.not_found');
  return user.aff_code ?? '';
}

/** Credits that an account has earned by inviting others, and the reward of the next invitation. */
export async function getInvitations(db: Db, userId: number, settings: Settings): Promise<Invitations> {
  const counts = await db
    .selectFrom('users')
    .where('inviter_id', '=', userId)
    .select((eb) => [
      eb.fn.countAll<number>().as('invited'),
      eb.fn.countAll<number>().filterWhere(isWaiting(eb)).as('waiting'),
    ])
    .executeTakeFirstOrThrow();
  const rewards = await db
    .selectFrom('ledger')
    .where('user_id', '=', userId)
    .where('kind', '=', 'reward')
    .select((eb) => [
      eb.fn.sum<number | null>('credits').as('earned'),
      eb.fn.countAll<number>().filterWhere('reference', 'like', 'inviter:%').as('rewarded'),
    ])
    .executeTakeFirstOrThrow();
  const shares = await db
    .selectFrom('orders')
    .where('inviter_id', '=', userId)
    .where('share_due', '>', 0)
    .where('status', 'in', ['success', 'part_refunded', 'disputed'])
    .select(({ fn }) => fn.sum<number | null>('share_quota').as('waiting'))
    .executeTakeFirstOrThrow();
  return {
    aff_code: await findAffCode(db, userId),
    invited: counts.invited,
    waiting: counts.waiting,
    rewarded: rewards.rewarded,
    earned: rewards.earned ?? 0,
    inviter_reward: settings.QuotaForInviter,
    invitee_reward: settings.QuotaForInvitee,
    share_percent: settings.InviterSharePercent,
    share_days: settings.InviterShareDays,
    share_waiting: shares.waiting ?? 0,
  };
}

/** Whether an enabled account can still earn its inviter a reward. */
const isWaiting = (eb: ExpressionBuilder<Tables, 'users'>) =>
  eb.and([
    eb('email', '=', ''),
    eb('status', '=', userStatus.enabled),
    eb('deleted_time', 'is', null),
    eb.not(
      eb.exists(
        eb
          .selectFrom('ledger')
          .whereRef('ledger.user_id', '=', 'users.id')
          .where('ledger.kind', 'in', ['topup', 'redemption'])
          // Lets SQLite use the index without the entries of calls.
          .where('ledger.kind', '<>', 'settle')
          .select('ledger.id'),
      ),
    ),
  ]);

import { userStatus } from '@relay-hub/contract';
import type { Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { giveCredits } from '#features/account/user/give-credits.ts';
import { holdWithInviter } from '#features/account/user/pay-inviter.ts';
import { mailLanguage } from '#mail/mail-language.ts';
import type { Settings } from '#settings.ts';
import { addEvent } from './order-events.ts';
import { lockOrder, type OrderRow } from './order-rows.ts';

const DAY_S = 86_400;
const AT_ONCE = 100;
/** Parts of a percent that a share may have. */
const HUNDREDTHS = 100;

/** An inviter who may be paid. */
const inviterOf = (trx: Transaction<Tables>, id: number | null) =>
  trx
    .selectFrom('users')
    .where('id', '=', id ?? 0)
    .where('status', '=', userStatus.enabled)
    .where('deleted_time', 'is', null)
    .select(['id', 'username', 'language'])
    .executeTakeFirst();

/** Notes the share of a paid order for the payer's inviter, and when it is due. The caller has locked both accounts. */
export async function noteShare(
  trx: Transaction<Tables>,
  order: Pick<OrderRow, 'id' | 'user_id' | 'quota'>,
  { settings, now }: { settings: Pick<Settings, 'InviterSharePercent' | 'InviterShareDays'>; now: number },
): Promise<void> {
  const { InviterSharePercent: percent, InviterShareDays: days } = settings;
  const part = Math.round(percent * HUNDREDTHS);
  const credits = Number((BigInt(order.quota) * BigInt(part)) / BigInt(100 * HUNDREDTHS));
  if (credits === 0) return;
  const payer = trx.selectFrom('users').where('id', '=', order.user_id).select('inviter_id');
  const inviter = await inviterOf(trx, (await payer.executeTakeFirstOrThrow()).inviter_id);
  if (!inviter) return;
  const share = { inviter_id: inviter.id, share_quota: credits, share_due: now + days * DAY_S };
  await trx.updateTable('orders').set(share).where('id', '=', order.id).execute();
}

/**
 * Pays the shares that are due. Those of disputed orders wait; those of refunded ones end, and of partly refunded ones
 * the same part is paid. Returns the number of shares that were paid.
 */
export async function payShares(deps: Deps, isOver: () => boolean = () => false): Promise<number> {
  const { db, live, log, now } = deps;
  const due = await db
    .selectFrom('orders')
    .where('share_due', '>', 0)
    .where('share_due', '<=', now())
    .where('status', 'in', ['success', 'part_refunded', 'refunded', 'charged_back'])
    .select(['id', 'user_id'])
    .orderBy('share_due')
    .limit(AT_ONCE)
    .execute();
  let paid = 0;
  for (const { id, user_id: userId } of due) {
    if (isOver()) break;
    try {
      const isPaid = await db.transaction().execute(async (trx) => {
        await holdWithInviter(trx, userId);
        return payShare(trx, await lockOrder(trx, id), { settings: live.settings, now: now() });
      });
      if (isPaid) paid++;
    } catch (error) {
      // One that fails must not stop the others; the next round tries again.
      log.warn({ err: error, order: id }, 'the share of an inviter could not be paid');
    }
  }
  return paid;
}

async function payShare(
  trx: Transaction<Tables>,
  order: OrderRow,
  { settings, now }: { settings: Pick<Settings, 'Language'>; now: number },
): Promise<boolean> {
  const { id, status, share_due: due, share_quota: share, quota, refunded_quota: refunded } = order;
  if (due === 0 || due > now || status === 'disputed') return false;
  const isKept = status === 'success' || status === 'part_refunded';
  const inviter = isKept ? await inviterOf(trx, order.inviter_id) : undefined;
  const credits = inviter ? Number((BigInt(share) * BigInt(Math.max(0, quota - refunded))) / BigInt(quota)) : 0;
  await trx.updateTable('orders').set({ share_due: 0, share_paid: credits }).where('id', '=', id).execute();
  if (!inviter || credits === 0) return false;
  await giveCredits(trx, {
    to: inviter,
    kind: 'reward',
    credits,
    reference: `share:${order.trade_no}`,
    // The inviter must not learn who paid.
    newcomer: inviter.id,
    ip: '',
    language: mailLanguage(settings.Language, inviter.language),
    now,
  });
  const event = { orderId: id, gatewayId: order.gateway_id, now };
  await addEvent(trx, { ...event, kind: 'reward_paid', facts: { quota: credits, user: inviter.id } });
  return true;
}

import { PLAN_TOTAL, planScope, type PlanTerms, type SubscriptionSource, timeAfter } from '@relay-hub/contract';
import type { Kysely, Selectable, Transaction } from 'kysely';
import { locked } from '#db/dialect-differences.ts';
import type { Tables } from '#db/tables.ts';
import { AppError, ensure } from '#errors.ts';
import { holdAccounts, post } from '#quota/ledger.ts';

type SubscriptionRow = Selectable<Tables['subscriptions']>;
export type Trx = Transaction<Tables>;

/** A version of a plan. */
interface SoldVersion {
  id: number;
  plan_id: number;
  terms: PlanTerms;
}

interface PlanPurchase {
  userId: number;
  versionId: number;
  requestKey: string;
  start: 'now' | 'after';
  renew: boolean;
  beyond: boolean;
  source: SubscriptionSource;
  /** Who caused it. */
  actorId: number;
  now: number;
}

const isFree = (source: SubscriptionSource): boolean => source === 'gift' || source === 'code' || source === 'import';
const DAY_S = 86_400;

/**
 * Sells or gives a plan: price, subscription and first period in the caller's transaction. Repeated with its request
 * key it returns the id of the first purchase. Throws `plan.off`, `plan.changed`, `plan.too_many`, `plan.sold_out` and
 * `quota.below_zero`.
 */
export async function buyPlan(trx: Trx, purchase: PlanPurchase): Promise<number> {
  const { userId, versionId, requestKey, source, now } = purchase;
  await holdAccounts(trx, [userId]);
  const repeated = await trx
    .selectFrom('subscriptions')
    .where('user_id', '=', userId)
    .where('request_key', '=', requestKey)
    .select('id')
    .executeTakeFirst();
  if (repeated) return repeated.id;
  const version = await versionOf(trx, versionId);
  const plan = await lockedPlan(trx, version.plan_id);
  ensure(plan.enabled || source === 'gift' || source === 'order' || source === 'import', 'plan.off', {
    field: 'version_id',
  });
  if (!isFree(source) && source !== 'order')
    ensure((await currentVersion(trx, plan.id, now)) === versionId, 'plan.changed', { field: 'version_id' });
  // One that begins later does not run at the same time.
  const mostActive = purchase.start === 'after' && plan.most_active > 0 ? plan.most_active + 1 : plan.most_active;
  if (source !== 'import') await ensureFew(trx, userId, { ...plan, most_active: mostActive });
  const beyond = version.terms.beyond === 'choice' ? purchase.beyond : version.terms.beyond === 'balance';
  const last = purchase.start === 'after' ? await lastEnd(trx, userId, plan.id) : 0;
  const starts = Math.max(now, last);
  const price = isFree(source) ? 0 : version.terms.price;
  const { quota } = await trx.selectFrom('users').where('id', '=', userId).select('quota').executeTakeFirstOrThrow();
  // Before anything is written: the credits of an order stay if its plan cannot be bought.
  ensure(quota >= price, 'quota.below_zero');
  const { id } = await trx
    .insertInto('subscriptions')
    .values({
      user_id: userId,
      plan_id: plan.id,
      version_id: versionId,
      status: 'active',
      source,
      renew: purchase.renew && !isFree(source),
      beyond,
      anchor: starts,
      anchor_number: 1,
      period: 1,
      ends: starts,
      request_key: requestKey,
      created_time: now,
      updated_time: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await trx.updateTable('users').set({ has_limits: true }).where('id', '=', userId).execute();
  await openPeriod(trx, { id, user_id: userId, anchor: starts, anchor_number: 1 }, version, {
    number: 1,
    price,
    rolledOver: 0,
    actorId: purchase.actorId,
    now,
  });
  return id;
}

/** Buys the plan of a paid order from its credits. They stay on the balance if it is not on sale any more. */
export async function buyOrdered(
  trx: Trx,
  order: Pick<Selectable<Tables['orders']>, 'user_id' | 'trade_no' | 'plan_version_id'>,
  now: number,
): Promise<void> {
  const { user_id: userId, trade_no, plan_version_id: versionId } = order;
  if (versionId === null) return;
  const wishes = { start: 'now', renew: true, beyond: true, source: 'order' } as const;
  try {
    await buyPlan(trx, { userId, actorId: userId, versionId, requestKey: `order:${trade_no}`, ...wishes, now });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

/** Gives the plan of a redeemed code for one period. Throws the refusals of a purchase. */
export async function giveOfCode(
  trx: Trx,
  { userId, planId, codeId, now }: { userId: number; planId: number; codeId: number; now: number },
): Promise<void> {
  const versionId = await currentVersion(trx, planId, now);
  ensure(versionId !== undefined, 'plan.off', { field: 'key' });
  const wishes = { start: 'now', renew: false, beyond: true, source: 'code' } as const;
  await buyPlan(trx, { userId, actorId: userId, versionId, requestKey: `code:${codeId}`, ...wishes, now });
}

/** Throws `plan.off` and `plan.changed` for a version that an order cannot buy, and `quota.below_zero` for too small a sum. */
export async function ensureOrderable(
  db: Kysely<Tables>,
  { userId, versionId, credits, now }: { userId: number; versionId: number; credits: number; now: number },
): Promise<void> {
  const version = await versionOf(db, versionId);
  const field = 'plan_version_id';
  const plan = await db.selectFrom('plans').where('id', '=', version.plan_id).select('enabled').executeTakeFirst();
  ensure(plan?.enabled, 'plan.off', { field });
  ensure((await currentVersion(db, version.plan_id, now)) === versionId, 'plan.changed', { field });
  const { quota } = await db.selectFrom('users').where('id', '=', userId).select('quota').executeTakeFirstOrThrow();
  ensure(credits + quota >= version.terms.price, 'quota.below_zero', { field: 'amount' });
}

interface NewPeriod {
  number: number;
  price: number;
  rolledOver: number;
  actorId: number;
  now: number;
}

/** Pays and grants one period of a subscription, at most once. Throws `quota.below_zero`. */
async function openPeriod(
  trx: Trx,
  subscription: Pick<SubscriptionRow, 'id' | 'user_id' | 'anchor' | 'anchor_number'>,
  { id: versionId, terms }: SoldVersion,
  { number, price, rolledOver, actorId, now }: NewPeriod,
): Promise<void> {
  const { id, user_id: userId, anchor, anchor_number: from } = subscription;
  const edge = (at: number) =>
    timeAfter(anchor, { unit: terms.unit, count: terms.count * (at - from) }, terms.time_zone);
  const [starts, ends] = [edge(number), edge(number + 1)];
  if (price > 0)
    await post(trx, {
      user_id: userId,
      kind: 'plan',
      credits: -price,
      reference: `plan:${id}:${number}`,
      actor_id: actorId,
      remark: '',
      created_time: now,
    });
  await trx
    .insertInto('subscription_periods')
    .values({
      subscription_id: id,
      number,
      user_id: userId,
      version_id: versionId,
      starts,
      ends,
      usable_until: ends,
      price,
      granted: terms.allowance,
      rolled_over: rolledOver,
      created_time: now,
    })
    .execute();
  await trx
    .updateTable('subscriptions')
    .set({ period: number, ends, version_id: versionId, next_version_id: null, updated_time: now })
    .where('id', '=', id)
    .execute();
}

/**
 * Changes a subscription to another version. One that costs more begins at once, at its full price, with a fresh period
 * to which the rest of the old one is added; any other begins with the next period. Throws `plan.ended` and the refusals of
 * a purchase.
 */
export async function changePlan(
  trx: Trx,
  {
    subscriptionId,
    versionId,
    userId,
    now,
  }: { subscriptionId: number; versionId: number; userId: number; now: number },
): Promise<void> {
  const found = await heldSubscription(trx, subscriptionId, userId);
  ensure(found.status === 'active', 'plan.ended', { field: 'id' });
  const before = await versionOf(trx, found.version_id);
  const version = await versionOf(trx, versionId);
  if (found.version_id === versionId) {
    // Taking back a planned change; a repeated one has happened.
    await trx.updateTable('subscriptions').set({ next_version_id: null }).where('id', '=', found.id).execute();
    return;
  }
  const plan = await lockedPlan(trx, version.plan_id);
  ensure(plan.enabled, 'plan.off', { field: 'version_id' });
  ensure((await currentVersion(trx, plan.id, now)) === versionId, 'plan.changed', { field: 'version_id' });
  if (version.terms.price <= before.terms.price) {
    await trx
      .updateTable('subscriptions')
      .set({ next_version_id: versionId, updated_time: now })
      .where('id', '=', found.id)
      .execute();
    return;
  }
  const rolledOver = await closePeriod(trx, found, now);
  const number = found.period + 1;
  await trx
    .updateTable('subscriptions')
    .set({ plan_id: plan.id, anchor: now, anchor_number: number })
    .where('id', '=', found.id)
    .execute();
  await openPeriod(trx, { ...found, anchor: now, anchor_number: number }, version, {
    number,
    price: version.terms.price,
    rolledOver,
    actorId: userId,
    now,
  });
}

/**
 * Takes the rest out of the current period and closes it for new calls; running calls settle to it. Returns the
 * credits; 0 for an allowance without a limit.
 */
async function closePeriod(trx: Trx, { id, period, user_id: userId }: SubscriptionRow, now: number): Promise<number> {
  const row = await trx
    .selectFrom('subscription_periods')
    .where('subscription_id', '=', id)
    .where('number', '=', period)
    .selectAll()
    .executeTakeFirstOrThrow();
  await trx.updateTable('subscription_periods').set({ closed: true }).where('id', '=', row.id).execute();
  if (row.granted === null || row.closed || row.usable_until <= now) return 0;
  const key = { scope: planScope(row.id), name: PLAN_TOTAL, starts: row.starts };
  const counter = await trx
    .selectFrom('limit_counters')
    .where('scope', '=', key.scope)
    .where('name', '=', key.name)
    .where('starts', '=', key.starts)
    .select(['used', 'held'])
    .executeTakeFirst();
  const rest = Math.max(0, row.granted + row.rolled_over - (counter?.used ?? 0) - (counter?.held ?? 0));
  if (rest === 0) return 0;
  // Counted as used, so that a running call that costs more finds no room.
  await trx
    .insertInto('limit_counters')
    .values({ ...key, ends: row.ends, used: rest, held: 0, user_id: userId, token_id: 0 })
    .onConflict((conflict) =>
      conflict
        .columns(['scope', 'name', 'starts'])
        .doUpdateSet(({ eb, ref }) => ({ used: eb(ref('limit_counters.used'), '+', rest) })),
    )
    .execute();
  await trx.updateTable('subscription_periods').set({ moved: rest }).where('id', '=', row.id).execute();
  return rest;
}

/** The lower of the unused share of a period's allowance and of its time, of its price. */
export function refundOf(
  period: Pick<
    Selectable<Tables['subscription_periods']>,
    'starts' | 'ends' | 'price' | 'granted' | 'refunded' | 'closed'
  >,
  used: number,
  now: number,
): number {
  const { starts, ends, price, granted, refunded, closed } = period;
  if (price === 0 || refunded > 0 || closed || now >= ends) return 0;
  const share = (part: number, whole: number) => Number((BigInt(price) * BigInt(part)) / BigInt(whole));
  const byTime = now <= starts ? price : share(ends - now, ends - starts);
  if (granted === null) return byTime;
  return Math.min(byTime, granted === 0 ? 0 : share(Math.max(0, granted - used), granted));
}

/** Ends a subscription and returns the lower of its unused time and use to the balance. Throws `plan.ended`. */
export async function refundPlan(
  trx: Trx,
  { subscriptionId, actorId, now }: { subscriptionId: number; actorId: number; now: number },
): Promise<void> {
  const found = await heldSubscription(trx, subscriptionId);
  ensure(found.status !== 'ended', 'plan.ended', { field: 'id' });
  const row = await trx
    .selectFrom('subscription_periods')
    .where('subscription_id', '=', found.id)
    .where('number', '=', found.period)
    .selectAll()
    .executeTakeFirstOrThrow();
  const counter = await trx
    .selectFrom('limit_counters')
    .where('scope', '=', planScope(row.id))
    .where('name', '=', PLAN_TOTAL)
    .select(({ eb }) => eb('used', '+', eb.ref('held')).as('used'))
    .executeTakeFirst();
  const credits = refundOf(row, counter?.used ?? 0, now);
  await closePeriod(trx, found, now);
  await end(trx, found.id, now);
  if (credits === 0) return;
  await trx.updateTable('subscription_periods').set({ refunded: credits }).where('id', '=', row.id).execute();
  await post(trx, {
    user_id: found.user_id,
    kind: 'refund',
    credits,
    reference: `plan-refund:${found.id}:${found.period}`,
    actor_id: actorId,
    remark: '',
    created_time: now,
  });
}

/** `renewed`, `ended`, or `waiting`: the balance does not cover it, and its grace lasts. */
type Renewal = 'renewed' | 'ended' | 'waiting' | 'not_due';

/**
 * Renews a subscription whose period is over, or ends it. Periods that are wholly over, because no node ran, are neither
 * charged nor granted. Recall the account's credits before, so that the renewal finds them.
 */
export async function renewPlan(trx: Trx, subscriptionId: number, now: number): Promise<Renewal> {
  const found = await heldSubscription(trx, subscriptionId);
  if (found.status === 'ended' || found.ends > now) return 'not_due';
  const { quota, deleted_time: deleted } = await trx
    .selectFrom('users')
    .where('id', '=', found.user_id)
    .select(['quota', 'deleted_time'])
    .executeTakeFirstOrThrow();
  // Nothing is charged while an operator has paused it.
  if (found.status === 'paused' && found.renew && deleted === null) return 'not_due';
  if (!found.renew || deleted !== null) {
    await end(trx, found.id, now);
    return 'ended';
  }
  const version = await versionOf(trx, found.next_version_id ?? found.version_id);
  const { terms } = version;
  const changes = found.next_version_id !== null;
  // The lengths of another version begin where the last period of the old one ends.
  const from = changes ? { anchor: found.ends, anchor_number: found.period + 1 } : found;
  const endOf = (number: number) =>
    timeAfter(
      from.anchor,
      { unit: terms.unit, count: terms.count * (number + 1 - from.anchor_number) },
      terms.time_zone,
    );
  let number = found.period + 1;
  while (endOf(number) <= now) number++;
  if (quota < terms.price) {
    const usableUntil = found.ends + (await versionOf(trx, found.version_id)).terms.grace_days * DAY_S;
    if (now >= usableUntil) {
      await end(trx, found.id, now);
      return 'ended';
    }
    await trx
      .updateTable('subscription_periods')
      .set({ usable_until: usableUntil })
      .where('subscription_id', '=', found.id)
      .where('number', '=', found.period)
      .execute();
    return 'waiting';
  }
  await trx
    .updateTable('subscriptions')
    .set({ plan_id: version.plan_id, anchor: from.anchor, anchor_number: from.anchor_number })
    .where('id', '=', found.id)
    .execute();
  // A grace ends with the renewal.
  await trx
    .updateTable('subscription_periods')
    .set(({ ref }) => ({ usable_until: ref('ends') }))
    .where('subscription_id', '=', found.id)
    .where('number', '=', found.period)
    .execute();
  await openPeriod(trx, { ...found, ...from }, version, {
    number,
    price: terms.price,
    rolledOver: 0,
    actorId: found.user_id,
    now,
  });
  return 'renewed';
}

const end = (trx: Trx, id: number, now: number) =>
  trx
    .updateTable('subscriptions')
    .set({ status: 'ended', renew: false, next_version_id: null, updated_time: now })
    .where('id', '=', id)
    .execute();

/** A subscription, after its account was locked. Throws `record.not_found`, also for that of another account. */
export async function heldSubscription(trx: Trx, id: number, userId?: number): Promise<SubscriptionRow> {
  const owner = await trx.selectFrom('subscriptions').where('id', '=', id).select('user_id').executeTakeFirst();
  ensure(owner && (userId === undefined || owner.user_id === userId), 'record.not_found', { field: 'id' });
  await holdAccounts(trx, [owner.user_id]);
  return trx.selectFrom('subscriptions').where('id', '=', id).selectAll().executeTakeFirstOrThrow();
}

async function versionOf(trx: Kysely<Tables>, id: number): Promise<SoldVersion> {
  const row = await trx
    .selectFrom('plan_versions')
    .where('id', '=', id)
    .select(['id', 'plan_id', 'terms'])
    .executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'version_id' });
  return row;
}

/** Accounts are locked before plans. */
async function lockedPlan(trx: Trx, id: number) {
  const plan = trx.selectFrom('plans').where('id', '=', id).selectAll();
  return locked(plan, trx).executeTakeFirstOrThrow();
}

async function currentVersion(trx: Kysely<Tables>, planId: number, now: number): Promise<number | undefined> {
  const row = await trx
    .selectFrom('plan_versions')
    .where('plan_id', '=', planId)
    .where('valid_from', '<=', now)
    .select('id')
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

async function ensureFew(
  trx: Trx,
  userId: number,
  {
    id,
    most_active,
    most_total,
    stock,
  }: Pick<Tables['plans'], 'most_active' | 'most_total' | 'stock'> & { id: number },
): Promise<void> {
  const counts = await trx
    .selectFrom('subscriptions')
    .where('plan_id', '=', id)
    .select(({ fn, eb }) => [
      fn.count<number>(eb.case().when('status', '<>', 'ended').then(1).end()).as('active'),
      fn.count<number>(eb.case().when('user_id', '=', userId).then(1).end()).as('own'),
      fn
        .count<number>(
          eb
            .case()
            .when(eb.and([eb('user_id', '=', userId), eb('status', '<>', 'ended')]))
            .then(1)
            .end(),
        )
        .as('ownActive'),
    ])
    .executeTakeFirstOrThrow();
  ensure(most_active === 0 || counts.ownActive < most_active, 'plan.too_many', { limit: most_active });
  ensure(most_total === 0 || counts.own < most_total, 'plan.too_many', { limit: most_total });
  ensure(stock === null || counts.active < stock, 'plan.sold_out');
}

async function lastEnd(trx: Trx, userId: number, planId: number): Promise<number> {
  const { ends } = await trx
    .selectFrom('subscriptions')
    .where('user_id', '=', userId)
    .where('plan_id', '=', planId)
    .where('status', '<>', 'ended')
    .select(({ fn }) => fn.max<number | null>('ends').as('ends'))
    .executeTakeFirstOrThrow();
  return ends ?? 0;
}

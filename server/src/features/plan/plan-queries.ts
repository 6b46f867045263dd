import {
  type LimitUse,
  PLAN_COST,
  PLAN_TOTAL,
  type Plan,
  type PlanOffer,
  type PlanTerms,
  type Subscription,
} from '@relay-hub/contract';
import { type Kysely, sql } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { planCaps } from '#live/caller-plans.ts';
import { limitUses } from '#live/cap-use.ts';
import { refundOf } from './plan-money.ts';

type PlanFields = Pick<Plan, 'enabled' | 'sort' | 'names' | 'descriptions' | 'most_active' | 'most_total' | 'stock'>;
type PlanInput = PlanFields & { terms: PlanTerms };

/** Plans, each with its version in force at `now`. */
const withVersion = (db: Db, now: number) =>
  db
    .selectFrom('plans')
    .innerJoin('plan_versions as version', (join) =>
      join.onRef('version.plan_id', '=', 'plans.id').on(({ eb, selectFrom }) =>
        eb(
          'version.number',
          '=',
          selectFrom('plan_versions as other')
            .whereRef('other.plan_id', '=', 'plans.id')
            .where('other.valid_from', '<=', now)
            .select(({ fn }) => fn.max('other.number').as('number')),
        ),
      ),
    )
    .selectAll('plans')
    .select(['version.id as version_id', 'version.number as version', 'version.terms']);

/** Plans with their subscribers and results; `id`: this one. */
export async function listPlans(db: Db, now: number, id?: number): Promise<Plan[]> {
  const plans = await withVersion(db, now)
    .$if(id !== undefined, (query) => query.where('plans.id', '=', id ?? 0))
    .orderBy('plans.sort')
    .orderBy('plans.id')
    .execute();
  const sold = await db
    .selectFrom('subscriptions')
    .groupBy('plan_id')
    .select(({ fn, eb }) => [
      'plan_id',
      fn.countAll<number>().as('sold'),
      fn.count<number>(eb.case().when('status', '<>', 'ended').then(1).end()).as('active'),
    ])
    .execute();
  const paid = await db
    .selectFrom('subscription_periods as period')
    .innerJoin('plan_versions as version', 'version.id', 'period.version_id')
    .groupBy('version.plan_id')
    .select(({ fn, eb, ref }) => [
      'version.plan_id',
      fn.sum<number>(eb(ref('period.price'), '-', ref('period.refunded'))).as('revenue'),
      fn.sum<number>('period.moved').as('moved'),
    ])
    .execute();
  const used = await db
    .selectFrom('limit_counters as counter')
    .innerJoin('subscription_periods as period', (join) =>
      join.on('counter.scope', '=', sql<string>`'p' || ${sql.ref('period.id')}`),
    )
    .innerJoin('plan_versions as version', 'version.id', 'period.version_id')
    .where('counter.name', 'in', [PLAN_TOTAL, PLAN_COST])
    .groupBy(['version.plan_id', 'counter.name'])
    .select(({ fn }) => ['version.plan_id', 'counter.name', fn.sum<number>('counter.used').as('used')])
    .execute();
  return plans.map((plan) => {
    const ofPlan = <Row extends { plan_id: number }>(rows: readonly Row[]) =>
      rows.find((row) => row.plan_id === plan.id);
    const sumOf = (name: string) => ofPlan(used.filter((row) => row.name === name))?.used ?? 0;
    return {
      ...plan,
      active: ofPlan(sold)?.active ?? 0,
      sold: ofPlan(sold)?.sold ?? 0,
      revenue: ofPlan(paid)?.revenue ?? 0,
      used: sumOf(PLAN_TOTAL) - (ofPlan(paid)?.moved ?? 0),
      cost: sumOf(PLAN_COST),
    };
  });
}

/** Throws `record.not_found`. */
export async function getPlan(db: Db, id: number, now: number): Promise<Plan> {
  const [plan] = await listPlans(db, now, id);
  ensure(plan, 'record.not_found', { field: 'id' });
  return plan;
}

/** Plans on sale, with how many are left. */
export async function offersOf(db: Db, now: number): Promise<PlanOffer[]> {
  const plans = await withVersion(db, now)
    .where('plans.enabled', '=', true)
    .select(({ selectFrom }) =>
      selectFrom('subscriptions')
        .whereRef('subscriptions.plan_id', '=', 'plans.id')
        .where('subscriptions.status', '<>', 'ended')
        .select(({ fn }) => fn.countAll<number>().as('active'))
        .as('active'),
    )
    .orderBy('plans.sort')
    .orderBy('plans.id')
    .execute();
  return plans.map(({ stock, active, ...plan }) => ({
    ...plan,
    left: stock === null ? null : Math.max(0, stock - (active ?? 0)),
  }));
}

const columnsOf = ({ names, descriptions, ...fields }: PlanFields) => ({
  ...fields,
  names: JSON.stringify(names),
  descriptions: JSON.stringify(descriptions),
});

export const createPlan = (db: Kysely<Tables>, { terms, ...fields }: PlanInput, now: number): Promise<number> =>
  db.transaction().execute(async (trx) => {
    const { id } = await trx
      .insertInto('plans')
      .values({ ...columnsOf(fields), created_time: now, updated_time: now })
      .returning('id')
      .executeTakeFirstOrThrow();
    await trx
      .insertInto('plan_versions')
      .values({ plan_id: id, number: 1, valid_from: now, terms: JSON.stringify(terms), created_time: now })
      .execute();
    return id;
  });

/** Updates a plan; other terms are a new version. */
export const updatePlan = (
  db: Kysely<Tables>,
  id: number,
  { terms, ...fields }: PlanInput,
  now: number,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const updated = await trx
      .updateTable('plans')
      .set({ ...columnsOf(fields), updated_time: now })
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst();
    ensure(updated, 'record.not_found', { field: 'id' });
    const { number, terms: before } = await trx
      .selectFrom('plan_versions')
      .where('plan_id', '=', id)
      .select(['number', 'terms'])
      .orderBy('number', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow();
    if (isSame(before, terms)) return;
    await trx
      .insertInto('plan_versions')
      .values({ plan_id: id, number: number + 1, valid_from: now, terms: JSON.stringify(terms), created_time: now })
      .execute();
  });

const isSame = (a: PlanTerms, b: PlanTerms): boolean => canonical(a) === canonical(b);
const canonical = (terms: PlanTerms): string =>
  JSON.stringify(Object.entries(terms).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** Throws `plan.sold` if anyone has bought it. */
export const removePlan = (db: Kysely<Tables>, id: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const plan = await trx.deleteFrom('plans').where('id', '=', id).returning('id').executeTakeFirst();
    ensure(plan, 'record.not_found', { field: 'id' });
    const sold = await trx
      .selectFrom('subscriptions')
      .where('plan_id', '=', id)
      .select('id')
      .limit(1)
      .executeTakeFirst();
    ensure(!sold, 'plan.sold', { field: 'id' });
    await trx.deleteFrom('plan_versions').where('plan_id', '=', id).execute();
  });

const MOST_SHOWN = 500;

/** Subscriptions with the use of their present period, newest first. */
export async function subscriptionsOf(
  db: Db,
  where: { userId?: number; planId?: number; id?: number; isOpen?: true },
  now: number,
): Promise<Subscription[]> {
  const { userId, planId, id, isOpen } = where;
  let query = db
    .selectFrom('subscriptions as s')
    .innerJoin('plans', 'plans.id', 's.plan_id')
    .innerJoin('users', 'users.id', 's.user_id')
    .innerJoin('plan_versions as version', 'version.id', 's.version_id')
    .innerJoin('subscription_periods as period', (join) =>
      join.onRef('period.subscription_id', '=', 's.id').onRef('period.number', '=', 's.period'),
    );
  if (userId !== undefined) query = query.where('s.user_id', '=', userId);
  if (planId !== undefined) query = query.where('s.plan_id', '=', planId);
  if (id !== undefined) query = query.where('s.id', '=', id);
  if (isOpen) query = query.where('s.status', '<>', 'ended');
  const rows = await query
    .select(['s.id', 's.user_id', 'users.username', 's.plan_id', 'plans.names', 's.version_id'])
    .select(['version.number as version', 'version.terms', 's.status', 's.source', 's.renew', 's.beyond'])
    .select(['s.next_version_id', 's.period', 's.created_time', 'period.id as periodId', 'period.starts'])
    .select(['period.ends', 'period.usable_until', 'period.price', 'period.rolled_over', 'period.granted'])
    .select(['period.refunded', 'period.closed'])
    .orderBy('s.id', 'desc')
    .limit(MOST_SHOWN)
    .execute();
  const caps = rows.map((row) => planCaps({ ...row, id: row.periodId }));
  const uses = await limitUses(
    db,
    caps.flatMap((list) => list.filter(({ name }) => name !== PLAN_COST)),
    now,
  );
  let at = 0;
  return rows.map(({ granted, refunded, closed, ...row }, index): Subscription => {
    const count = (caps[index]?.length ?? 1) - 1;
    const use: LimitUse[] = uses.slice(at, (at += count));
    const used = use[0]?.used ?? 0;
    const period = { ...row, granted, refunded, closed };
    return { ...row, use, refundable: row.status === 'ended' ? 0 : refundOf(period, used, now) };
  });
}

/** Throws `record.not_found`. */
export async function getSubscription(db: Db, id: number, now: number): Promise<Subscription> {
  const [found] = await subscriptionsOf(db, { id }, now);
  ensure(found, 'record.not_found', { field: 'id' });
  return found;
}

import type { AttemptKind } from '@relay-hub/contract';
import { sql } from 'kysely';
import type { Db } from '#db/tables.ts';
import type { UsageSums } from '#db/tables/roll-ups.ts';
import { isModel } from '#roll-ups/usage-scope.ts';
import { hoursByDay, type ActivityPeriod } from './activity-period.ts';

const summed = [
  'request_count',
  'failed_count',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'cache_input',
  'cache_read',
  'cache_saved',
  'cost',
  'costed',
] as const;

/** Usage in one hour of a model, or of a channel if the usage of one model is read. */
export interface HourUsage extends Pick<UsageSums, (typeof summed)[number]> {
  hour: number;
  key: string;
}

const sums = summed.map((name) => sql<number>`sum(${sql.ref(name)})`.as(name));

/** Usage of a channel by model, from the roll-ups. Hours are named one by one, so that the key finds each of them. */
export async function usageOfChannel(db: Db, channelId: number, period: ActivityPeriod): Promise<HourUsage[]> {
  const rows: HourUsage[] = [];
  for (const hours of hoursByDay(period))
    rows.push(
      ...(await db
        .selectFrom('usage_by_channel')
        .where('hour', 'in', hours)
        .where('channel_id', '=', channelId)
        .select(['hour', 'model_name as key', ...summed])
        .execute()),
    );
  return rows;
}

/** Usage of a user by model, from the roll-ups. */
export const usageOfUser = (db: Db, userId: number, { from, until }: ActivityPeriod): Promise<HourUsage[]> =>
  db
    .selectFrom('usage_by_user')
    .where('user_id', '=', userId)
    .where('hour', '>=', from)
    .where('hour', '<', until)
    .select(['hour', 'model_name as key', ...summed])
    .execute();

/** Usage of a model, or of all with a prefix such as `gpt-4*`, by channel. Reads one day at a time. */
export async function usageOfModel(db: Db, model: string, period: ActivityPeriod): Promise<HourUsage[]> {
  const rows: HourUsage[] = [];
  for (const hours of hoursByDay(period))
    rows.push(
      ...(await db
        .selectFrom('usage_by_channel')
        .where('hour', '>=', hours[0] ?? 0)
        .where('hour', '<=', hours.at(-1) ?? 0)
        .where(isModel(model))
        .groupBy(['hour', 'channel_id'])
        .select(['hour', sql<string>`cast(channel_id as text)`.as('key'), ...sums])
        .execute()),
    );
  return rows;
}

/** Usage of a token by model, from the roll-ups. */
export const usageOfToken = (
  db: Db,
  token: { id: number; user_id: number },
  { from, until }: ActivityPeriod,
): Promise<HourUsage[]> =>
  db
    .selectFrom('usage_by_token')
    .where('user_id', '=', token.user_id)
    .where('token_id', '=', token.id)
    .where('hour', '>=', from)
    .where('hour', '<', until)
    .select(['hour', 'model_name as key', ...summed])
    .execute();

/** Attempts at a channel by key, most first. */
export async function attemptsByKey(
  db: Db,
  channelId: number,
  { from, until }: ActivityPeriod,
): Promise<{ id: number; requests: number; failures: number }[]> {
  const rows = await db
    .selectFrom('attempts_by_key')
    .where('channel_id', '=', channelId)
    .where('hour', '>=', from)
    .where('hour', '<', until)
    .groupBy('key_id')
    .select(({ fn }) => [
      'key_id as id',
      fn.sum<number>('attempts').as('requests'),
      fn.sum<number>('failures').as('failures'),
    ])
    .execute();
  return rows.toSorted((a, b) => b.requests - a.requests || a.id - b.id);
}

export interface HourAttempts {
  hour: number;
  kind: AttemptKind;
  attempts: number;
}

/** Attempts at a channel by kind, without those that failed because of the request or the caller. */
export async function attemptsOfChannel(db: Db, channelId: number, period: ActivityPeriod): Promise<HourAttempts[]> {
  const rows: HourAttempts[] = [];
  for (const hours of hoursByDay(period))
    rows.push(
      ...(await db
        .selectFrom('attempts_by_channel')
        .where('hour', 'in', hours)
        .where('channel_id', '=', channelId)
        .where('kind', 'not in', ['request', 'caller'])
        .select(['hour', 'kind', 'attempts'])
        .execute()),
    );
  return rows;
}

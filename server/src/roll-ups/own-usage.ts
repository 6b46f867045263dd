import { thousandthsOf, type Usage, completionTokens, inputTokens } from '@relay-hub/contract';
import type { Selectable } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import { hourOf } from './usage-scope.ts';

/** A request of a test or check of a channel. */
export interface OwnCall {
  channelId: number;
  model: string;
  failed: boolean;
  /** Undefined: not reported. */
  usage: Usage | undefined;
  /** Credits as decimal text; undefined: unknown. */
  cost: string | undefined;
}

/** Adds a request of a test or check to the sums of its hour. */
export async function addOwnCall(db: Db, { channelId, model, failed, usage, cost }: OwnCall, now: number) {
  const sums = {
    calls: 1,
    failed: failed ? 1 : 0,
    prompt_tokens: usage ? inputTokens(usage) : 0,
    completion_tokens: usage ? completionTokens(usage) : 0,
    cost: cost === undefined ? 0 : thousandthsOf(cost),
    unknown: cost === undefined ? 1 : 0,
  };
  await db
    .insertInto('own_usage')
    .values({ hour: hourOf(now), channel_id: channelId, model_name: model, ...sums })
    .onConflict((conflict) =>
      conflict.columns(['channel_id', 'hour', 'model_name']).doUpdateSet((eb) => ({
        calls: eb('own_usage.calls', '+', sums.calls),
        failed: eb('own_usage.failed', '+', sums.failed),
        prompt_tokens: eb('own_usage.prompt_tokens', '+', sums.prompt_tokens),
        completion_tokens: eb('own_usage.completion_tokens', '+', sums.completion_tokens),
        cost: eb('own_usage.cost', '+', sums.cost),
        unknown: eb('own_usage.unknown', '+', sums.unknown),
      })),
    )
    .execute();
}

/** Sums of tests and checks by hour and model; of all channels if none are named. */
export async function ownUsage(
  db: Db,
  { channels, from, until }: { channels?: readonly number[] | undefined; from: number; until: number },
): Promise<Omit<Selectable<Tables['own_usage']>, 'channel_id'>[]> {
  const query = db.selectFrom('own_usage').where('hour', '>=', from).where('hour', '<', until);
  const rows = channels ? query.where('channel_id', 'in', channels) : query;
  return rows
    .orderBy('hour')
    .orderBy('model_name')
    .select(['hour', 'model_name', 'calls', 'failed', 'prompt_tokens', 'completion_tokens', 'cost', 'unknown'])
    .execute();
}

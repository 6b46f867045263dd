import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { isPostgres } from '../dialect-differences.ts';

const sums = ['failed', 'quota', 'prompt_tokens', 'completion_tokens', 'cached_tokens', 'request_time', 'model_name'];

/** Calls, refused calls and their sums are found by token (decision 0066). */
export async function up(db: Kysely<never>): Promise<void> {
  const { schema } = db;
  const time = isPostgres(db) ? ['created_at', 'id'] : ['created_at'];
  await schema
    .createIndex('logs_token')
    .on('logs')
    .columns(['token_id', ...time])
    .execute();
  // As the other indexes of failed calls, it contains their sums.
  await schema
    .createIndex('logs_failed_token')
    .on('logs')
    .columns(['token_id', 'created_at', 'id', ...sums])
    .where(sql<boolean>`failed`)
    .execute();
  await schema
    .createIndex('refusals_token')
    .on('refusals')
    .columns(['token_id', ...time])
    .execute();
  await schema.createIndex('usage_by_token_token').on('usage_by_token').columns(['token_id', 'hour']).execute();
  await schema
    .createIndex('usage_days_by_token_token')
    .on('usage_days_by_token')
    .columns(['token_id', 'day_start'])
    .execute();
}

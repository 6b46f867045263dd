import type { AttemptKind, LogMetadata } from '@relay-hub/contract';
import type { Insertable, Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { attemptsIn } from '#quota/attempt-kinds.ts';

export type LogTableRow = Insertable<Tables['logs']>;

/** A minimal log row. */
export function logRow(
  more: Partial<LogTableRow> & Pick<LogTableRow, 'request_id' | 'user_id' | 'created_at'>,
): LogTableRow {
  return {
    type: 2,
    content: '',
    username: `user-${more.user_id}`,
    token_id: 1,
    token_name: 'main',
    model_name: 'gpt-4o',
    quota: 1,
    prompt_tokens: 1,
    completion_tokens: 1,
    cached_tokens: 0,
    channel_id: 1,
    request_time: 10,
    is_stream: false,
    source_ip: '10.0.0.1',
    failed: false,
    metadata: null,
    ...more,
  };
}

const ROWS_A_STATEMENT = 200;
const CONSUME = 2; // log type of the wire format

/** Inserts rows and their roll-ups directly; balances do not change. */
export async function insertLogs(db: Kysely<Tables>, rows: readonly LogTableRow[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (let at = 0; at < rows.length; at += ROWS_A_STATEMENT)
      await trx
        .insertInto('logs')
        .values(rows.slice(at, at + ROWS_A_STATEMENT))
        .execute();
    const sums = sql`count(*), sum(case when failed then 1 else 0 end), sum(quota), sum(prompt_tokens),
      sum(completion_tokens), sum(cached_tokens), sum(request_time)`;
    for (const [table, owner] of [
      ['usage_by_user', 'user_id'],
      ['usage_by_channel', 'channel_id'],
    ] as const) {
      await trx.deleteFrom(table).execute();
      await sql`insert into ${sql.table(table)} (${sql.ref(owner)}, hour, model_name, request_count, failed_count, quota,
          prompt_tokens, completion_tokens, cached_tokens, request_time)
        select ${sql.ref(owner)}, created_at - created_at % 3600, model_name, ${sums}
        from logs where type = 2 and ${sql.ref(owner)} <> 0 group by 1, 2, 3`.execute(trx);
    }
    for (const attempts of attemptsOf(rows))
      await trx
        .insertInto('attempts_by_channel')
        .values(attempts)
        .onConflict((on) =>
          on.columns(['hour', 'channel_id', 'kind']).doUpdateSet((eb) => ({
            attempts: eb('attempts_by_channel.attempts', '+', eb.ref('excluded.attempts')),
          })),
        )
        .execute();
  });
}

/** Attempts by channel and hour, as the book counts them. */
export function attemptsOf(rows: readonly LogTableRow[]): Tables['attempts_by_channel'][] {
  const counts = new Map<string, Tables['attempts_by_channel']>();
  const add = (hour: number, channelId: number, kind: AttemptKind) => {
    const key = `${hour} ${channelId} ${kind}`;
    const known = counts.get(key);
    if (known) known.attempts++;
    else counts.set(key, { hour, channel_id: channelId, kind, attempts: 1 });
  };
  for (const { type, channel_id: channelId, created_at: at, failed, metadata } of rows) {
    if (type !== CONSUME) continue;
    const { attempts } = JSON.parse(metadata ?? '{}') as LogMetadata;
    for (const [id, kind] of attemptsIn({ channelId, failed, attempts })) add(at - (at % 3600), id, kind);
  }
  return [...counts.values()];
}

import type { AttemptKind, LogMetadata } from '@relay-hub/contract';
import type { Insertable, Kysely } from 'kysely';
import { sql } from 'kysely';
import { speedsOf } from '#db/speed-buckets.ts';
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
    for (const [table, owner, more] of [
      ['usage_by_user', 'user_id', 'user_id'],
      ['usage_by_channel', 'channel_id', 'channel_id'],
      ['usage_by_token', 'user_id', 'token_id'],
    ] as const) {
      await trx.deleteFrom(table).execute();
      const key = sql.join([...new Set([owner, more])].map((name) => sql.ref(name)));
      await sql`insert into ${sql.table(table)} (hour, model_name, ${key}, request_count, failed_count, quota,
          prompt_tokens, completion_tokens, cached_tokens, request_time)
        select created_at - created_at % 3600, model_name, ${key}, ${sums}
        from logs where type = 2 and ${sql.ref(owner)} <> 0
        group by created_at - created_at % 3600, model_name, ${key}`.execute(trx);
    }
    const { byToken, byChannel, failures } = countsOf(rows);
    await addCounts(trx, 'speeds_by_token', byToken);
    await addCounts(trx, 'speeds_by_channel', byChannel);
    await addCounts(trx, 'failures', failures);
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

/** Histograms and failures of rows, as the book counts them. */
export interface RowCounts {
  byToken: Tables['speeds_by_token'][];
  byChannel: Tables['speeds_by_channel'][];
  failures: Tables['failures'][];
}

/** Counts rows into histograms and failures, one entry per key. */
export function countsOf(rows: readonly LogTableRow[]): RowCounts {
  const byToken = new Map<string, Tables['speeds_by_token']>();
  const byChannel = new Map<string, Tables['speeds_by_channel']>();
  const failures = new Map<string, Tables['failures']>();
  const add = <Row extends { calls: number }>(into: Map<string, Row>, row: Row) => {
    const key = JSON.stringify(row);
    const known = into.get(key);
    if (known) known.calls++;
    else into.set(key, { ...row });
  };
  for (const row of rows) {
    if (row.type !== CONSUME) continue;
    const { user_id, token_id, channel_id, model_name, failed } = row;
    const hour = row.created_at - (row.created_at % 3600);
    const metadata = row.metadata ?? '{}';
    for (const [measure, bucket] of speedsOf({ failed, requestTimeMs: row.request_time, metadata })) {
      add(byToken, { user_id, hour, token_id, model_name, measure, bucket, calls: 1 });
      if (channel_id !== 0 || metadata.includes('"reply_cache"'))
        add(byChannel, { hour, channel_id, model_name, measure, bucket, calls: 1 });
    }
    const { attempts } = JSON.parse(metadata) as LogMetadata;
    const kind = attemptsIn({ channelId: channel_id, failed, attempts }).at(-1)?.[1] ?? 'other';
    if (failed) add(failures, { hour, user_id, token_id, channel_id, model_name, kind, calls: 1 });
  }
  return { byToken: [...byToken.values()], byChannel: [...byChannel.values()], failures: [...failures.values()] };
}

/** Adds counts to those of earlier rows. */
export async function addCounts(
  db: Kysely<Tables>,
  table: 'speeds_by_token' | 'speeds_by_channel' | 'failures',
  rows: readonly ({ calls: number } & object)[],
): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const columns = Object.keys(first);
  const key = sql.join(columns.filter((name) => name !== 'calls').map((name) => sql.ref(name)));
  for (let at = 0; at < rows.length; at += ROWS_A_STATEMENT) {
    const values = rows.slice(at, at + ROWS_A_STATEMENT).map((row) => sql`(${sql.join(Object.values(row))})`);
    await sql`insert into ${sql.table(table)} (${sql.join(columns.map((name) => sql.ref(name)))})
      values ${sql.join(values)}
      on conflict (${key}) do update set calls = ${sql.ref(`${table}.calls`)} + excluded.calls`.execute(db);
  }
}

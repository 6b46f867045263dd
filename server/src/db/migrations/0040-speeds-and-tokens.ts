import type { CreateTableBuilder, Kysely, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { inPrimaryKey } from '../dialect-differences.ts';

const usageSums = [
  'request_count',
  'failed_count',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'request_time',
];
const HOUR_S = 3600;
/** Rows of the log that are read for the time before the update: seconds of work, however long the log is. */
const MOST_ROWS = 1_000_000;
const ROWS_AT_ONCE = 20_000;

/**
 * Sums by token; histograms of times by channel and by token; failed calls by cause. Filled from the newest log rows,
 * in whole hours. Usage before them counts for token 0, so that sums by token add up to those of their user.
 */
export async function up(db: Kysely<never>): Promise<void> {
  const speed = ['measure', 'bucket'];
  await table(db, 'usage_by_token', ['user_id', 'hour', 'token_id', 'model_name'], usageSums);
  await table(db, 'usage_days_by_token', ['user_id', 'day_start', 'token_id', 'model_name'], usageSums);
  await table(db, 'speeds_by_token', ['user_id', 'hour', 'token_id', 'model_name', ...speed], ['calls']);
  await table(db, 'speed_days_by_token', ['user_id', 'day_start', 'token_id', 'model_name', ...speed], ['calls']);
  await table(db, 'speeds_by_channel', ['hour', 'channel_id', 'model_name', ...speed], ['calls']);
  await table(db, 'speed_days_by_channel', ['day_start', 'channel_id', 'model_name', ...speed], ['calls']);
  await table(db, 'failures', ['hour', 'user_id', 'token_id', 'channel_id', 'model_name', 'kind'], ['calls']);
  await db.schema.createIndex('failures_user').on('failures').columns(['user_id', 'hour']).execute();
  await fill(db);
}

async function table(db: Kysely<never>, name: string, key: string[], sums: string[]): Promise<void> {
  let built: CreateTableBuilder<string, string> = inPrimaryKey(db, db.schema.createTable(name));
  for (const column of key) built = built.addColumn(column, typeOf(column), (c) => c.notNull());
  for (const column of sums) built = built.addColumn(column, 'bigint', (c) => c.notNull());
  await built.addPrimaryKeyConstraint(`${name}_pk`, key).execute();
}

const typeOf = (column: string) =>
  column === 'model_name' || column === 'kind'
    ? 'text'
    : column === 'measure' || column === 'bucket'
      ? 'smallint'
      : 'bigint';

async function fill(db: Kysely<never>): Promise<void> {
  const newest = await sql<{ id: number | null }>`select max(id) as id from logs`.execute(db);
  const last = newest.rows[0]?.id ?? 0;
  const first = Math.max(0, last - MOST_ROWS);
  if (last > 0) {
    // The oldest hour may be cut; its rows are left out.
    const { rows } = await sql<{ at: number | null }>`
      select max(created_at) as at from logs where id <= ${sql.lit(first)} and id > ${sql.lit(first - 1000)}`.execute(
      db,
    );
    const cut = rows[0]?.at ?? null;
    const since = cut === null ? 0 : cut - (cut % HOUR_S) + HOUR_S;
    for (let id = first; id < last; id += ROWS_AT_ONCE)
      await fillFrom(
        db,
        sql`logs where type = 2 and id > ${sql.lit(id)} and id <= ${sql.lit(
          Math.min(last, id + ROWS_AT_ONCE),
        )} and created_at >= ${sql.lit(since)}`,
      );
  }
  await fillRest(db);
  await fillDays(db);
}

const hour = sql`created_at - created_at % ${sql.lit(HOUR_S)}`;
const refs = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)));

async function fillFrom(db: Kysely<never>, rows: RawBuilder<unknown>): Promise<void> {
  const failed = sql`case when failed then 1 else 0 end`;
  const add = (name: string, key: string[], sums: string[]) =>
    sql`on conflict (${refs(key)}) do update set ${sql.join(
      sums.map((sum) => sql`${sql.ref(sum)} = ${sql.ref(`${name}.${sum}`)} + ${sql.ref(`excluded.${sum}`)}`),
    )}`;
  const tokenKey = ['user_id', 'hour', 'token_id', 'model_name'];
  await sql`insert into usage_by_token (${refs([...tokenKey, ...usageSums])})
    select user_id, ${hour}, token_id, model_name, count(*), sum(${failed}), sum(quota), sum(prompt_tokens),
      sum(completion_tokens), sum(cached_tokens), sum(request_time)
    from ${rows} and user_id <> 0 group by 1, 2, 3, 4 ${add('usage_by_token', tokenKey, usageSums)}`.execute(db);
  const failureKey = ['hour', 'user_id', 'token_id', 'channel_id', 'model_name', 'kind'];
  // The cause is in the attempts; only calls from now on have it here.
  await sql`insert into failures (${refs([...failureKey, 'calls'])})
    select ${hour}, user_id, token_id, channel_id, model_name, 'other', count(*)
    from ${rows} and failed group by 1, 2, 3, 4, 5 ${add('failures', failureKey, ['calls'])}`.execute(db);
  const timed = sql`${rows} and not failed and request_time > 0 and metadata is not null`;
  const member = (name: string) => sql`(metadata ->> ${sql.lit(name)})`;
  const sessions = '/v1/realtime';
  const times = [
    { measure: 0, ms: sql`request_time` },
    { measure: 1, ms: sql`cast(${member('first_response')} as bigint)` },
  ];
  for (const { measure, ms } of times)
    for (const [name, owner, key] of [
      ['speeds_by_token', sql`user_id, ${hour}, token_id`, ['user_id', 'hour', 'token_id']],
      ['speeds_by_channel', sql`${hour}, channel_id`, ['hour', 'channel_id']],
    ] as const) {
      const columns = [...key, 'model_name', 'measure', 'bucket'];
      await sql`insert into ${sql.table(name)} (${refs([...columns, 'calls'])})
        select * from (
          select ${owner}, model_name, ${sql.lit(measure)}, ${bucketOf(ms)} as bucket, count(*) as calls
          from ${timed} and ${ms} is not null and ${member('endpoint')} is distinct from ${sql.lit(sessions)}
            and ${sql.ref(name === 'speeds_by_token' ? 'user_id' : 'channel_id')} <> 0
          group by ${sql.join(columns.map((_, at) => sql.lit(at + 1)))}
        ) found where true ${add(name, columns, ['calls'])}`.execute(db);
    }
}

/** The bucket of a time: a search in the bounds, as they were when this was written. */
function bucketOf(ms: RawBuilder<unknown>): RawBuilder<unknown> {
  const bounds: number[] = [];
  for (let bound = 10; bound < 900_000; bound *= 1.2) bounds.push(Math.round(bound));
  bounds.push(900_000);
  const search = (low: number, high: number): RawBuilder<unknown> => {
    if (low === high) return sql.lit(low);
    const middle = (low + high) >> 1;
    return sql`case when ${ms} < ${sql.lit(bounds[middle])} then ${search(low, middle)} else ${search(middle + 1, high)} end`;
  };
  return search(0, bounds.length);
}

/** Usage that no row explains counts for token 0. */
async function fillRest(db: Kysely<never>): Promise<void> {
  const left = usageSums.map((sum) => sql`u.${sql.ref(sum)} - coalesce(t.${sql.ref(sum)}, 0)`);
  await sql`insert into usage_by_token (user_id, hour, token_id, model_name, ${refs(usageSums)})
    select u.user_id, u.hour, 0, u.model_name, ${sql.join(left)}
    from usage_by_user u left join (
      select user_id, hour, model_name, ${sql.join(usageSums.map((sum) => sql`sum(${sql.ref(sum)}) as ${sql.ref(sum)}`))}
      from usage_by_token where token_id <> 0 group by user_id, hour, model_name
    ) t on t.user_id = u.user_id and t.hour = u.hour and t.model_name = u.model_name
    where u.request_count <> coalesce(t.request_count, 0)
    on conflict (user_id, hour, token_id, model_name) do update set ${sql.join(
      usageSums.map((sum) => sql`${sql.ref(sum)} = ${sql.ref(`excluded.${sum}`)}`),
    )}`.execute(db);
}

/** Days that are sealed already get their rows in the new tables. */
async function fillDays(db: Kysely<never>): Promise<void> {
  const token = ['token_id', 'model_name'];
  const speed = ['model_name', 'measure', 'bucket'];
  for (const [days, hours, owner, key, sums] of [
    ['usage_days_by_token', 'usage_by_token', 'user_id', token, usageSums],
    ['speed_days_by_token', 'speeds_by_token', 'user_id', ['token_id', ...speed], ['calls']],
    ['speed_days_by_channel', 'speeds_by_channel', 'channel_id', speed, ['calls']],
  ] as const) {
    const columns = ['day_start', owner, ...key];
    await sql`insert into ${sql.table(days)} (${refs([...columns, ...sums])})
      select ${refs(columns)}, ${sql.join(sums.map((sum) => sql`sum(h.${sql.ref(sum)})`))}
      from ${sql.table(hours)} h join usage_days d
        on d.day_start = (select max(s.day_start) from usage_days s where s.day_start <= h.hour) and h.hour < d.day_end
      group by ${refs(columns)}`.execute(db);
  }
}

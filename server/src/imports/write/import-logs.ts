import { logType } from '@relay-hub/contract';
import { sql, type Insertable, type Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { type OldRow, flagIn, lineIn, OldValueError, proseIn, timeIn, unstorable, wholeIn } from '../old-row.ts';
import type { OldDatabase } from '#imports/sources/old-database.ts';
import type { ImportRun } from './record-rules.ts';

/** Rows per transaction: a broken run loses at most these, and a running server waits for no more. */
const AT_ONCE = 500;
const HOUR_S = 3600;

type LogRow = Insertable<Tables['logs']>;

/** The old programs' type of a failed call (new-api); calls are 2 everywhere. */
const OLD_ERROR = 5;

/**
 * Takes over the calls of the old log with their hourly sums, after those of earlier runs. Rows that are no calls, and
 * calls of users who did not come, stay behind. The ledger is not touched: the opening balance has these charges.
 */
export async function importLogs(run: ImportRun, database: OldDatabase): Promise<void> {
  const { db, source, apply, report } = run;
  const before = await db.selectFrom('imports').where('source', '=', source).select('log_id').executeTakeFirst();
  const tokens = await tokensByName(run);
  let [batch, last, done]: [LogRow[], number, number] = [[], before?.log_id ?? 0, 0];
  const take = async (): Promise<void> => {
    const rows = batch;
    batch = [];
    if (apply) await db.transaction().execute((trx) => writeLogs(trx, source, rows, last));
    report.count('log', 'added', rows.length);
    run.progress('log', (done += rows.length));
  };
  for await (const old of database.rows('logs', last)) {
    const row = readRow(run, old, tokens);
    const id = Number(lineIn(old, 'id', 30));
    if (Number.isSafeInteger(id)) last = Math.max(last, id);
    if (row === 'no call') continue;
    if (row) batch.push(row);
    else report.count('log', 'lost');
    if (batch.length === AT_ONCE) await take();
  }
  await take();
}

function readRow(run: ImportRun, old: OldRow, tokens: TokenIds): LogRow | 'no call' | undefined {
  try {
    const row = rowOf(run, old, tokens);
    const place = unstorable(row);
    if (place !== undefined) throw new OldValueError(`${place} has characters that cannot be stored`);
    return row;
  } catch (error) {
    if (!(error instanceof OldValueError)) throw error;
    run.report.remark('lost', `call ${lineIn(old, 'id', 30)}: ${error.message}`);
    return undefined;
  }
}

/** Undefined: the user did not come. */
function rowOf({ ids, source }: ImportRun, old: OldRow, tokens: TokenIds): LogRow | 'no call' | undefined {
  const type = wholeIn(old, 'type');
  if (type !== logType.consume && type !== OLD_ERROR) return 'no call';
  // One-api marks its channel tests with the number that is an error in new-api.
  const isError = type === OLD_ERROR;
  if (isError && !('use_time' in old)) return 'no call';
  const userId = ids.user.get(wholeIn(old, 'user_id'));
  if (userId === undefined) return undefined;
  const tokenName = lineIn(old, 'token_name', 255);
  const id = wholeIn(old, 'id');
  return {
    request_id: `import-${source}-${id}`,
    user_id: userId,
    created_at: timeIn(old, 'created_at'),
    type: logType.consume,
    content: proseIn(old, 'content', 2000),
    username: lineIn(old, 'username', 255),
    token_id: ids.token.get(wholeIn(old, 'token_id')) ?? tokens.get(`${userId} ${tokenName}`) ?? 0,
    token_name: tokenName,
    model_name: lineIn(old, 'model_name', 255),
    quota: isError ? 0 : figureIn(old, 'quota'),
    prompt_tokens: figureIn(old, 'prompt_tokens'),
    completion_tokens: figureIn(old, 'completion_tokens'),
    cached_tokens: 0,
    channel_id: ids.channel.get(wholeIn(old, 'channel_id')) ?? 0,
    request_time: msOf(old),
    is_stream: flagIn(old, 'is_stream'),
    source_ip: lineIn(old, 'source_ip', 64) || lineIn(old, 'ip', 64),
    failed: isError,
    metadata: null,
  };
}

/** Larger than any call, and small enough for sums of a million of them. */
const MOST_OF_CALL = 10_000_000_000;

function figureIn(old: OldRow, column: string): number {
  const figure = Math.max(0, wholeIn(old, column));
  if (figure > MOST_OF_CALL) throw new OldValueError(`${column} is ${figure}, which is too large`);
  return figure;
}

/** `use_time` of new-api has whole seconds; the others have milliseconds. */
const msOf = (old: OldRow): number =>
  'use_time' in old ? figureIn(old, 'use_time') * 1000 : figureIn(old, 'request_time') || figureIn(old, 'elapsed_time');

type TokenIds = ReadonlyMap<string, number>;

/** Most programs name the token of a call only. The first of several with one name counts. */
async function tokensByName({ db, source }: ImportRun): Promise<TokenIds> {
  const rows = await db
    .selectFrom('import_records')
    .innerJoin('tokens', 'tokens.id', 'import_records.new_id')
    .where('source', '=', source)
    .where('kind', '=', 'token')
    .select(['tokens.id', 'tokens.user_id', 'tokens.name'])
    .orderBy('tokens.id', 'desc')
    .execute();
  return new Map(rows.map(({ id, user_id, name }) => [`${user_id} ${name}`, id]));
}

async function writeLogs(
  trx: Transaction<Tables>,
  source: string,
  rows: readonly LogRow[],
  last: number,
): Promise<void> {
  if (rows.length > 0) await trx.insertInto('logs').values(rows).execute();
  for (const sums of sumsOf(rows, 'user_id', 'token_id')) await addSums(trx, 'usage_by_token', 'user_id', sums);
  for (const sums of sumsOf(
    rows.filter(({ failed }) => failed),
    'user_id',
    'token_id',
    'channel_id',
  ))
    await addFailures(trx, sums);
  for (const [table, owner, kind] of [
    ['usage_by_user', 'user_id', 'user'],
    ['usage_by_channel', 'channel_id', 'channel'],
  ] as const) {
    const owned = rows.filter((row) => row[owner] !== 0);
    for (const sums of sumsOf(owned, owner)) await addSums(trx, table, owner, sums);
    const credits = new Map<number, number>();
    for (const row of owned) credits.set(row[owner], (credits.get(row[owner]) ?? 0) + row.quota);
    for (const [id, sum] of credits)
      await trx
        .updateTable('import_records')
        .set((eb) => ({ logged_quota: eb('logged_quota', '+', sum) }))
        .where('source', '=', source)
        .where('kind', '=', kind)
        .where('new_id', '=', id)
        .execute();
  }
  await trx.updateTable('imports').set({ log_id: last }).where('source', '=', source).execute();
}

const sumNames = [
  'request_count',
  'failed_count',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'request_time',
] as const;

interface HourSums {
  owner: number;
  /** Only of sums by token and by channel. */
  tokenId: number;
  channelId: number;
  hour: number;
  model: string;
  sums: number[];
}

function sumsOf(
  rows: readonly LogRow[],
  owner: 'user_id' | 'channel_id',
  ...more: ('token_id' | 'channel_id')[]
): HourSums[] {
  const found = new Map<string, HourSums>();
  for (const row of rows) {
    const hour = row.created_at - (row.created_at % HOUR_S);
    const [tokenId, channelId] = (['token_id', 'channel_id'] as const).map((name) =>
      more.includes(name) ? row[name] : 0,
    );
    const key = [row[owner], hour, row.model_name, tokenId, channelId].join(' ');
    const entry = found.get(key) ?? {
      owner: row[owner],
      tokenId: tokenId ?? 0,
      channelId: channelId ?? 0,
      hour,
      model: row.model_name,
      sums: sumNames.map(() => 0),
    };
    const { quota, prompt_tokens, completion_tokens, request_time } = row;
    const added = [1, Number(row.failed), quota, prompt_tokens, completion_tokens, 0, request_time];
    found.set(key, { ...entry, sums: entry.sums.map((sum, i) => sum + (added[i] ?? 0)) });
  }
  // In one order, as batches of calls write them, so that they cannot wait for each other.
  return [...found.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sums]) => sums);
}

async function addSums(
  trx: Transaction<Tables>,
  table: 'usage_by_user' | 'usage_by_channel' | 'usage_by_token',
  owner: 'user_id' | 'channel_id',
  { owner: id, tokenId, hour, model, sums }: HourSums,
): Promise<void> {
  const token = table === 'usage_by_token' ? ['token_id'] : [];
  const key = [owner, 'hour', 'model_name', ...token];
  const columns = sql.join([...key, ...sumNames].map((name) => sql.ref(name)));
  const added = sql.join(
    sumNames.map((name) => sql`${sql.ref(name)} = ${sql.ref(`${table}.${name}`)} + ${sql.ref(`excluded.${name}`)}`),
  );
  const values = [id, hour, model, ...token.map(() => tokenId), ...sums];
  await sql`insert into ${sql.table(table)} (${columns}) values (${sql.join(values)})
    on conflict (${sql.join(key.map((name) => sql.ref(name)))}) do update set ${added}`.execute(trx);
}

/** The old programs do not record the cause of a failure. */
async function addFailures(
  trx: Transaction<Tables>,
  { owner, tokenId, channelId, hour, model, sums }: HourSums,
): Promise<void> {
  await trx
    .insertInto('failures')
    .values({
      hour,
      user_id: owner,
      token_id: tokenId,
      channel_id: channelId,
      model_name: model,
      kind: 'other',
      calls: sums[0] ?? 0,
    })
    .onConflict((on) =>
      on
        .columns(['hour', 'user_id', 'token_id', 'channel_id', 'model_name', 'kind'])
        .doUpdateSet((eb) => ({ calls: eb('failures.calls', '+', eb.ref('excluded.calls')) })),
    )
    .execute();
}

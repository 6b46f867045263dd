import { createWriteStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Kysely } from 'kysely';
import { asError } from '#caught-error.ts';
import type { Storage } from '#db/open.ts';
import type { Tables } from '#db/tables.ts';
import { csv } from '#http/csv.ts';
import { makeFolder } from '#process/atomic-file.ts';
import type { Secrets } from '#secrets.ts';
import { sealLines } from './secret-file.ts';

/** The export is refused; nothing was written. */
export class ExportError extends Error {}

export interface ExportOptions {
  /** A folder that is empty or does not exist yet. */
  folder: string;
  format: 'jsonl' | 'csv';
  /** Also secrets, under this passphrase; undefined: none. */
  passphrase: string | undefined;
  progress?: (file: string, rows: number) => void;
}

interface ExportedTable {
  table: 'users' | 'user_groups' | 'tokens' | 'channels' | 'prices' | 'ledger' | 'logs';
  /** The column that pages go by. */
  key: string;
  columns: readonly string[];
}

/** Columns of the exported tables, without secrets and state of running servers. */
const exported: readonly ExportedTable[] = [
  {
    table: 'users',
    key: 'id',
    columns: [
      'id',
      'username',
      'display_name',
      'role',
      'status',
      'email',
      'group',
      'quota',
      'held',
      'used_quota',
      'request_count',
      'created_time',
      'last_login_time',
      'aff_code',
      'inviter_id',
      'language',
      'deleted_name',
      'deleted_time',
    ],
  },
  {
    table: 'user_groups',
    key: 'id',
    columns: ['id', 'symbol', 'name', 'ratio', 'api_rate', 'public', 'enable', 'token_limits'],
  },
  {
    table: 'tokens',
    key: 'id',
    columns: [
      'id',
      'user_id',
      'name',
      'key_hint',
      'status',
      'created_time',
      'accessed_time',
      'expired_time',
      'remain_quota',
      'held',
      'unlimited_quota',
      'used_quota',
      'group',
      'limits',
      'tag',
      'note',
      'metadata',
      'deleted_time',
    ],
  },
  {
    table: 'channels',
    key: 'id',
    columns: [
      'id',
      'type',
      'name',
      'status',
      'base_url',
      'other',
      'models',
      'group',
      'tag',
      'priority',
      'weight',
      'model_mapping',
      'excluded',
      'disabled_stream',
      'test_model',
      'only_chat',
      'balance',
      'used_quota',
      'created_time',
      'deleted_time',
    ],
  },
  {
    table: 'prices',
    key: 'version',
    columns: [
      'version',
      'model',
      'type',
      'channel_type',
      'input',
      'output',
      'extra_ratios',
      'rules',
      'fees',
      'valid_from',
      'valid_to',
    ],
  },
  {
    table: 'ledger',
    key: 'id',
    columns: [
      'id',
      'user_id',
      'token_id',
      'kind',
      'credits',
      'balance_after',
      'reference',
      'actor_id',
      'remark',
      'created_time',
    ],
  },
  {
    table: 'logs',
    key: 'id',
    columns: [
      'id',
      'request_id',
      'user_id',
      'username',
      'token_id',
      'token_name',
      'created_at',
      'type',
      'content',
      'model_name',
      'quota',
      'prompt_tokens',
      'completion_tokens',
      'cached_tokens',
      'channel_id',
      'request_time',
      'is_stream',
      'source_ip',
      'failed',
      'metadata',
    ],
  },
];

type ExportRow = Record<string, unknown>;

const PAGE = 1000;

/** Writes one file per table, in one snapshot of the database. Throws `ExportError`. */
export async function exportHub(
  storage: Pick<Storage, 'snapshot'>,
  secrets: Secrets,
  { folder, format, passphrase, progress = () => {} }: ExportOptions,
): Promise<void> {
  try {
    makeFolder(path.resolve(folder));
  } catch (error) {
    throw new ExportError(`${folder} cannot be used: ${asError(error).message}.`);
  }
  if ((await readdir(folder)).length > 0) throw new ExportError(`${folder} is not empty.`);
  const write = (file: string, lines: AsyncIterable<string>): Promise<void> =>
    pipeline(Readable.from(lines), createWriteStream(path.join(folder, file), { flags: 'wx', mode: 0o600 }));
  await storage.snapshot(async (db) => {
    for (const each of exported) {
      const rows = counted(rowsOf(db, each), (count) => progress(each.table, count));
      await write(`${each.table}.${format}`, format === 'csv' ? asCsv(each, rows) : asLines(rows));
    }
    if (passphrase !== undefined)
      await write('secrets.jsonl.enc', withBreaks(sealLines(passphrase, secretsOf(db, secrets))));
  });
}

async function* rowsOf(
  db: Kysely<Tables>,
  { table, key, columns }: Pick<ExportedTable, 'table' | 'key' | 'columns'>,
): AsyncGenerator<ExportRow, void> {
  let last = 0;
  for (;;) {
    const page = (await db
      .selectFrom(table as 'users')
      .select(columns as never)
      .where(key as 'id', '>', last)
      .orderBy(key as 'id')
      .limit(PAGE)
      .execute()) as ExportRow[]; // the columns of the table
    yield* page;
    const end = page.at(-1);
    if (!end || page.length < PAGE) return;
    last = Number(end[key]);
  }
}

async function* counted(
  rows: AsyncIterable<ExportRow>,
  tell: (count: number) => void,
): AsyncGenerator<ExportRow, void> {
  let count = 0;
  for await (const row of rows) {
    yield row;
    if (++count % PAGE === 0) tell(count);
  }
  tell(count);
}

async function* asLines(rows: AsyncIterable<ExportRow>): AsyncGenerator<string, void> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}

async function* withBreaks(lines: AsyncIterable<string>): AsyncGenerator<string, void> {
  for await (const line of lines) yield `${line}\n`;
}

const asCsv = ({ columns }: ExportedTable, rows: AsyncIterable<ExportRow>): AsyncIterable<string> =>
  csv(
    columns.map((heading) => ({ heading, cell: (row: ExportRow) => cellOf(row[heading]) })),
    rows,
  );

function cellOf(value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return JSON.stringify(value);
}

/** Every secret as JSON: password hashes, keys of tokens and channels, and other secrets of channels. */
async function* secretsOf(db: Kysely<Tables>, secrets: Secrets): AsyncGenerator<string, void> {
  const open = (cipher: unknown): string =>
    typeof cipher === 'string' && cipher !== '' ? secrets.decrypt(cipher) : '';
  const read = (table: string, columns: readonly string[]) =>
    rowsOf(db, { table: table as 'users', key: 'id', columns: ['id', ...columns] });
  for await (const { id, password_hash } of read('users', ['password_hash']))
    yield JSON.stringify({ table: 'users', id, password_hash });
  for await (const { id, key_cipher } of read('tokens', ['key_cipher']))
    yield JSON.stringify({ table: 'tokens', id, key: open(key_cipher) });
  for await (const { id, channel_id, key_cipher, status } of read('channel_keys', [
    'channel_id',
    'key_cipher',
    'status',
  ]))
    yield JSON.stringify({ table: 'channel_keys', id, channel_id, key: open(key_cipher), status });
  for await (const { id, model_headers, proxy, plugin } of read('channels', ['model_headers', 'proxy', 'plugin']))
    yield JSON.stringify({
      table: 'channels',
      id,
      model_headers: open(model_headers),
      proxy: open(proxy),
      plugin: open(plugin),
    });
}

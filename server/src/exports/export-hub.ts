import { Buffer } from 'node:buffer';
import { createWriteStream } from 'node:fs';
import { open, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Kysely } from 'kysely';
import { asError } from '#caught-error.ts';
import type { Storage } from '#db/open.ts';
import type { Tables } from '#db/tables.ts';
import { csv } from '#http/csv.ts';
import { keepInstead, makeFolder } from '#process/atomic-file.ts';
import type { Secrets } from '#secrets.ts';
import { sealLines } from './secret-file.ts';

/** The export is refused; nothing was written. */
export class ExportError extends Error {}

export interface ExportOptions {
  /** A folder that is empty, does not exist yet, or has an export that was broken off. */
  folder: string;
  format: 'jsonl' | 'csv';
  /** Also secrets, under this passphrase; undefined: none. */
  passphrase: string | undefined;
  /** Called with the rows of a file that are written, of how many; first before any is. May throw to break it off. */
  progress?: (file: string, rows: number, of: number) => void;
}

interface ExportedTable {
  table: 'users' | 'user_groups' | 'tokens' | 'channels' | 'prices' | 'ledger' | 'logs';
  /** The column that pages go by. */
  key: string;
  /** Rows are only added, so an export that was broken off goes on behind the last one. */
  grows?: true;
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
    grows: true,
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
    grows: true,
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

/** Where an export was broken off; the file is removed at its end. */
const STATE_FILE = 'unfinished.json';

interface ExportState {
  format: ExportOptions['format'];
  /** By table: the key of the last row in the file, its number of rows, and the bytes up to it. */
  places: Partial<Record<ExportedTable['table'], { last: number; rows: number; bytes: number }>>;
}

/**
 * Writes one file per table, in one snapshot of the database. One that was broken off is continued: ledger and log go on
 * behind their last row, all other files are written anew. Throws `ExportError`.
 */
export async function exportHub(
  storage: Pick<Storage, 'snapshot'>,
  secrets: Secrets,
  { folder, format, passphrase, progress = () => {} }: ExportOptions,
): Promise<void> {
  const state = await openFolder(folder, format);
  await storage.snapshot(async (db) => {
    const counts = new Map<string, number>();
    for (const { table } of exported) {
      counts.set(table, await countOf(db, table));
      progress(table, 0, counts.get(table) ?? 0);
    }
    for (const each of exported)
      await writeTable(db, each, {
        folder,
        state,
        tell: (rows) => progress(each.table, rows, counts.get(each.table) ?? 0),
      });
    if (passphrase !== undefined)
      await pipeline(
        Readable.from(withBreaks(sealLines(passphrase, secretsOf(db, secrets)))),
        createWriteStream(path.join(folder, 'secrets.jsonl.enc'), { flags: 'w', mode: 0o600 }),
      );
  });
  await rm(path.join(folder, STATE_FILE));
}

/** Makes the folder, or finds the export in it that was broken off. */
async function openFolder(folder: string, format: ExportOptions['format']): Promise<ExportState> {
  try {
    makeFolder(path.resolve(folder));
  } catch (error) {
    throw new ExportError(`${folder} cannot be used: ${asError(error).message}.`);
  }
  const files = await readdir(folder);
  const kept = path.join(folder, STATE_FILE);
  if (files.length > 0 && !files.includes(STATE_FILE)) throw new ExportError(`${folder} is not empty.`);
  if (files.length === 0) {
    const state: ExportState = { format, places: {} };
    keepInstead(kept, JSON.stringify(state));
    return state;
  }
  const state = JSON.parse(await readFile(kept, 'utf8')) as ExportState; // written here
  if (state.format !== format) throw new ExportError(`${folder} has an unfinished export as ${state.format}.`);
  return state;
}

async function countOf(db: Kysely<Tables>, table: ExportedTable['table']): Promise<number> {
  const { rows } = await db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow();
  return rows;
}

/** Milliseconds between two records of the place that was reached. */
const KEPT_EVERY_MS = 1000;

async function writeTable(
  db: Kysely<Tables>,
  each: ExportedTable,
  { folder, state, tell }: { folder: string; state: ExportState; tell: (rows: number) => void },
): Promise<void> {
  const place = (each.grows && state.places[each.table]) || { last: 0, rows: 0, bytes: 0 };
  const keep = (): void => {
    state.places[each.table] = { ...place };
    keepInstead(path.join(folder, STATE_FILE), JSON.stringify(state));
  };
  const file = await open(path.join(folder, `${each.table}.${state.format}`), place.bytes > 0 ? 'r+' : 'w', 0o600);
  try {
    // Data behind the recorded position is written again.
    await file.truncate(place.bytes);
    let keptMs = performance.now();
    for await (const page of pagesOf(db, each, place.last)) {
      const bytes = Buffer.from(await textOf(each, page, state.format, place.bytes > 0));
      await file.write(bytes, 0, bytes.length, place.bytes);
      place.bytes += bytes.length;
      place.rows += page.length;
      place.last = Number(page.at(-1)?.[each.key] ?? place.last);
      if (each.grows && performance.now() - keptMs >= KEPT_EVERY_MS) {
        keep();
        keptMs = performance.now();
      }
      tell(place.rows);
    }
  } finally {
    if (each.grows) keep();
    await file.close();
  }
}

async function textOf(
  { columns }: ExportedTable,
  page: readonly ExportRow[],
  format: ExportOptions['format'],
  goesOn: boolean,
): Promise<string> {
  if (format === 'jsonl') return page.map((row) => `${JSON.stringify(row)}\n`).join('');
  const cells = columns.map((heading) => ({ heading, cell: (row: ExportRow) => cellOf(row[heading]) }));
  let text = '';
  for await (const piece of csv(cells, page, { goesOn })) text += piece;
  return text;
}

/** At least one page, which may be empty. */
async function* pagesOf(
  db: Kysely<Tables>,
  { table, key, columns }: Pick<ExportedTable, 'table' | 'key' | 'columns'>,
  after = 0,
): AsyncGenerator<ExportRow[], void> {
  let last = after;
  for (;;) {
    const page = (await db
      .selectFrom(table as 'users')
      .select(columns as never)
      .where(key as 'id', '>', last)
      .orderBy(key as 'id')
      .limit(PAGE)
      .execute()) as ExportRow[]; // the columns of the table
    yield page;
    const end = page.at(-1);
    if (!end || page.length < PAGE) return;
    last = Number(end[key]);
  }
}

async function* withBreaks(lines: AsyncIterable<string>): AsyncGenerator<string, void> {
  for await (const line of lines) yield `${line}\n`;
}

function cellOf(value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return JSON.stringify(value);
}

/** Every secret as JSON: password hashes, keys of tokens and channels, and other secrets of channels. */
async function* secretsOf(db: Kysely<Tables>, secrets: Secrets): AsyncGenerator<string, void> {
  const decrypted = (cipher: unknown): string =>
    typeof cipher === 'string' && cipher !== '' ? secrets.decrypt(cipher) : '';
  async function* read(table: string, columns: readonly string[]): AsyncGenerator<ExportRow, void> {
    const pages = pagesOf(db, { table: table as 'users', key: 'id', columns: ['id', ...columns] });
    for await (const page of pages) yield* page;
  }
  for await (const { id, password_hash } of read('users', ['password_hash']))
    yield JSON.stringify({ table: 'users', id, password_hash });
  for await (const { id, key_cipher } of read('tokens', ['key_cipher']))
    yield JSON.stringify({ table: 'tokens', id, key: decrypted(key_cipher) });
  for await (const { id, channel_id, key_cipher, status } of read('channel_keys', [
    'channel_id',
    'key_cipher',
    'status',
  ]))
    yield JSON.stringify({ table: 'channel_keys', id, channel_id, key: decrypted(key_cipher), status });
  for await (const { id, model_headers, proxy, plugin } of read('channels', ['model_headers', 'proxy', 'plugin']))
    yield JSON.stringify({
      table: 'channels',
      id,
      model_headers: decrypted(model_headers),
      proxy: decrypted(proxy),
      plugin: decrypted(plugin),
    });
}

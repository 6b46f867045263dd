import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type AsyncBuffer, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import type { Selectable } from 'kysely';
import type { Tables } from '#db/tables.ts';

/** A call as in the log, with its details as JSON text. */
export type ArchivedCall = Omit<Selectable<Tables['logs']>, 'metadata'> & { metadata: string | null };

/** Names and types are those of the log; times are Unix seconds, costs thousandths of a credit. */
const columns: { [Name in keyof ArchivedCall]: 'INT64' | 'STRING' | 'BOOLEAN' } = {
  id: 'INT64',
  request_id: 'STRING',
  user_id: 'INT64',
  created_at: 'INT64',
  type: 'INT64',
  content: 'STRING',
  username: 'STRING',
  token_id: 'INT64',
  token_name: 'STRING',
  model_name: 'STRING',
  quota: 'INT64',
  prompt_tokens: 'INT64',
  completion_tokens: 'INT64',
  cached_tokens: 'INT64',
  channel_id: 'INT64',
  request_time: 'INT64',
  is_stream: 'BOOLEAN',
  source_ip: 'STRING',
  failed: 'BOOLEAN',
  cost: 'INT64',
  metadata: 'STRING',
};
type ColumnName = keyof ArchivedCall;
// `Object.keys` forgets the names of the record above.
export const callColumns = Object.keys(columns) as ColumnName[];
const nullable: ReadonlySet<ColumnName> = new Set<ColumnName>(['cost', 'metadata']);

/** Encoding a group takes about 10 ms, in which calls wait; each takes about 1 KB in the memory of a reader. */
export const GROUP_ROWS = 2000;

/** Sums over the calls of a file. */
interface CallSums {
  rows: number;
  credits: number;
  /** Hash of all values in order, hexadecimal. */
  values: string;
}

/** Adds up calls on their way in and out of a file. */
class Adder {
  #rows = 0;
  #credits = 0;
  readonly #hash = createHash('sha256');

  add(calls: readonly ArchivedCall[]): void {
    for (const call of calls) {
      this.#rows++;
      this.#credits += call.quota;
      this.#hash.update(JSON.stringify(callColumns.map((name) => call[name])));
    }
  }

  sums(): CallSums {
    return { rows: this.#rows, credits: this.#credits, values: this.#hash.digest('hex') };
  }
}

/** Writes calls into a new file; `groups` have `GROUP_ROWS` calls, the last one fewer. Throws if there is such a file. */
export async function writeCalls(path: string, groups: AsyncIterable<ArchivedCall[]>): Promise<CallSums> {
  const file = await open(path, 'wx', 0o600);
  try {
    const adder = new Adder();
    const bytes = new ByteWriter();
    const writer = new ParquetWriter({
      writer: bytes,
      schema: schemaFromColumnData({ columnData: columnsOf([]) }),
      codec: 'ZSTD',
      compressors: { ZSTD: (plain) => zstdCompressSync(plain) },
      createdBy: 'relay-hub',
    });
    const flush = async () => {
      await file.writeFile(bytes.getBytes());
      bytes.index = 0;
    };
    for await (const calls of groups) {
      adder.add(calls);
      await writer.write({ columnData: columnsOf(calls), rowGroupSize: GROUP_ROWS });
      await flush();
    }
    await writer.finish();
    await flush();
    await file.sync();
    return adder.sums();
  } finally {
    await file.close();
  }
}

const columnsOf = (calls: readonly ArchivedCall[]) =>
  callColumns.map((name) => ({
    name,
    type: columns[name],
    nullable: nullable.has(name),
    // Readers skip groups by time; the rest would only be in the way.
    statistics: name === 'created_at',
    offsetIndex: false,
    data: calls.map((call) => (typeof call[name] === 'number' ? BigInt(call[name]) : call[name])),
  }));

/** Reads a file completely, as others would. Throws if it cannot be read. Undefined: `goesOn` ended it. */
export async function sumsOfFile(
  path: string,
  goesOn: () => Promise<boolean>,
): Promise<(CallSums & { bytes: number; sha256: string }) | undefined> {
  const adder = new Adder();
  for await (const calls of readCalls(path)) {
    if (!(await goesOn())) return undefined;
    adder.add(calls);
  }
  const hash: Hash = createHash('sha256');
  await using file = await open(path);
  for await (const piece of file.createReadStream({ autoClose: false })) hash.update(piece);
  return { ...adder.sums(), bytes: (await file.stat()).size, sha256: hash.digest('hex') };
}

/** The calls of a file in groups, in order of time or backwards; groups without a time from `from` to `to` are skipped. */
export async function* readCalls(
  path: string,
  { from, to, going }: { from: number; to: number; going: 'asc' | 'desc' } = { from: 0, to: Infinity, going: 'asc' },
): AsyncGenerator<ArchivedCall[], void> {
  await using handle = await open(path);
  const file = await bufferOf(handle);
  const metadata = await parquetMetadataAsync(file);
  let start = 0;
  const groups = metadata.row_groups.map(({ num_rows: rows, columns: chunks }) => {
    const statistics = chunks.find(({ meta_data: data }) => data?.path_in_schema[0] === 'created_at')?.meta_data
      ?.statistics;
    const group = { start, end: start + Number(rows), statistics };
    start = group.end;
    return group;
  });
  for (const { start: rowStart, end: rowEnd, statistics } of going === 'asc' ? groups : groups.toReversed()) {
    if (Number(statistics?.min_value ?? 0) > to || Number(statistics?.max_value ?? Infinity) < from) continue;
    const rows = await parquetReadObjects({
      file,
      metadata,
      rowStart,
      rowEnd,
      compressors: { ZSTD: (packed) => zstdDecompressSync(packed) },
    });
    const calls = rows.map(callOf);
    yield going === 'asc' ? calls : calls.toReversed();
  }
}

async function bufferOf(handle: FileHandle): Promise<AsyncBuffer> {
  const { size } = await handle.stat();
  return {
    byteLength: size,
    async slice(start, end = size) {
      const bytes = new ArrayBuffer(end - start);
      const view = new Uint8Array(bytes);
      for (let at = 0; at < view.length;) {
        const { bytesRead } = await handle.read(view, at, view.length - at, start + at);
        if (bytesRead === 0) throw new Error('the file ends early');
        at += bytesRead;
      }
      return bytes;
    },
  };
}

/** Integers come as `bigint`. */
const callOf = (row: Record<string, unknown>): ArchivedCall =>
  // The file has the columns above: it was compared with the log before any call was deleted.
  Object.fromEntries(
    callColumns.map((name) => [name, typeof row[name] === 'bigint' ? Number(row[name]) : (row[name] ?? null)]),
  ) as ArchivedCall;

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { logType, type LogArchive } from '@relay-hub/contract';
import type { Selectable } from 'kysely';
import { monthOf } from '#db/log-months.ts';
import type { Db, Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { pathOf, rowsOf, type LogPosition } from '../log-path.ts';
import { callsSince } from '../log-search.ts';
import { type ArchivedCall, callColumns, GROUP_ROWS, sumsOfFile, writeCalls } from './parquet-calls.ts';

export type ArchivePart = Selectable<Tables['log_archives']>;

/** Bounds the index of a file, which its readers have in memory: 1 KB per group. */
const MOST_ROWS = 5_000_000;
/** Divides `GROUP_ROWS`. Small, because each read blocks relayed calls on SQLite. */
const ROWS_A_READ = 250;

/** The folder of archives on this node. */
export const archiveFolder = ({ config, live }: Pick<Deps, 'config' | 'live'>): string =>
  live.settings.LogArchiveFolder || path.join(config.dataDir, 'archive');

export const archivePath = (deps: Pick<Deps, 'config' | 'live'>, { file }: Pick<ArchivePart, 'file'>): string =>
  path.join(archiveFolder(deps), file);

/** A file on its way: not yet proven to be complete, so nothing that reads the folder may take it for an archive. */
const unfinished = (target: string): string => `${target}.part`;

/** The archives, newest month first. */
export async function listArchives(deps: Pick<Deps, 'config' | 'live' | 'db'>): Promise<LogArchive[]> {
  const parts = await deps.db
    .selectFrom('log_archives')
    .where('state', '=', 'done')
    .selectAll()
    .orderBy('month', 'desc')
    .orderBy('part', 'desc')
    .execute();
  return parts.map((part) => ({ ...part, here: existsSync(archivePath(deps, part)) }));
}

/** Parts whose calls may still be in the log, in order of time. */
export const writtenParts = (db: Db): Promise<ArchivePart[]> =>
  db.selectFrom('log_archives').where('state', '=', 'written').selectAll().orderBy('from_time').execute();

/** Work of the node that has claimed the clean-up. */
export interface ArchiveWork {
  /** Says that the node is alive, and notes calls as archived. False: it may not go on. */
  holds(db: Db, archived: number): Promise<boolean>;
  /** Leaves time to others. */
  rest(ms: number): Promise<void>;
}

/** Forgets parts whose writing was interrupted. */
export async function discardUnfinished(deps: Deps): Promise<void> {
  const { db } = deps;
  for (const part of await db.selectFrom('log_archives').where('state', '=', 'writing').selectAll().execute()) {
    await rm(unfinished(archivePath(deps, part)), { force: true });
    await db.deleteFrom('log_archives').where('id', '=', part.id).where('state', '=', 'writing').execute();
  }
}

/** The oldest calls before a time that are in no part, within one month; undefined: there are none. */
async function nextStretch(db: Db, target: number): Promise<{ from: number; until: number } | undefined> {
  const written = await writtenParts(db);
  for (let from = 0; ;) {
    const [first] = await readCallsOfLog(db, { from, until: target, past: undefined }, 1);
    if (!first) return undefined;
    const at = first.created_at;
    // Calls that were written late into the times of a part follow when the others are deleted.
    const part = written.find((one) => one.from_time <= at && at < one.until_time);
    if (part) from = part.until_time;
    else {
      const later = written.flatMap((one) => (one.from_time > at ? one.from_time : []));
      return { from: at, until: Math.min(monthOf(at, 1), target, ...later) };
    }
  }
}

/**
 * Writes the next calls before a time into a file, reads it back and compares it with the log. False: there are none.
 * Undefined: the work may not go on. Throws if the file cannot be written, or is not what the log has.
 */
export async function archiveNext(deps: Deps, target: number, work: ArchiveWork): Promise<boolean | undefined> {
  const { db, now, log } = deps;
  const stretch = await nextStretch(db, target);
  if (!stretch) return false;
  const month = monthOf(stretch.from);
  const { last } = await db
    .selectFrom('log_archives')
    .where('month', '=', month)
    .select(({ fn }) => fn.max<number | null>('part').as('last'))
    .executeTakeFirstOrThrow();
  const part = (last ?? 0) + 1;
  const name = `log-${new Date(month * 1000).toISOString().slice(0, 7)}-${part}-${randomBytes(4).toString('hex')}.parquet`;
  const { id } = await db
    .insertInto('log_archives')
    .values({
      month,
      part,
      from_time: stretch.from,
      until_time: stretch.until,
      state: 'writing',
      file: name,
      host: hostname(),
      rows: 0,
      credits: 0,
      bytes: 0,
      sha256: '',
      created_time: now(),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const place = archivePath(deps, { file: name });
  await mkdir(archiveFolder(deps), { recursive: true, mode: 0o700 });
  const reader = new PartReader(db, stretch, work);
  const written = await writeCalls(unfinished(place), reader.groups());
  if (reader.isEnded) return undefined;
  const found = await sumsOfFile(unfinished(place), () => work.holds(db, 0));
  if (!found) return undefined;
  const { from, until } = reader;
  const { calls, credits } = await sumsOfLog(db, from, until);
  if (found.values !== written.values || found.rows !== calls || found.credits !== credits)
    throw new Error(
      `${name} has ${found.rows} calls and ${found.credits} credits, the log ${calls} and ${credits} at these times`,
    );
  const isWritten = await db.transaction().execute(async (trx) => {
    if (!(await work.holds(trx, found.rows))) return false;
    await trx
      .updateTable('log_archives')
      .set({
        state: 'written',
        until_time: until,
        rows: found.rows,
        credits: found.credits,
        bytes: found.bytes,
        sha256: found.sha256,
      })
      .where('id', '=', id)
      .execute();
    return true;
  });
  if (!isWritten) return undefined;
  await openPart(deps, { file: name, host: hostname() });
  log.info({ file: name, calls, bytes: found.bytes }, 'calls archived');
  return true;
}

/** The path of a part that was proven to be complete. Throws if this node does not have it. */
export async function openPart(deps: Deps, part: Pick<ArchivePart, 'file' | 'host'>): Promise<string> {
  const target = archivePath(deps, part);
  if (existsSync(target)) return target;
  if (!existsSync(unfinished(target))) throw new Error(`${target} is not here. It was written on ${part.host}.`);
  await rename(unfinished(target), target);
  return target;
}

/** Number and credits of calls in the log from one time until before another. */
export async function sumsOfLog(db: Db, from: number, until: number): Promise<{ calls: number; credits: number }> {
  const { calls, credits } = await db
    .selectFrom('logs')
    .where('created_at', '>=', from)
    .where('created_at', '<', until)
    .where('type', '=', logType.consume)
    .select(({ fn }) => [fn.countAll<number>().as('calls'), fn.sum<number | null>('quota').as('credits')])
    .executeTakeFirstOrThrow();
  return { calls, credits: credits ?? 0 };
}

/** Reads the calls of a part in groups. */
class PartReader {
  readonly from: number;
  /** Becomes earlier if there are too many calls for one file. */
  until: number;
  /** The work may not go on. */
  isEnded = false;
  readonly #db: Db;
  readonly #work: ArchiveWork;

  constructor(db: Db, { from, until }: { from: number; until: number }, work: ArchiveWork) {
    this.#db = db;
    this.from = from;
    this.until = until;
    this.#work = work;
  }

  async *groups(): AsyncGenerator<ArchivedCall[], void> {
    let group: ArchivedCall[] = [];
    let rows = 0;
    let past: LogPosition | undefined;
    for (let more = true; more;) {
      const startMs = performance.now();
      const calls = await readCallsOfLog(this.#db, { from: this.from, until: this.until, past }, ROWS_A_READ);
      group.push(...calls);
      rows += calls.length;
      const last = calls.at(-1);
      more = calls.length === ROWS_A_READ;
      if (last) past = { at: last.created_at, id: last.id };
      // Parts end with whole seconds, so no two have calls of the same time.
      if (last && rows >= MOST_ROWS) this.until = Math.min(this.until, last.created_at + 1);
      if (group.length > 0 && (group.length === GROUP_ROWS || !more)) {
        if (!(await this.#work.holds(this.#db, 0))) {
          this.isEnded = true;
          return;
        }
        yield group;
        group = [];
      }
      await this.#work.rest(performance.now() - startMs);
    }
  }
}

async function readCallsOfLog(
  db: Db,
  { from, until, past }: { from: number; until: number; past: LogPosition | undefined },
  most: number,
): Promise<ArchivedCall[]> {
  const stretch = { from, to: until - 1, past: past && ({ place: past, going: 'asc' } as const) };
  const calls = await rowsOf(db, pathOf(callsSince(0)), stretch)
    .select(callColumns)
    .orderBy('created_at')
    .orderBy('id')
    .limit(most)
    .execute();
  return calls.map(({ metadata, ...call }) => ({ ...call, metadata: metadata && JSON.stringify(metadata) }));
}

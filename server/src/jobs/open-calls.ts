import { openIncident } from '#alarms/incidents.ts';
import { codeOf } from '#caught-error.ts';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Kysely } from 'kysely';
import { databaseTime } from '#db/dialect-differences.ts';
import { lastMigration } from '#db/migrate.ts';
import type { Tables } from '#db/tables.ts';
import type { RegisteredNode } from '#db/tables/site.ts';
import type { BaseDeps } from '#base-deps.ts';
import type { BatchRunner } from '#quota/batch-items.ts';
import type { Book } from '#quota/book.ts';
import { journalFolder, nodesWithJournals } from '#quota/journal.ts';
import { giveBackLeases, replay } from '#quota/replay.ts';
import { productVersion } from '#version.ts';
import { Silence } from './silence.ts';

const HEARTBEAT_MS = 5_000;
/** Heartbeat age (database clock) after which a node is presumed dead. */
const DEAD_AFTER_S = 60;

/** Scope of a process id: this machine and, in it, this container. */
const hostId = `${hostname()} ${pidNamespace()}`;

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

type OpenCallsDeps = Pick<BaseDeps, 'db' | 'log' | 'nodeId' | 'now'> & {
  config: Pick<BaseDeps['config'], 'dataDir'>;
  runBook: BatchRunner;
  /** Other nodes may have removed what this one needs. */
  onPresumedDead?: () => Promise<void>;
};

/** Nodes that run in this process: one, or several in tests. */
const running = new Set<string>();

/** Sends heartbeats, and releases the calls of dead processes. */
export interface OpenCalls {
  /** Starts heartbeats. Call it before the journal is written, which other nodes could take for a dead node's. */
  start(book: Pick<Book, 'renewJournal'>): void;
  stop(clean: boolean): Promise<void>;
}

export async function watchOpenCalls(needs: OpenCallsDeps): Promise<OpenCalls> {
  const { db, log, nodeId, now } = needs;
  const started = now();
  running.add(nodeId);
  const silence = new Silence();
  await tellAlive();
  await closeDead(needs, silence);

  let beating: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** Sends a heartbeat. Returns whether this node was presumed dead and is registered again. */
  async function tellAlive(): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('nodes')
      .set({ seen_time: databaseTime(db) })
      .where('id', '=', nodeId)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows > 0n) return false;
    await db
      .insertInto('nodes')
      .values({
        id: nodeId,
        host: hostId,
        pid: process.pid,
        started_time: started,
        seen_time: databaseTime(db),
        version: productVersion,
        schema: lastMigration(),
      })
      .execute();
    return true;
  }

  return {
    start(book) {
      const beat = async () => {
        if (await tellAlive()) {
          book.renewJournal();
          await needs.onPresumedDead?.();
        }
        await closeDead(needs, silence);
      };
      timer = setInterval(() => {
        // One at a time, however slow the database is.
        beating ??= beat()
          .catch((error: unknown) => log.error({ err: error }, 'heartbeat failed'))
          .finally(() => (beating = undefined));
      }, HEARTBEAT_MS);
      timer.unref();
    },
    async stop(clean) {
      clearInterval(timer);
      await beating;
      running.delete(nodeId);
      try {
        // A node with anything left is presumed dead later, and its journal replayed.
        if (clean) await db.deleteFrom('journals').where('node', '=', nodeId).execute();
        await db.deleteFrom('nodes').where('id', '=', nodeId).execute();
      } catch (error) {
        // Other nodes will notice by the missing heartbeat; a stop does not wait for a database.
        log.warn({ err: error }, 'the node could not be deregistered');
      }
    },
  };
}

/**
 * Releases the calls of dead processes: immediately if their journal is on this machine, else after a long silence. A
 * settlement that comes later is still charged.
 */
async function closeDead(
  { config, db, runBook: run, log, now, nodeId }: OpenCallsDeps,
  silence: Silence,
): Promise<void> {
  const folder = journalFolder(config.dataDir);
  // Files before nodes: a process registers before it creates a file.
  const left = nodesWithJournals(folder);
  const nodes = await db.selectFrom('nodes').selectAll().execute();
  const silent = silence.look(nodes);
  const isDead = (node: (typeof nodes)[number]) => !running.has(node.id) && (silent.has(node.id) || hasEnded(node));
  const alive = new Set(nodes.filter((node) => !isDead(node)).map(({ id }) => id));
  for (const node of left.filter((id) => !alive.has(id))) {
    const { settled, released, refused } = await replay({ db, run, folder, now }, node);
    log.warn({ node, settled, released }, 'the journal of a dead process was replayed');
    if (refused > 0) log.error({ node, refused }, 'settlements cannot be written; they are kept in a file');
    await forgetNode(db, node, now());
  }
  const gone = nodes.filter(({ id }) => silent.has(id) && !alive.has(id));
  // One statement: a process that started after the nodes were read has leases, too.
  const holders = db
    .selectFrom('leases')
    .select('node')
    .union(db.selectFrom('limit_leases').select('node'))
    .union(db.selectFrom('channel_calls').select('node'));
  const unknown = await db
    .selectFrom(holders.as('holders'))
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('nodes').whereRef('nodes.id', '=', 'holders.node').select('nodes.id'))),
    )
    .where('node', '<>', nodeId)
    .select('node')
    .execute();
  for (const node of [...gone.map(({ id }) => id), ...unknown.map(({ node: id }) => id)]) {
    await giveBackLeases(db, run, node);
    await forgetNode(db, node, now());
  }
}

/** Deletes a node that ended without stopping, and opens its incident. */
async function forgetNode(db: Kysely<Tables>, id: string, now: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('channel_calls').where('node', '=', id).execute();
    const node = await trx.deleteFrom('nodes').where('id', '=', id).returning('host').executeTakeFirst();
    if (!node) return;
    const host = nameOf(node);
    await openIncident(trx, { kind: 'node', object: host, severity: 'error', params: { host } }, now);
  });
}

/** Host name of a node, without the scope of its process id, which a restarted container changes. */
export const nameOf = ({ host }: Pick<Tables['nodes'], 'host'>): string => host.split(' ')[0] ?? host;

/** Returns a check whether a process lives: by its process id on this machine, else by its heartbeat. */
export async function livingNodes(db: Kysely<Tables>): Promise<(node: RegisteredNode) => boolean> {
  const { time } = await db.selectNoFrom(() => databaseTime(db).as('time')).executeTakeFirstOrThrow();
  return (node) => time - node.seen_time <= DEAD_AFTER_S && !hasEnded(node);
}

/** Whether a process of this machine has ended. */
function hasEnded({ host, pid }: RegisteredNode): boolean {
  if (host !== hostId) return false;
  // An earlier process had the same process id.
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) !== 'EPERM';
  }
}

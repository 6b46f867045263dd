import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Deps } from '#deps.ts';
import type { BatchRunner } from '#quota/batch-items.ts';
import type { Book } from '#quota/book.ts';
import { journalFolder, nodesWithJournals } from '#quota/journal.ts';
import { giveBackLeases, replay } from '#quota/replay.ts';

const HEARTBEAT_MS = 5_000;
/** A node of another machine is taken for dead when it has not been heard of for so long. */
const DEAD_AFTER_S = 60;

/** Where a process number means something: this machine, and in it this container. */
const hostId = `${hostname()} ${pidNamespace()}`;

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

type Needs = Pick<Deps, 'config' | 'db' | 'log' | 'nodeId' | 'now'> & { runBook: BatchRunner };

/** Tells that this process lives, and closes the books of those that do not. */
export interface OpenCalls {
  /** From here on the others know of this process; before it writes anything that they could take for a dead one's. */
  start(book: Pick<Book, 'renewJournal'>): void;
  stop(clean: boolean): Promise<void>;
}

export async function watchOpenCalls(needs: Needs): Promise<OpenCalls> {
  const { db, log, nodeId, now } = needs;
  const started = now();
  await tellAlive();
  await closeDead(needs);

  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  /** Whoever took this node for dead by mistake finds it again. Returns whether that was so. */
  async function tellAlive(): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('nodes')
      .set({ seen_time: now() })
      .where('id', '=', nodeId)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows > 0n) return false;
    await db
      .insertInto('nodes')
      .values({ id: nodeId, host: hostId, pid: process.pid, started_time: started, seen_time: now() })
      .execute();
    return true;
  }

  return {
    start(book) {
      const beat = async () => {
        if (await tellAlive()) book.renewJournal();
        await closeDead(needs);
      };
      timer = setInterval(() => {
        running = beat().catch((error: unknown) => log.error({ err: error }, 'heartbeat failed'));
      }, HEARTBEAT_MS);
      timer.unref();
    },
    async stop(clean) {
      clearInterval(timer);
      await running;
      // A node that leaves something behind is taken for dead, and its journal read.
      if (clean) await db.deleteFrom('journals').where('node', '=', nodeId).execute();
      await db.deleteFrom('nodes').where('id', '=', nodeId).execute();
    },
  };
}

/**
 * Closes the books of processes that have ended: at once where their journal is here, else when they have not been
 * heard of for so long that they do not come back soon. What comes back later is still charged.
 */
async function closeDead({ config, db, runBook: run, log, now, nodeId }: Needs): Promise<void> {
  const folder = journalFolder(config.dataDir);
  // Files before nodes: a process tells that it lives before it makes a file.
  const left = nodesWithJournals(folder);
  const nodes = await db.selectFrom('nodes').selectAll().execute();
  const alive = new Set(nodes.filter((node) => node.id === nodeId || isAlive(node, now())).map(({ id }) => id));
  for (const node of left.filter((id) => !alive.has(id))) {
    const { settled, released, refused } = await replay({ db, run, folder, now }, node);
    log.warn({ node, settled, released }, 'the journal of a process that ended was brought into the books');
    if (refused > 0) log.error({ node, refused }, 'settlements cannot be written; they are kept in a file');
    await db.deleteFrom('nodes').where('id', '=', node).execute();
  }
  const gone = nodes.filter(({ id, seen_time }) => !alive.has(id) && now() - seen_time > DEAD_AFTER_S);
  // Asked in one statement: a process that has started since the nodes were read has leases, too.
  const unknown = await db
    .selectFrom('leases')
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('nodes').whereRef('nodes.id', '=', 'leases.node').select('nodes.id'))),
    )
    .where('node', '<>', nodeId)
    .select('node')
    .distinct()
    .execute();
  for (const node of [...gone.map(({ id }) => id), ...unknown.map(({ node: id }) => id)]) {
    await giveBackLeases(db, run, node);
    await db.deleteFrom('nodes').where('id', '=', node).execute();
  }
}

/** Whether a process lives, as far as can be known from here: by its number on this machine, else by its last word. */
export function isAlive(node: { host: string; pid: number; seen_time: number }, now: number): boolean {
  if (now - node.seen_time > DEAD_AFTER_S) return false;
  if (node.host !== hostId) return true;
  // The process before this one had its number.
  if (node.pid === process.pid) return false;
  try {
    process.kill(node.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

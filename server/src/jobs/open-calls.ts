import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Deps } from '#deps.ts';

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

/**
 * Tells that this process lives, and closes the calls of those that do not: of a call whose process died nothing is
 * known but what was reserved for it, so it is released, free of charge, with a row that says so.
 */
export async function watchOpenCalls(
  deps: Pick<Deps, 'db' | 'book' | 'log' | 'nodeId' | 'now'>,
): Promise<{ stop(): Promise<void> }> {
  const { db, log, nodeId, now } = deps;
  const started = now();
  await tellAlive();
  await releaseDead(deps);

  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    running = beat().catch((error: unknown) => log.error({ err: error }, 'heartbeat failed'));
  }, HEARTBEAT_MS);
  timer.unref();

  async function beat(): Promise<void> {
    if (stopped) return;
    await tellAlive();
    await releaseDead(deps);
  }

  /** Whoever took this node for dead by mistake finds it again. */
  async function tellAlive(): Promise<void> {
    await db
      .insertInto('nodes')
      .values({ id: nodeId, host: hostId, pid: process.pid, started_time: started, seen_time: now() })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_time: now() }))
      .execute();
  }

  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await running;
      await db.deleteFrom('nodes').where('id', '=', nodeId).execute();
    },
  };
}

async function releaseDead({
  db,
  book,
  log,
  now,
  nodeId,
}: Pick<Deps, 'db' | 'book' | 'log' | 'nodeId' | 'now'>): Promise<void> {
  const nodes = await db.selectFrom('nodes').selectAll().execute();
  const dead = nodes.filter((node) => node.id !== nodeId && !isAlive(node, now())).map(({ id }) => id);
  const open = await db
    .selectFrom('intents')
    .leftJoin('users', 'users.id', 'intents.user_id')
    .leftJoin('tokens', 'tokens.id', 'intents.token_id')
    .where('intents.node', '!=', nodeId)
    // Unknown nodes are asked for in the same statement: one that starts just now is known before its first call.
    .where(({ or, eb, not, exists, selectFrom }) =>
      or([
        ...(dead.length > 0 ? [eb('intents.node', 'in', dead)] : []),
        not(exists(selectFrom('nodes').select('nodes.id').whereRef('nodes.id', '=', 'intents.node'))),
      ]),
    )
    .select([
      'intents.request_id',
      'intents.user_id',
      'intents.token_id',
      'intents.reserved',
      'intents.price_version',
      'intents.model_name',
    ])
    .select(['users.username', 'tokens.name as token_name'])
    .execute();
  for (const call of open) {
    await book.settle({
      requestId: call.request_id,
      userId: call.user_id,
      tokenId: call.token_id,
      channelId: 0,
      credits: 0,
      now: now(),
      failed: true,
      channelError: '',
      log: {
        content: '',
        username: call.username ?? '',
        tokenName: call.token_name ?? '',
        model: call.model_name,
        promptTokens: 0,
        completionTokens: 0,
        cachedTokens: 0,
        requestTimeMs: 0,
        isStream: false,
        sourceIp: '',
        metadata: JSON.stringify({ outcome: 'released', price_version: call.price_version, reserved: call.reserved }),
      },
    });
  }
  if (open.length > 0) log.warn({ calls: open.length }, 'open calls of a process that ended were released');
  if (dead.length > 0) await db.deleteFrom('nodes').where('id', 'in', dead).execute();
}

function isAlive(node: { host: string; pid: number; seen_time: number }, now: number): boolean {
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

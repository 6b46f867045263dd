import { statSync } from 'node:fs';
import path from 'node:path';
import { type System, systemApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import { type Selectable, sql } from 'kysely';
import { databaseTime, isPostgres } from '#db/dialect-differences.ts';
import { waitingSteps } from '#db/migrate.ts';
import type { Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { serve } from '#http/serve.ts';
import { productVersion } from '#version.ts';

/** Tables whose sizes are listed. */
const LARGEST = 8;

/** Nodes, database and queues of the site. */
export function systemRoutes(app: FastifyInstance, deps: Deps): void {
  serve(app, deps, systemApi.get, async () => {
    const { db, nodeId } = deps;
    const [time, database, nodes, queues, waiting] = await Promise.all([
      timeOf(deps),
      databaseOf(deps),
      db.selectFrom('nodes').selectAll().orderBy('started_time').orderBy('id').execute(),
      queuesOf(deps),
      waitingSteps(db),
    ]);
    return {
      version: productVersion,
      time,
      database,
      nodes: nodes.map(({ id, host, pid, started_time, seen_time, state }) => ({
        id,
        // Behind the name is the id of its container.
        host: host.split(' ')[0] ?? host,
        pid,
        started_time,
        seen_time,
        is_this: id === nodeId,
        state,
      })),
      upgrade: upgradeOf(nodes, waiting),
      queues: { settlements: nodes.reduce((sum, { state }) => sum + (state?.waiting ?? 0), 0), ...queues },
    };
  });
}

/** An upgrade under way: nodes of several versions, or steps that wait for the end of the older ones. */
function upgradeOf(
  nodes: readonly Pick<Selectable<Tables['nodes']>, 'version' | 'schema'>[],
  waiting: string[],
): System['upgrade'] {
  const counts = new Map<string, number>();
  const newestFirst = nodes.toSorted((one, other) => ((other.schema ?? '') < (one.schema ?? '') ? -1 : 1));
  for (const { version } of newestFirst) counts.set(version ?? '', (counts.get(version ?? '') ?? 0) + 1);
  if (counts.size < 2 && waiting.length === 0) return null;
  return { versions: [...counts].map(([version, count]) => ({ version, nodes: count })), waiting };
}

async function timeOf({ db }: Pick<Deps, 'db'>): Promise<number> {
  const { time } = await db.selectNoFrom(databaseTime(db).as('time')).executeTakeFirstOrThrow();
  return time;
}

async function databaseOf({ db, storage, config }: Deps): Promise<System['database']> {
  const begun = performance.now();
  await sql`select 1`.execute(db);
  const latency = Math.round((performance.now() - begun) * 100) / 100;
  if (!isPostgres(db)) {
    const { rows } = await sql<{ version: string; bytes: number }>`
      select sqlite_version() as version,
        (select page_count from pragma_page_count) * (select page_size from pragma_page_size) as bytes`.execute(db);
    const log = statSync(path.join(config.dataDir, 'relay-hub.db-wal'), { throwIfNoEntry: false })?.size ?? 0;
    const { version = '', bytes = 0 } = rows[0] ?? {};
    return { kind: 'sqlite', version, bytes: bytes + log, connections: 0, connections_limit: 0, latency, tables: [] };
  }
  const { rows } = await sql<{ version: string; bytes: string; connections: string; most: string }>`
    select current_setting('server_version') as version, pg_database_size(current_database()) as bytes,
      (select count(*) from pg_stat_activity where datname = current_database()) as connections,
      current_setting('max_connections') as most`.execute(storage.patient);
  const { rows: tables } = await sql<{ name: string; bytes: string }>`
    select c.relname as name, (select sum(pg_total_relation_size(relid)) from pg_partition_tree(c.oid)) as bytes
    from pg_class c where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = current_schema()::regnamespace
    order by bytes desc limit ${LARGEST}`.execute(storage.patient);
  const { version = '', bytes = 0, connections = 0, most = 0 } = rows[0] ?? {};
  return {
    kind: 'postgresql',
    version: version.split(' ')[0] ?? version,
    bytes: Number(bytes),
    connections: Number(connections),
    connections_limit: Number(most),
    latency,
    tables: tables.map(({ name, bytes: size }) => ({ name, bytes: Number(size) })),
  };
}

async function queuesOf({ db }: Pick<Deps, 'db'>): Promise<Omit<System['queues'], 'settlements'>> {
  const count = sql<number>`count(*)`.as('count');
  const counts = await Promise.all([
    db.selectFrom('pending_sums').select(count).executeTakeFirstOrThrow(),
    db.selectFrom('deliveries').select(count).where('status', '=', 'waiting').executeTakeFirstOrThrow(),
    db.selectFrom('tasks').select(count).where('next_poll_at', '>', 0).executeTakeFirstOrThrow(),
    db.selectFrom('task_fetches').select(count).executeTakeFirstOrThrow(),
    db.selectFrom('task_notifications').select(count).where('next_at', '>', 0).executeTakeFirstOrThrow(),
    db.selectFrom('orders').select(count).where('query_at', '>', 0).executeTakeFirstOrThrow(),
  ]);
  const [sums = 0, messages = 0, tasks = 0, files = 0, callbacks = 0, orders = 0] = counts.map((row) => row.count);
  return { sums, messages, tasks, files, callbacks, orders };
}

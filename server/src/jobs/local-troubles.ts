import { statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Certificates } from '#alarms/certificates.ts';
import type { PresentTrouble } from '#alarms/incidents.ts';
import { asError } from '#caught-error.ts';
import type { Db } from '#db/tables.ts';
import type { NodeTrouble } from '#db/tables/alarms.ts';
import type { Deps } from '#deps.ts';
import { livingNodes } from './open-calls.ts';
import { failingJobs } from './repeat.ts';

const DISK_PERCENT = 90;
const DISK_GRAVE_PERCENT = 97;
/** Failed rounds of a job that runs every minute or so. */
const JOB_ROUNDS = 3;
/** Settlements wait for a database that restarts. */
const LATE_S = 15;

export type LocalDeps = Pick<Deps, 'book' | 'config' | 'log' | 'storage'>;

/** That this node cannot record calls. `isDoubted`: the journal is tried even if it did not fail. */
export function storageTrouble({ book, storage }: LocalDeps, isDoubted?: boolean): NodeTrouble[] {
  const host = hostname();
  const cause = storage.damage.reason ?? (book.isWritable(isDoubted) ? undefined : 'storage is full');
  return cause === undefined ? [] : [{ kind: 'storage', object: host, severity: 'critical', params: { host }, cause }];
}

/** Troubles that only this node sees: of its disk, journal, jobs and connections. */
export async function localTroubles(deps: LocalDeps, certificates: Certificates | undefined): Promise<NodeTrouble[]> {
  const { book, config, log } = deps;
  const host = hostname();
  const troubles = storageTrouble(deps);
  const { lateS, refused, waiting } = book;
  if (lateS >= LATE_S || refused > 0)
    troubles.push({
      kind: 'journal',
      object: host,
      severity: 'error',
      params: { host, waiting: lateS >= LATE_S ? waiting : refused, minutes: Math.floor(lateS / 60) },
      cause: '',
    });
  const { blocks, bavail, bsize } = await statfs(config.dataDir);
  const percent = blocks === 0 ? 0 : Math.floor((1 - bavail / blocks) * 100);
  if (percent >= DISK_PERCENT)
    troubles.push({
      kind: 'disk',
      object: host,
      severity: percent >= DISK_GRAVE_PERCENT ? 'error' : 'warning',
      params: { host, percent, free: Math.round((bavail * bsize) / 1024 ** 3) },
      cause: '',
    });
  for (const [job, { count, error }] of failingJobs(log))
    if (count >= JOB_ROUNDS)
      troubles.push({ kind: 'job', object: job, severity: 'error', params: { job }, cause: asError(error).message });
  for (const { host: peer, days } of certificates?.ending() ?? [])
    troubles.push({
      kind: 'certificate',
      object: peer,
      severity: days < 3 ? 'error' : 'warning',
      params: { host: peer, days },
      cause: '',
    });
  return troubles;
}

/** Publishes the troubles of a node for the one that looks for incidents. */
export async function publishTroubles(db: Db, node: string, found: readonly NodeTrouble[]): Promise<void> {
  const troubles = JSON.stringify(found);
  await db
    .insertInto('node_troubles')
    .values({ node, troubles })
    .onConflict((conflict) => conflict.column('node').doUpdateSet({ troubles }))
    .execute();
}

/** The troubles of this node and all other living ones; those of the dead are forgotten. */
export async function publishedTroubles(db: Db, nodeId: string): Promise<PresentTrouble[]> {
  const isAlive = await livingNodes(db);
  const nodes = await db.selectFrom('nodes').selectAll().execute();
  // By its process id alone, this process is taken for an ended one.
  const living = nodes.filter((node) => node.id === nodeId || isAlive(node)).map(({ id }) => id);
  const rows = await db.selectFrom('node_troubles').selectAll().execute();
  const gone = rows.filter(({ node }) => !living.includes(node)).map(({ node }) => node);
  if (gone.length > 0) await db.deleteFrom('node_troubles').where('node', 'in', gone).execute();
  const troubles = new Map<string, PresentTrouble>();
  for (const { node, troubles: of } of rows)
    if (!gone.includes(node)) for (const trouble of of) troubles.set(`${trouble.kind} ${trouble.object}`, trouble);
  return [...troubles.values()];
}

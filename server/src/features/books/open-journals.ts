import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { type LeftBehind, nodesWithJournals, readJournal, refusedIn } from '#quota/journal.ts';
import type { CheckResult } from './book-checks.ts';

/** The journals of a folder by node. */
export type Journals = ReadonlyMap<string, LeftBehind>;

export const journalsIn = (folder: string): Journals =>
  new Map(nodesWithJournals(folder).map((node) => [node, readJournal(folder, node)]));

/**
 * Checks that leases cover the open, unapplied entries of the journals. Only this machine's journals are readable and
 * calls continue meanwhile: `before` was read before the snapshot `db`, and an open call counts if it still is open now,
 * so its lease must be in the snapshot. A lease may be larger. Also returns the number of open calls.
 */
export async function openJournals(
  db: Kysely<Tables>,
  folder: string,
  before: Journals,
): Promise<CheckResult & { openCalls: number }> {
  const leases = await db
    .selectFrom('leases')
    .where('token_id', '=', 0)
    .select(['node', ({ fn }) => fn.sum<number>('credits').as('credits')])
    .groupBy('node')
    .execute();
  const applied = new Map(
    (await db.selectFrom('journals').selectAll().execute()).map((row) => [row.node, row.applied]),
  );
  const after = journalsIn(folder);
  const found: CheckResult & { openCalls: number } = { compared: 0, differing: 0, differences: [], openCalls: 0 };
  for (const [node, { open, settlements }] of before) {
    const stillOpen = new Map(after.get(node)?.open.map(({ requestId, reserved }) => [requestId, reserved]));
    const lasting = open.filter(({ requestId }) => stillOpen.has(requestId));
    const waiting = settlements.filter(({ seq }) => seq > (applied.get(node) ?? 0));
    const owed =
      // The reservation of a call may have grown since.
      lasting.reduce((sum, { requestId, reserved }) => sum + Math.min(reserved, stillOpen.get(requestId) ?? 0), 0) +
      waiting.reduce((sum, { user }) => sum + user.take + user.back, 0);
    const leased = leases.find((lease) => lease.node === node)?.credits ?? 0;
    found.compared += lasting.length + waiting.length;
    found.openCalls += lasting.length;
    if (owed <= leased) continue;
    found.differing++;
    found.differences.push({ of: `node ${node}`, expected: `at least ${owed} leased`, found: String(leased) });
  }
  const refused = refusedIn(folder);
  if (refused > 0) {
    found.differing += refused;
    found.differences.push({ of: 'settlements that the database refused', expected: '0', found: String(refused) });
  }
  return found;
}

import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { nodesWithJournals, readJournal, refusedIn } from '#quota/journal.ts';
import type { CheckResult } from './book-checks.ts';

/**
 * Checks that leases cover the open, unapplied entries of the journals. Only this machine's journals are readable and
 * calls continue meanwhile, so a lease may be larger but never smaller. Also returns the number of open calls.
 */
export async function openJournals(db: Kysely<Tables>, folder: string): Promise<CheckResult & { openCalls: number }> {
  const leases = await db
    .selectFrom('leases')
    .where('token_id', '=', 0)
    .select(['node', ({ fn }) => fn.sum<number>('credits').as('credits')])
    .groupBy('node')
    .execute();
  const applied = new Map(
    (await db.selectFrom('journals').selectAll().execute()).map((row) => [row.node, row.applied]),
  );
  const found: CheckResult & { openCalls: number } = { compared: 0, differing: 0, differences: [], openCalls: 0 };
  for (const node of nodesWithJournals(folder)) {
    const { open, settlements } = readJournal(folder, node);
    const waiting = settlements.filter(({ seq }) => seq > (applied.get(node) ?? 0));
    const owed =
      open.reduce((sum, { reserved }) => sum + reserved, 0) +
      waiting.reduce((sum, { user }) => sum + user.take + user.back, 0);
    const leased = leases.find((lease) => lease.node === node)?.credits ?? 0;
    found.compared += open.length + waiting.length;
    found.openCalls += open.length;
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

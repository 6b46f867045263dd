import { expect, test } from 'vitest';
import { newSqlite, onOneDatabase } from '#testing/databases.ts';
import { torture, type TortureReport } from './torture.ts';
import { leaves } from './torture-plan.ts';

onOneDatabase('torture', (make) => {
  // SQLite is for one node.
  const sizes = [
    { nodes: 1, workers: 1 },
    { nodes: 1, workers: 2 },
    ...(make === newSqlite ? [] : [{ nodes: 2, workers: 1 }]),
  ];
  test.each(sizes)(
    'kills, stops, faults and callers who leave: nothing is lost, doubled or charged by a wrong rule ($nodes nodes of $workers processes)',
    async ({ nodes, workers }) => {
      // A single process needs time between its ends, also on a slow machine.
      const endEveryMs = nodes === 1 ? 4_000 : 2_000;
      const database = await make();
      try {
        const report = await torture({ seed: 20_261_120, forMs: 9_000, nodes, workers, endEveryMs, database });
        expectCorrect(report, nodes * workers);
        expectEnough(report);
      } finally {
        await database.remove();
      }
    },
    300_000,
  );
});

function expectCorrect(report: TortureReport, processes: number): void {
  const { lost, doubled, wrong, overdrawn, books, limits, payments, tasks, flood } = report;
  expect({ lost, doubled, wrong, overdrawn }).toEqual({ lost: [], doubled: [], wrong: [], overdrawn: [] });
  expect(books.checks.filter(({ differing }) => differing > 0)).toEqual([]);
  expect(books.held).toBe(0);
  expect(limits.held).toBe(0);
  expect({ lost: payments.lost, wrong: payments.wrong }).toEqual({ lost: [], wrong: [] });
  expect({ lost: tasks.lost, wrong: tasks.wrong }).toEqual({ lost: [], wrong: [] });
  // A flood of refusals leaves few rows, which count no more calls than were refused, or cut off by a kill.
  expect(flood.rows).toBeLessThan(50 * processes);
  expect(flood.counted).toBeLessThanOrEqual(flood.sent + flood.cutOff);
}

/** Each kind of event occurred. */
function expectEnough(report: TortureReport): void {
  const { limits, payments, tasks, kills, charged, compared, slowClients, flood, left, refusedBodies } = report;
  const least = {
    'requests of a limited token': [limits.requests, 1],
    'payments credited': [payments.credited, 6],
    'tasks that succeeded': [tasks.ended['SUCCESS'] ?? 0, 1],
    'tasks refunded': [tasks.refunded, 1],
    'bodies refused': [refusedBodies, 1],
    'charges of plain calls compared': [compared.plain, 1],
    'charges of long prompts compared': [compared.long, 1],
    'charges by priority compared': [compared.priority, 1],
    'charges by flex compared': [compared.flex, 1],
    'charges of searches compared': [compared.searches, 1],
    kills: [kills, 1],
    'calls charged': [charged, 21],
    'slow clients': [slowClients, 21],
    'calls refused': [flood.sent, 1],
    'rows of refusals': [flood.rows, 1],
  } as const;
  for (const [what, [count, wanted]] of Object.entries(least)) expect(count, what).toBeGreaterThanOrEqual(wanted);
  expect(Object.keys(left).toSorted()).toEqual([...leaves]);
}

import { expect, test } from 'vitest';
import { newSqlite, onOneDatabase } from '#testing/databases.ts';
import { torture, type TortureReport } from './torture.ts';

onOneDatabase('torture', (make) => {
  // SQLite is for one process.
  test.each(make === newSqlite ? [1] : [1, 2])(
    'kills, stops, faults and callers who leave: nothing is lost, nothing doubled (%i processes)',
    async (nodes) => {
      // A single process needs time between its ends, also on a slow machine.
      const endEveryMs = nodes === 1 ? 4_000 : 2_000;
      const run = async (forMs: number) => {
        const database = await make();
        try {
          return await torture({ seed: 20_261_120, forMs, nodes, endEveryMs, database });
        } finally {
          await database.remove();
        }
      };
      let report = await run(9_000);
      expectCorrect(report, nodes);
      // A machine under load did little in that time.
      if (!hadEnough(report)) {
        report = await run(30_000);
        expectCorrect(report, nodes);
      }
      const { limits, payments, tasks, kills, charged, slowClients, flood, left } = report;
      expect(hadEnough(report), JSON.stringify({ limits, payments, tasks, kills, charged, slowClients, flood })).toBe(
        true,
      );
      expect(Object.keys(left).toSorted()).toEqual(LEFT);
    },
    300_000,
  );
});

const LEFT = ['before_done', 'before_first_byte', 'during_wait', 'mid_stream'];

function expectCorrect(report: TortureReport, nodes: number): void {
  const { lost, doubled, wrong, books, limits, payments, tasks, flood } = report;
  expect({ lost, doubled, wrong }).toEqual({ lost: [], doubled: [], wrong: [] });
  expect(books.checks.filter(({ differing }) => differing > 0)).toEqual([]);
  expect(books.held).toBe(0);
  expect(limits.held).toBe(0);
  expect({ lost: payments.lost, wrong: payments.wrong }).toEqual({ lost: [], wrong: [] });
  expect({ lost: tasks.lost, wrong: tasks.wrong }).toEqual({ lost: [], wrong: [] });
  // A flood of refusals leaves few rows, which count no more calls than were refused, or cut off by a kill.
  expect(flood.rows).toBeLessThan(50 * nodes);
  expect(flood.counted).toBeLessThanOrEqual(flood.sent + flood.cutOff);
}

/** Each kind of event occurred. */
const hadEnough = ({ limits, payments, tasks, kills, charged, slowClients, flood, left }: TortureReport): boolean =>
  limits.requests > 0 &&
  payments.credited > 5 &&
  (tasks.ended['SUCCESS'] ?? 0) > 0 &&
  tasks.refunded > 0 &&
  kills > 0 &&
  charged > 20 &&
  slowClients > 20 &&
  flood.sent > 0 &&
  flood.rows > 0 &&
  LEFT.every((when) => when in left);

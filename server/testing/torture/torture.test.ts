import { expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { torture } from './torture.ts';

onEveryDatabase('torture', (make) => {
  test.each([1, 2])(
    'kills, stops, faults and callers who leave: nothing is lost, nothing doubled (%i processes)',
    async (nodes) => {
      const database = await make();
      try {
        // A single process needs time between its ends, also on a slow machine.
        const endEveryMs = nodes === 1 ? 4_000 : 2_000;
        const report = await torture({ seed: 20_261_120, forMs: 9_000, nodes, endEveryMs, database });
        const { lost, doubled, wrong, books } = report;
        expect({ lost, doubled, wrong }).toEqual({ lost: [], doubled: [], wrong: [] });
        expect(books.checks.filter(({ differing }) => differing > 0)).toEqual([]);
        expect(books.held).toBe(0);
        expect(report.limits.held).toBe(0);
        expect(report.limits.requests).toBeGreaterThan(0);
        expect({ lost: report.payments.lost, wrong: report.payments.wrong }).toEqual({ lost: [], wrong: [] });
        expect(report.payments.credited).toBeGreaterThan(5);
        const { tasks } = report;
        expect({ lost: tasks.lost, wrong: tasks.wrong }).toEqual({ lost: [], wrong: [] });
        expect(tasks.ended['SUCCESS']).toBeGreaterThan(0);
        expect(tasks.refunded).toBeGreaterThan(0);
        // Each kind of event occurred.
        expect(report.kills).toBeGreaterThan(0);
        expect(report.charged).toBeGreaterThan(20);
        expect(report.slowClients).toBeGreaterThan(20);
        // A flood of refusals leaves few rows, which count no more calls than were refused.
        expect(report.flood.sent).toBeGreaterThan(0);
        expect(report.flood.rows).toBeGreaterThan(0);
        expect(report.flood.rows).toBeLessThan(50 * nodes);
        expect(report.flood.counted).toBeLessThanOrEqual(report.flood.sent);
        expect(Object.keys(report.left).toSorted()).toEqual([
          'before_done',
          'before_first_byte',
          'during_wait',
          'mid_stream',
        ]);
      } finally {
        await database.remove();
      }
    },
    180_000,
  );
});

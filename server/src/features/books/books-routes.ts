import type { BookCheck, BooksReport } from '@relay-hub/contract';
import { billApi, bookChecks, booksApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { serve } from '#http/serve.ts';
import { journalFolder } from '#quota/journal.ts';
import { clockOf } from '#features/analytics/analytics-period.ts';
import { checkBooks } from './check-books.ts';
import { compareBill } from './compare-bill.ts';

/** One reconciliation at a time; its report is kept until the next one. */
export function booksRoutes(app: FastifyInstance, deps: Deps): void {
  let running: { check: BookCheck; done: number; of: number; until: number } | null = null;
  let report: BooksReport | null = null;
  let failed = '';

  async function run(full: boolean): Promise<void> {
    try {
      report = await checkBooks(deps.storage, journalFolder(deps.config.dataDir), {
        full,
        now: deps.now(),
        progress: (check, done, until) => {
          running = { check, done, of: bookChecks.length, until };
        },
      });
    } catch (error) {
      deps.log.error({ err: error }, 'reconciliation failed');
      failed = error instanceof Error ? error.message : 'unknown';
    } finally {
      running = null;
    }
  }

  serve(app, deps, booksApi.state, async () => ({ running, report, failed }));

  serve(app, deps, billApi.compare, ({ body: { time_zone: zone, ...bill } }) =>
    compareBill(deps.db, bill, clockOf(zone)),
  );

  serve(app, deps, booksApi.run, async ({ query: { full } }) => {
    ensure(!running, 'books.running');
    running = { check: bookChecks[0], done: 0, of: bookChecks.length, until: 0 };
    failed = '';
    void run(full === 'true');
  });
}

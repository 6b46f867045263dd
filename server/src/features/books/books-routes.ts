import type { BookCheck, BooksReport } from '@relay-hub/contract';
import { billApi, billSourceApi, bookChecks, booksApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { serve } from '#http/serve.ts';
import { journalFolder } from '#quota/journal.ts';
import { clockOf } from '#features/analytics/analytics-period.ts';
import { checkBooks } from './check-books.ts';
import { createSource, fetchSource, listSources, removeSource, updateSource } from './bill-sources.ts';
import { compareBill } from './compare-bill.ts';
import { billOf, closeBill, listBills, removeBill, reopenBill, saveBill } from './kept-bills.ts';

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

  serve(app, deps, billApi.list, () => listBills(deps.db));
  serve(app, deps, billApi.save, ({ body }, { viewer }) =>
    saveBill(deps, body, { actor: viewer.username, origin: 'file' }),
  );
  serve(app, deps, billApi.get, ({ params: { id } }) => billOf(deps.db, id));
  serve(app, deps, billApi.close, ({ params: { id }, body: { note } }, { viewer }) =>
    closeBill(deps, id, { actor: viewer.username, note }),
  );
  serve(app, deps, billApi.reopen, ({ params: { id }, body: { note } }, { viewer }) =>
    reopenBill(deps, id, { actor: viewer.username, note }),
  );
  serve(app, deps, billApi.remove, ({ params: { id } }) => removeBill(deps.db, id));

  serve(app, deps, billSourceApi.list, () => listSources(deps.db));
  serve(app, deps, billSourceApi.create, ({ body }) => createSource(deps, body));
  serve(app, deps, billSourceApi.update, ({ params: { id }, body }) => updateSource(deps, id, body));
  serve(app, deps, billSourceApi.remove, ({ params: { id } }) => removeSource(deps.db, id));
  serve(app, deps, billSourceApi.fetch, ({ params: { id }, body: { month } }, { viewer }) =>
    fetchSource(deps, id, { month, actor: viewer.username }),
  );

  serve(app, deps, booksApi.run, async ({ query: { full } }) => {
    ensure(!running, 'books.running');
    running = { check: bookChecks[0], done: 0, of: bookChecks.length, until: 0 };
    failed = '';
    void run(full === 'true');
  });
}

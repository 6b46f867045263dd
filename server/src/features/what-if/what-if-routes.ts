import { type Language, type WhatIfGroup, type WhatIfGrouping, whatIfApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { csv, type CsvColumn } from '#http/csv.ts';
import { serve, serveFile } from '#http/serve.ts';
import { cancelWhatIf, listRuns, orderWhatIf, reportOf, runOf } from './what-if-runs.ts';
import { WhatIfWorker } from './what-if-worker.ts';
import { serverTexts } from '#i18n/texts.ts';

/** Past months priced again with other terms. */
export function whatIfRoutes(app: FastifyInstance, deps: Deps): void {
  const worker = new WhatIfWorker(deps);
  app.addHook('onReady', async () => worker.wake());
  app.addHook('onClose', () => worker.stop());

  serve(app, deps, whatIfApi.list, () => listRuns(deps.db));
  serve(app, deps, whatIfApi.start, async ({ body }, { viewer }) => {
    const run = await orderWhatIf(deps, body, viewer.username);
    worker.wake();
    return run;
  });
  serve(app, deps, whatIfApi.get, ({ params: { id } }) => reportOf(deps.db, id));
  serve(app, deps, whatIfApi.cancel, ({ params: { id } }) => cancelWhatIf(deps, id));
  serve(app, deps, whatIfApi.remove, async ({ params: { id } }) => {
    await runOf(deps.db, id);
    await deps.db.deleteFrom('what_ifs').where('id', '=', id).execute();
  });
  serveFile(app, deps, whatIfApi.download, async ({ params: { id }, query: { by } }, { language }) => {
    const { question, report } = await reportOf(deps.db, id);
    return {
      name: `what-if ${question.month} ${by}.csv`,
      pieces: csv(columnsOf(language, by), report?.groups[by] ?? []),
    };
  });
}

function columnsOf(language: Language, by: WhatIfGrouping): CsvColumn<WhatIfGroup>[] {
  const { analytics, whatIf } = serverTexts(language).csv;
  const [, id, calls] = analytics.headings;
  const marginOf = (costed: number, cost: number) => Math.round(costed * 1000 - cost * 1000) / 1000;
  return [
    { heading: id, cell: (group) => group.id },
    { heading: analytics.by[by], cell: ({ name }) => name },
    { heading: calls, cell: (group) => group.calls },
    { heading: whatIf.charged, cell: ({ charged }) => charged },
    { heading: whatIf.wouldCharge, cell: ({ would_charge: would }) => would },
    { heading: whatIf.cost, cell: ({ cost }) => cost },
    { heading: whatIf.wouldCost, cell: ({ would_cost: would }) => would },
    { heading: whatIf.margin, cell: ({ costed, cost }) => marginOf(costed, cost) },
    { heading: whatIf.wouldMargin, cell: ({ would_costed: costed, would_cost: cost }) => marginOf(costed, cost) },
  ];
}

import { channelJobApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { serve } from '#http/serve.ts';
import { rowsIn, troubledIn } from '#features/channel/bulk/change-channels.ts';
import { switchOffEmpty, updateBalance } from './channel-balance.ts';
import { endJob, getJob, listJobs } from './channel-jobs.ts';
import { findRow } from '#features/channel/channel-record.ts';
import { ChannelWorker, everyRow, rowsWithBalance } from './channel-worker.ts';

export function channelJobRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, now } = deps;
  const worker = new ChannelWorker(deps);
  app.addHook('onClose', () => worker.stop());

  serve(app, deps, channelJobApi.list, () => listJobs(db, now()));
  serve(app, deps, channelJobApi.testAll, async (_, { viewer }) => worker.start('test', await everyRow(db), viewer.id));
  serve(app, deps, channelJobApi.testSome, async ({ body }, { viewer }) => {
    const rows = await rowsIn(db, body.scope, await troubledIn(db, body.scope, deps));
    return worker.start('test', rows, viewer.id);
  });
  serve(app, deps, channelJobApi.updateBalances, async (_, { viewer }) =>
    worker.start('balance', await rowsWithBalance(db), viewer.id),
  );
  serve(app, deps, channelJobApi.updateBalance, async ({ params }, { beside }) => {
    const row = await findRow(db, params.id);
    const result = await updateBalance(deps, row);
    beside({ balance: result.balance });
    await switchOffEmpty(deps, row, result);
    return result;
  });
  serve(app, deps, channelJobApi.cancel, async ({ params }) => {
    await endJob({ db, now }, { kind: params.kind }, 'cancelled');
    return getJob(db, params.kind, now());
  });
}

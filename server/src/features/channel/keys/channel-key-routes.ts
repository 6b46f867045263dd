import { channelKeyApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { serve } from '#http/serve.ts';
import { addKeys, listKeys, removeKey, setKeyStatus } from './channel-keys.ts';
import { findRow } from '#features/channel/channel-record.ts';
import { keysIn } from './key-text.ts';
import { typeAfter } from '#features/channel/bulk/plan-edit.ts';
import { modelByHand } from '#features/channel/checks/channel-probe.ts';
import { runKeyTest } from '#features/channel/checks/run-test.ts';

export function channelKeyRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, secrets, live, now } = deps;

  serve(app, deps, channelKeyApi.list, async ({ params }) => {
    await findRow(db, params.id);
    return listKeys(db, params.id);
  });
  serve(app, deps, channelKeyApi.add, async ({ params, body }) => {
    const keys = keysIn(body.keys, typeAfter({}, await findRow(db, params.id)));
    const given = keys.map((key) => ({ channel_id: params.id, key }));
    const added = await live.inForce('routes', addKeys(db, secrets, given, now()));
    return { added, repeated: keys.length - added };
  });
  serve(app, deps, channelKeyApi.update, async ({ params, body }) => {
    await findRow(db, params.id);
    return live.inForce('routes', setKeyStatus(db, params.id, params.key, body.status));
  });
  serve(app, deps, channelKeyApi.remove, async ({ params }) => {
    await findRow(db, params.id);
    const removed = db.transaction().execute((trx) => removeKey(trx, params.id, params.key));
    await live.inForce('routes', removed);
  });
  serve(app, deps, channelKeyApi.test, async ({ params, query }) => {
    const model = query.model || modelByHand(await findRow(db, params.id), live);
    return runKeyTest(deps, params.id, params.key, model);
  });
}

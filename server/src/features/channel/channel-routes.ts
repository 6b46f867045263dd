import { channelApi, keptSecret } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import { channelTypes } from '#channel-types/channel-types.ts';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { serve } from '#http/serve.ts';
import { findProvider } from '#providers/registry.ts';
import type { Probed } from './ask-provider.ts';
import { listChannels } from './channel-list.ts';
import { keyInUse } from './channel-keys.ts';
import { askForModels } from './channel-probe.ts';
import { channelHealths, removeChannel } from './channel-queries.ts';
import { findRow, getChannel } from './channel-record.ts';
import { checkAddress, checkReach, isReadByAnother, otherOf, targetOf, usableType } from './channel-rules.ts';
import { merged, noSecrets, opened } from './channel-secrets.ts';
import { createChannels } from './create-channels.ts';
import { keysIn } from './key-text.ts';
import { runTest } from './run-test.ts';
import { updateChannel } from './update-channel.ts';

export function channelRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, secrets, live, upstreams, now } = deps;

  serve(app, deps, channelApi.list, ({ query }) => listChannels(db, deps, query));
  serve(app, deps, channelApi.types, async () => channelTypes());
  serve(app, deps, channelApi.health, () => channelHealths(db, now()));
  serve(app, deps, channelApi.get, ({ params }) => getChannel(db, deps, params.id));

  serve(app, deps, channelApi.create, ({ body }) => live.inForce('routes', createChannels(deps, body)));
  serve(app, deps, channelApi.update, ({ body }) => live.inForce('routes', updateChannel(deps, body)));
  serve(app, deps, channelApi.untag, ({ params }) =>
    live.inForce('routes', updateChannel(deps, { id: params.id, tag: '' })),
  );
  serve(app, deps, channelApi.remove, ({ params }) => live.inForce('routes', removeChannel(db, params.id, now())));
  serve(app, deps, channelApi.unfreeze, async ({ params }) => {
    live.health.forget(params.id);
    return getChannel(db, deps, params.id);
  });

  serve(app, deps, channelApi.providerModels, async ({ body }) => {
    const type = usableType(body.type);
    checkAddress(type, body.base_url);
    checkReach(body, deps.config.outboundPrivate);
    const other = otherOf(type, body.other);
    const provider = findProvider(body.type);
    ensure(provider, 'channel.type_unknown', { field: 'type', type: body.type });
    const row = body.id === 0 ? undefined : await findRow(db, body.id);
    const stored = row ? opened(secrets, row) : noSecrets;
    const target = targetOf(body.type, body.base_url);
    const goesWhereItWent =
      row && targetOf(row.type, row.base_url) === target && !isReadByAnother(target, body.proxy, stored.proxy);
    const keepsSecrets = body.key === '' || JSON.stringify(body).includes(keptSecret);
    if (row && keepsSecrets) ensure(goesWhereItWent, 'channel.key_again', { field: 'key' });
    const key = keysIn(body.key, type)[0] ?? (row && (await keyInUse(db, secrets, row.id)).key);
    ensure(key, 'channel.key_needed', { field: 'key' });
    const own = merged(body, stored);
    const probed: Probed = { ...own, provider, base_url: body.base_url, other, key };
    return askForModels(upstreams, probed);
  });

  serve(app, deps, channelApi.test, async ({ params, query }, { beside }) => {
    const { test } = await runTest(deps, await findRow(db, params.id), query.model);
    beside({ time: test.ms / 1000 });
    return test;
  });
}

import { type AttemptKind, channelApi, type ChannelHealth, healthHours } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import { baseAddressIn } from '#channel-types/base-address.ts';
import { channelTypes } from '#channel-types/channel-types.ts';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { objectOr } from '#json.ts';
import { operatorReach } from '#http/outbound/reach.ts';
import { serve } from '#http/serve.ts';
import { findProvider } from '#providers/registry.ts';
import { ensureSameDestination, isEntered } from '#stored-secrets.ts';
import type { ProbedChannel } from '#features/channel/checks/ask-provider.ts';
import { keyInUse } from '#features/channel/keys/channel-keys.ts';
import { askForModels, modelByHand } from '#features/channel/checks/channel-probe.ts';
import { hasKept, merged, noSecrets, opened } from '#features/channel/keys/channel-secrets.ts';
import { copyOfReferred, editOfReferred, keyReference, listOfReferred } from '#features/channel/keys/key-reference.ts';
import { keysIn } from '#features/channel/keys/key-text.ts';
import { runTest } from '#features/channel/checks/run-test.ts';
import { forgetLacks } from '#relay/select/responses-fallback.ts';
import type { Db } from '#db/tables.ts';
import { listChannels } from './channel-list.ts';
import { findRow, getChannel } from './channel-record.ts';
import { checkAddress, checkReach, destinationOf, otherOf, usableType } from './channel-rules.ts';
import { createChannels } from './create-channels.ts';
import { servedFacts } from './served-facts.ts';
import { updateChannel } from './update-channel.ts';

/** Soft-deletes a channel, because log rows keep referring to it. */
async function removeChannel(db: Db, id: number, now: number): Promise<void> {
  const removed = await db
    .updateTable('channels')
    .set({ deleted_time: now })
    .where('id', '=', id)
    .where('deleted_time', 'is', null)
    .returning('id')
    .executeTakeFirst();
  ensure(removed, 'record.not_found', { field: 'id' });
}

const HOUR_S = 3600;
/** Kinds of failed attempts that do not reflect on the channel. */
const NOT_ITS_OWN: AttemptKind[] = ['request', 'caller'];

type HealthHour = ChannelHealth['hours'][number];

/** Start of the latest `hours` hours, the current one included. */
const since = (now: number, hours: number) => now - (now % HOUR_S) - (hours - 1) * HOUR_S;

const counted = (db: Db, from: number) =>
  db.selectFrom('attempts_by_channel').where('hour', '>=', from).where('kind', 'not in', NOT_ITS_OWN);

/** Attempts and failures per channel for each of the last 24 hours, the current one included. */
async function channelHealths(db: Db, now: number): Promise<ChannelHealth[]> {
  const first = since(now, healthHours);
  const channels = await db
    .selectFrom('channels')
    .where('deleted_time', 'is', null)
    .select('id')
    .orderBy('id')
    .execute();
  const healths = new Map(channels.map(({ id }) => [id, { channel_id: id, hours: noHours() }]));
  const rows = await counted(db, first).select(['channel_id', 'hour', 'kind', 'attempts']).execute();
  for (const { channel_id: id, hour, kind, attempts } of rows) {
    const slot = healths.get(id)?.hours[(hour - first) / HOUR_S];
    if (!slot) continue;
    slot.requests += attempts;
    if (kind === 'ok' || kind === 'request' || kind === 'caller') continue;
    slot.failures += attempts;
    (slot.reasons ??= {})[kind] = attempts;
  }
  return [...healths.values()];
}

const noHours = (): HealthHour[] => Array.from({ length: healthHours }, () => ({ requests: 0, failures: 0 }));

/**
 * A channel as this API takes it: new-api sends `{ mode, channel }`, in which null means "not set", and clients of the
 * family send the weight 0, which counts as 1. Any other body is unchanged.
 */
function ownForm(body: unknown): unknown {
  const { mode, channel } = objectOr(body);
  const isWrapped = typeof mode === 'string' && typeof channel === 'object' && channel !== null;
  const set = isWrapped && Object.entries(channel).filter(([, value]) => value !== null);
  const flat = set ? { ...Object.fromEntries(set), one_channel: mode === 'multi_to_single' } : body;
  return objectOr(flat)['weight'] === 0 ? { ...objectOr(flat), weight: 1 } : flat;
}

export function channelRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, secrets, live, upstreams, now } = deps;

  // Creating and editing have one path.
  app.addHook('preHandler', async (request) => {
    if (request.routeOptions.url === channelApi.create.path) request.body = ownForm(request.body);
  });

  serve(app, deps, channelApi.list, ({ query }) => listChannels(db, deps, query));
  serve(app, deps, channelApi.types, async () => channelTypes());
  serve(app, deps, channelApi.health, () => channelHealths(db, now()));
  serve(app, deps, channelApi.get, async ({ params }) => {
    const record = await getChannel(db, deps, params.id);
    return live.settings.FamilyMode && record.key_count > 0 ? { ...record, key: keyReference(record.id) } : record;
  });

  serve(app, deps, channelApi.served, async ({ params: { id }, query: { days } }) => {
    await findRow(db, id);
    return servedFacts(db, id, now() - days * 86_400);
  });

  serve(app, deps, channelApi.create, ({ body }) => live.inForce('routes', createChannels(deps, copyOfReferred(body))));
  serve(app, deps, channelApi.update, ({ body }, { viewer }) =>
    live.inForce('routes', updateChannel(deps, editOfReferred(body), viewer.id)),
  );
  serve(app, deps, channelApi.untag, ({ params }, { viewer }) =>
    live.inForce('routes', updateChannel(deps, { id: params.id, tag: '' }, viewer.id)),
  );
  serve(app, deps, channelApi.remove, ({ params }) => live.inForce('routes', removeChannel(db, params.id, now())));
  serve(app, deps, channelApi.unfreeze, async ({ params }) => {
    live.absolve(params.id);
    forgetLacks(live.routes.channel(params.id));
    return getChannel(db, deps, params.id);
  });
  serve(app, deps, channelApi.clearUsageWarning, async ({ params }) => {
    const { id } = await findRow(db, params.id);
    await db.updateTable('channels').set({ usage_warning: '' }).where('id', '=', id).execute();
    return getChannel(db, deps, id);
  });

  serve(app, deps, channelApi.providerModels, async ({ body: sent }) => {
    const body = listOfReferred(sent);
    const type = usableType(body.type);
    const base_url = baseAddressIn(body.type, body.base_url, body.plugin);
    checkAddress(type, base_url);
    checkReach(body, operatorReach(deps));
    const other = otherOf(type, body.other);
    const provider = findProvider(body.type);
    ensure(provider, 'channel.type_unknown', { field: 'type', type: body.type });
    const row = body.id === 0 ? undefined : await findRow(db, body.id);
    const stored = row ? opened(secrets, row) : noSecrets;
    const own = merged(body, stored);
    if (row) {
      const kept = {
        key: !isEntered(body.key),
        model_headers: hasKept(body.model_headers),
        plugin: hasKept(JSON.stringify(body.plugin)),
      };
      const [from, to] = [destinationOf({ ...row, ...stored }), destinationOf({ ...body, ...own })];
      ensureSameDestination(from, to, kept, 'channel.key_again');
    }
    const key = keysIn(body.key, type)[0] ?? (row && (await keyInUse(db, secrets, row.id)).key);
    ensure(key !== undefined, 'channel.key_needed', { field: 'key' });
    const probed: ProbedChannel = { ...own, provider, base_url, other, key };
    return askForModels(upstreams, probed);
  });

  serve(app, deps, channelApi.test, async ({ params, query }, { beside }) => {
    const row = await findRow(db, params.id);
    const { test } = await runTest(deps, row, query.model || modelByHand(row, deps.live));
    beside({ time: test.ms / 1000 });
    return test;
  });
}

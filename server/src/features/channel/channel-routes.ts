import type { Channel, ChannelTest } from '@relay-hub/contract';
import { channelApi, splitList } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { serve } from '#http/serve.ts';
import type { Provider } from '#providers/provider.ts';
import { allProviders, findProvider } from '#providers/registry.ts';
import type { Probed } from './channel-probe.ts';
import { askForModels, testChannel } from './channel-probe.ts';
import * as channels from './channel-queries.ts';

export function channelRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, secrets, live, upstreams, now } = deps;

  const providerOf = (type: number): Provider => {
    const provider = findProvider(type);
    ensure(provider, 'channel.type_unknown', { field: 'type', type });
    return provider;
  };

  const checkAddress = (type: number, baseUrl: string): void => {
    const provider = providerOf(type);
    ensure(baseUrl !== '' || provider.baseUrl !== '', 'channel.address_needed', { field: 'base_url' });
  };

  const targetOf = (type: number, baseUrl: string): string => new URL(baseUrl || providerOf(type).baseUrl).origin;
  const isSameTarget = (before: Channel, type: number, baseUrl: string): boolean =>
    targetOf(before.type, before.base_url) === targetOf(type, baseUrl);

  /** The stored key for a request to the channel's own address; empty for no channel. */
  const storedKey = async (id: number, type: number, baseUrl: string): Promise<string> => {
    if (id === 0) return '';
    ensure(isSameTarget(await channels.getChannel(db, id), type, baseUrl), 'channel.key_again', { field: 'key' });
    return channels.channelKey(db, secrets, id);
  };

  const checkGroups = async (list: string | undefined): Promise<void> => {
    if (list === undefined) return;
    const rows = await db.selectFrom('user_groups').select('symbol').execute();
    const known = new Set(rows.map(({ symbol }) => symbol));
    for (const name of splitList(list)) ensure(known.has(name), 'group.unknown', { field: 'group', name });
  };

  serve(app, deps, channelApi.list, ({ query }) => channels.listChannels(db, query));
  serve(app, deps, channelApi.types, async () =>
    allProviders().map(({ type, title, baseUrl, testModel, website, models }) => ({
      type,
      title,
      base_url: baseUrl,
      test_model: testModel,
      website,
      lists_models: models !== undefined,
    })),
  );
  serve(app, deps, channelApi.health, () => channels.channelHealths(db, now()));
  serve(app, deps, channelApi.get, ({ params }) => channels.getChannel(db, params.id));

  serve(app, deps, channelApi.create, async ({ body }) => {
    checkAddress(body.type, body.base_url);
    await checkGroups(body.group);
    const made = await channels.createChannels(db, secrets, body, now());
    await live.changed('routes');
    return made;
  });

  serve(app, deps, channelApi.update, async ({ body }) => {
    const before = await channels.getChannel(db, body.id);
    const [type, baseUrl] = [body.type ?? before.type, body.base_url ?? before.base_url];
    checkAddress(type, baseUrl);
    // A stored key is never shown, so it must not be sent to an address of somebody's choice either.
    ensure(body.key || isSameTarget(before, type, baseUrl), 'channel.key_again', { field: 'key' });
    await checkGroups(body.group);
    const updated = await channels.updateChannel(db, secrets, body);
    await live.changed('routes');
    return updated;
  });

  serve(app, deps, channelApi.remove, async ({ params }) => {
    await channels.removeChannel(db, params.id, now());
    await live.changed('routes');
  });

  serve(app, deps, channelApi.providerModels, async ({ body }) => {
    const key = body.key.split('\n')[0] || (await storedKey(body.id, body.type, body.base_url));
    ensure(key !== '', 'channel.key_needed', { field: 'key' });
    return askForModels(upstreams, {
      provider: providerOf(body.type),
      base_url: body.base_url,
      key,
      model_headers: body.model_headers,
    });
  });

  serve(app, deps, channelApi.test, async ({ params, query }) => {
    const channel = await channels.getChannel(db, params.id);
    const model = query.model || channel.test_model;
    ensure(model !== '', 'channel.test_model_needed', { field: 'test_model' });
    const probed = {
      ...channel,
      provider: providerOf(channel.type),
      key: await channels.channelKey(db, secrets, channel.id),
    };
    return recordTest(channel, probed, model);
  });

  async function recordTest(channel: Channel, probed: Probed, model: string): Promise<ChannelTest> {
    try {
      const result = await testChannel(upstreams, probed, model, channel.model_mapping);
      await db
        .updateTable('channels')
        .set({ response_time: result.ms, test_time: now(), last_error: '' })
        .where('id', '=', channel.id)
        .execute();
      return result;
    } catch (error) {
      if (error instanceof AppError && error.code === 'channel.upstream_failed') {
        await db
          .updateTable('channels')
          .set({ test_time: now(), last_error: String(error.values['reason']), last_error_time: now() })
          .where('id', '=', channel.id)
          .execute();
      }
      throw error;
    }
  }
}

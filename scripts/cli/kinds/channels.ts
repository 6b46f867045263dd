import {
  channelApi,
  channelEdit,
  channelFeatures,
  channelKeyApi,
  channelStatus,
  type InputOf,
  keptSecret,
  newChannel,
  parseTextMap,
  purchasePrice,
  purchasePriceApi,
  splitList,
} from '@relay-hub/contract';
import * as z from 'zod/mini';
import { baseAddressIn } from '../../../server/src/channel-types/base-address.ts';
import { findChannelType } from '../../../server/src/channel-types/channel-types.ts';
import { hidden, noSecrets } from '../../../server/src/features/channel/keys/channel-secrets.ts';
import { keysIn } from '../../../server/src/features/channel/keys/key-text.ts';
import { hintOf } from '../../../server/src/secrets.ts';
import type { Entry } from '../config-files.ts';
import { all } from '../hub-client.ts';
import {
  type Fields,
  type Desired,
  type Stored,
  type Kind,
  parsed,
  ensureName,
  ensureReferences,
  asJson,
  inputOf,
  pick,
  listed,
  isPlainObject,
  mapped,
} from './kind.ts';

const { name: channelName, key: _key, one_channel: _one, copy_of: _copy, id: _id, ...channelShape } = newChannel.shape;
const { custom_parameter: _custom, param_override: _override, ...ownChannelShape } = channelShape;
const purchases = z._default(
  z.array(purchasePrice).check(
    z.maxLength(2000),
    z.refine((list) => new Set(list.map(({ model, valid_from: from }) => `${from} ${model}`)).size === list.length, {
      error: 'model.repeated',
    }),
  ),
  [],
);
const channelFields = z.object({
  ...ownChannelShape,
  base_url: z._default(channelEdit.shape.base_url._zod.def.innerType, ''),
  /** Absent: the hub's are kept. */
  key: z.optional(newChannel.shape.key),
});
const channelFile = z.extend(channelFields, { purchase_prices: purchases });

function readChannel(entry: Entry): Desired {
  const name = ensureName(channelName, entry);
  const given = isPlainObject(entry.value) ? entry.value : {};
  const { key, models, group, model_mapping, model_headers } = given;
  const flat = {
    ...given,
    ...('models' in given && { models: listed(models) }),
    ...('group' in given && { group: listed(group) }),
    ...('key' in given && { key: Array.isArray(key) ? key.map(String).join('\n') : key }),
    ...('model_mapping' in given && { model_mapping: mapped(model_mapping) }),
    ...('model_headers' in given && { model_headers: mapped(model_headers) }),
  };
  const fields = parsed(channelFile, entry, isPlainObject(entry.value) ? flat : entry.value);
  ensureReferences(entry, secretsOfChannel(given, fields));
  const type = findChannelType(fields.type);
  if (!type?.supported) entry.fail(['type'], `there is no channel type ${fields.type}`);
  fields.base_url = baseAddressIn(fields.type, fields.base_url, fields.plugin);
  if (fields.other === '') fields.other = type?.other?.fallback ?? '';
  fields.excluded = channelFeatures.filter((feature) => fields.excluded.includes(feature));
  const { key: keys, ...others } = fields;
  const form = formOfChannel(asJson(others));
  if (keys) form['key'] = keyHints(entry, keys, type);
  return { entry, name, fields: asJson(fields), form };
}

function keyHints(entry: Entry, keys: string, type: Parameters<typeof keysIn>[1] | undefined): string[] {
  try {
    return type ? keysIn(keys, type).map(hintOf).toSorted() : [];
  } catch {
    return entry.fail(['key'], 'has not the form of a key of this channel type');
  }
}

/** Paths in the file of what the hub stores as secrets. */
function secretsOfChannel(given: Fields, { proxy }: { proxy: string }): string[] {
  const { key } = given;
  const keys = key === undefined || key === '' ? [] : Array.isArray(key) ? key.map((_, i) => `key.${i}`) : ['key'];
  const headers = isPlainObject(given['model_headers'])
    ? Object.keys(given['model_headers']).map((name) => `model_headers.${name}`)
    : given['model_headers']
      ? ['model_headers']
      : [];
  const plugin = isPlainObject(given['plugin']) ? given['plugin']['headers'] : undefined;
  const options = isPlainObject(plugin) ? Object.keys(plugin).filter((name) => plugin[name] !== '') : [];
  return [
    ...keys,
    ...headers,
    ...options.map((name) => `plugin.headers.${name}`),
    ...(hidden({ ...noSecrets, proxy }).proxy === proxy ? [] : ['proxy']),
  ];
}

/** Fields of a channel for comparison; secrets become the hub's placeholder. */
function formOfChannel(fields: Fields): Fields {
  const { model_headers, proxy, plugin } = hidden({
    model_headers: String(fields['model_headers']),
    proxy: String(fields['proxy']),
    plugin: (fields['plugin'] ?? {}) as Parameters<typeof hidden>[0]['plugin'],
  });
  const lists = { models: splitList(String(fields['models'])), group: splitList(String(fields['group'])) };
  const maps = {
    model_mapping: parseTextMap(String(fields['model_mapping'])) ?? {},
    model_headers: parseTextMap(model_headers) ?? {},
  };
  // A channel that the server disabled is one that the operator enabled.
  const status = fields['status'] === channelStatus.disabled ? channelStatus.disabled : channelStatus.enabled;
  return { ...fields, ...lists, ...maps, proxy, plugin, status };
}

export const channels: Kind = {
  name: 'channels',
  about: 'Accounts at providers. `key` is kept if it is left out.',
  atOnce: 1,
  shape: channelFile.shape,
  defaults: { group: ['default'], model_mapping: {}, model_headers: {} },
  read: readChannel,
  async list(hub, wanted) {
    const records = await all(hub, channelApi.list);
    return inTurn(records, async (record): Promise<Stored> => {
      const prices = await hub.call(purchasePriceApi.list, { params: { id: record.id } });
      const fields = pick(record, Object.keys(channelFields.shape));
      delete fields['key'];
      const form = formOfChannel({
        ...fields,
        purchase_prices: prices.map((price) => pick(price, Object.keys(purchasePrice.shape))),
      });
      const isCompared = wanted?.get(record.name)?.form['key'] !== undefined;
      if (isCompared)
        form['key'] =
          record.key_count === 1
            ? [record.key_hint]
            : (await hub.call(channelKeyApi.list, { params: { id: record.id } })).map((key) => key.key_hint).toSorted();
      return {
        name: record.name,
        id: record.id,
        form,
        fileForm: (reference) => channelForFile(form, record.key_count, reference),
      };
    });
  },
  async write(hub, writes) {
    for (const { name, desired, stored, changed } of writes) {
      const { purchase_prices: prices, ...fields } = desired.fields;
      let id = stored?.id;
      if (id === undefined) {
        const body = inputOf(channelApi.create, { ...fields, name, one_channel: true });
        [{ id } = { id }] = await hub.call(channelApi.create, { body });
      } else {
        // Stored secrets go to no other place than they were entered for, so they are sent again.
        const isMoved = ['type', 'base_url', 'proxy'].some((field) => changed.has(field));
        const sent = Object.keys(fields).filter(
          (field) => changed.has(field) || (isMoved && ['key', 'model_headers', 'plugin', 'proxy'].includes(field)),
        );
        if (sent.length > 0)
          await hub.call(channelApi.update, {
            body: inputOf(channelApi.update, { ...pick(fields, sent), id }),
          });
      }
      const isPriced = stored ? changed.has('purchase_prices') : Array.isArray(prices) && prices.length > 0;
      if (isPriced && id !== undefined)
        await hub.call(purchasePriceApi.set, {
          params: { id },
          body: { prices } as InputOf<typeof purchasePriceApi.set>['body'],
        });
    }
  },
  async remove(hub, gone) {
    for (const { id } of gone) await hub.call(channelApi.remove, { params: { id } });
  },
};

/** Results in order; each waits for the one before, so the hub is asked one thing at a time. */
async function inTurn<T, R>(items: readonly T[], of: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await of(item));
  return results;
}

function channelForFile(form: Fields, keys: number, reference: (part: string) => string): Fields {
  const withReferences = (map: Fields) =>
    Object.fromEntries(Object.entries(map).map(([name, value]) => [name, value === '' ? '' : reference(name)]));
  const plugin = form['plugin'] as Fields;
  const proxy = String(form['proxy']);
  const { type, ...others } = form;
  return {
    type,
    ...(keys > 0 && { key: reference('key') }),
    ...others,
    model_headers: withReferences(form['model_headers'] as Fields),
    plugin: isPlainObject(plugin['headers']) ? { ...plugin, headers: withReferences(plugin['headers']) } : plugin,
    proxy: proxy.includes(keptSecret) ? proxy.replace(keptSecret, reference('proxy_password')) : proxy,
  };
}

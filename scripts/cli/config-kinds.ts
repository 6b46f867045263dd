import {
  channelApi,
  channelEdit,
  channelFeatures,
  channelKeyApi,
  channelStatus,
  type DeliveryWay,
  type Endpoint,
  fieldsOfWay,
  groupTokenLimits,
  type InputOf,
  keptSecret,
  limitWait,
  modelPattern,
  modelSwitch,
  newChannel,
  newUserGroup,
  newVirtualModel,
  optionApi,
  parseTextMap,
  planAdminApi,
  planAdminSchemas,
  type Plan,
  priceApi,
  priceFees,
  priceInput,
  priceRules,
  extraRatios,
  purchasePrice,
  purchasePriceApi,
  splitList,
  userGroupApi,
  virtualModelApi,
  wayApi,
  wayConfig,
  type WayConfig,
  type WayKind,
  waySchemas,
} from '@relay-hub/contract';
import * as z from 'zod/mini';
import { baseAddressIn } from '../../server/src/channel-types/base-address.ts';
import { findChannelType } from '../../server/src/channel-types/channel-types.ts';
import { hidden, noSecrets } from '../../server/src/features/channel/keys/channel-secrets.ts';
import { keysIn } from '../../server/src/features/channel/keys/key-text.ts';
import { unknownFields } from '../../server/src/http/unknown-fields.ts';
import { problemText } from '../../server/src/i18n/language.ts';
import { hintOf, wayHint } from '../../server/src/secrets.ts';
import { isGuarded } from '../../server/src/settings/guarded-settings.ts';
import { isSecret, isSettingKey, parseSetting, settings } from '../../server/src/settings.ts';
import { type Entry } from './config-files.ts';
import { all, CliError, type HubClient } from './hub-client.ts';

type Fields = Record<string, unknown>;

/** An object as the files want it. */
export interface Desired {
  entry: Entry;
  name: string;
  /** Input of the API. */
  fields: Fields;
  /** Fields as compared and shown: lists and maps instead of texts, hints instead of secrets. */
  form: Fields;
}

/** An object as the hub has it. */
export interface Stored {
  name: string;
  id: number;
  form: Fields;
  /** Form for a file, with references instead of secrets; `reference` names one. */
  fileForm(reference: (part: string) => string): Fields;
  /** Of a price: refused if it is no longer the current one. */
  version?: number;
}

export interface Write {
  name: string;
  desired: Desired;
  /** Absent: it is created. */
  stored: Stored | undefined;
  /** Top-level fields that change, or all secrets with `resend`. */
  changed: ReadonlySet<string>;
}

export interface Kind {
  name: string;
  /** One line for a file's head. */
  about: string;
  /** Checks an entry by the contract. Throws `CliError` with file, line and field. */
  read(entry: Entry): Desired;
  /** `wanted`: what will be compared; other objects may lack parts that cost a request each. */
  list(hub: HubClient, wanted?: ReadonlyMap<string, Desired>): Promise<Stored[]>;
  /** Writes some objects; several in one change where the API has one. */
  write(hub: HubClient, writes: readonly Write[]): Promise<void>;
  remove(hub: HubClient, gone: readonly Stored[]): Promise<void>;
  /** Whether an access key may write it; the reason if not. */
  byHand?(name: string): boolean;
  /** Whether it stays when the files do not have it, even with `--prune`. */
  stays?(stored: Stored): boolean;
  /** How many objects one request writes. */
  atOnce: number;
}

const plainForm = (form: Fields) => () => form;

function parsed<S extends z.ZodMiniType>(schema: S, entry: Entry, value: unknown = entry.value): z.output<S> {
  for (const field of unknownFields(schema, value)) entry.fail(field.split('.'), 'is unknown');
  const result = schema.safeParse(value ?? {}, { reportInput: true });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (!issue) throw new CliError(entry.place([]));
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path;
  return entry.fail(path, issue.code === 'unrecognized_keys' ? 'is unknown' : problemText(issue, 'en_US'));
}

function ensureName(schema: z.ZodMiniType<string>, entry: Entry): string {
  const result = schema.safeParse(entry.name, { reportInput: true });
  const [issue] = result.success ? [] : result.error.issues;
  if (issue) entry.fail([], problemText(issue, 'en_US'));
  if (result.data !== entry.name) entry.fail([], 'a name has no spaces at its ends and no control characters');
  return entry.name;
}

function ensureReferences(entry: Entry, paths: readonly string[]): void {
  for (const path of paths)
    if (!entry.references.has(path))
      entry.fail(path.split('.'), 'is a secret: write a reference, such as ${env:NAME} or ${file:/run/secrets/name}');
}

/** JSON of the API has no undefined members. */
const asJson = (value: unknown): Fields => JSON.parse(JSON.stringify(value)) as Fields;
/** A body of fields that `read` has parsed by the endpoint's schema. */
const inputOf = <E extends Endpoint>(_: E, fields: object) => fields as InputOf<E>['body'];

const pick = (record: object, fields: Iterable<string>): Fields => {
  const values = record as Fields;
  return Object.fromEntries([...fields].map((field) => [field, values[field]]));
};
const nullable = <T extends z.ZodMiniType>(schema: T) => z._default(z.nullable(schema), null);

/** A list of texts, or the same separated by commas. */
const listed = (value: unknown): unknown => (Array.isArray(value) ? value.map(String).join(',') : value);
const isPlainObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** A map, or its JSON. */
const mapped = (value: unknown): unknown =>
  isPlainObject(value) ? (Object.keys(value).length === 0 ? '' : JSON.stringify(value)) : value;

/* Channels */

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

const channels: Kind = {
  name: 'channels',
  about: 'Accounts at providers. `key` is kept if it is left out.',
  atOnce: 1,
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

/* Groups */

const { symbol, keep_zero: _keep, ...groupShape } = newUserGroup.shape;
const groupFile = z.object({
  ...groupShape,
  token_limits: nullable(groupTokenLimits),
  model_switch: nullable(modelSwitch),
  limit_wait: nullable(limitWait),
});

const groups: Kind = {
  name: 'groups',
  about: 'User groups by their symbol.',
  atOnce: 1,
  read: (entry) => simple(entry, symbol, groupFile),
  async list(hub) {
    const records = await all(hub, userGroupApi.list);
    return records.map((record) => {
      const form = pick(record, Object.keys(groupFile.shape));
      return { name: record.symbol, id: record.id, form, fileForm: plainForm(form) };
    });
  },
  async write(hub, writes) {
    for (const { name, desired, stored } of writes) {
      const { enable, ...fields } = desired.fields;
      if (stored) {
        const body = { ...fields, id: stored.id, set_enable: enable };
        await hub.call(userGroupApi.update, { body: inputOf(userGroupApi.update, body) });
      } else {
        const body = { ...fields, enable, symbol: name, keep_zero: true };
        await hub.call(userGroupApi.create, { body: inputOf(userGroupApi.create, body) });
      }
    }
  },
  async remove(hub, gone) {
    for (const { id } of gone) await hub.call(userGroupApi.remove, { params: { id } });
  },
  // New accounts are in it.
  stays: ({ name }) => name === 'default',
};

/** An object whose form is its parsed input. */
function simple(entry: Entry, nameSchema: z.ZodMiniType<string>, schema: z.ZodMiniType): Desired {
  const name = ensureName(nameSchema, entry);
  const fields = asJson(parsed(schema, entry));
  return { entry, name, fields, form: fields };
}

/* Prices */

const { model: _model, ...termsShape } = priceInput.shape;
const priceFile = z.object({
  ...termsShape,
  extra_ratios: z._default(extraRatios, {}),
  rules: z._default(priceRules, []),
  fees: z._default(priceFees, []),
});

const prices: Kind = {
  name: 'prices',
  about: 'Prices by model. `channel_type` is the id of the model owner.',
  atOnce: 5000,
  read: (entry) => simple(entry, modelPattern, priceFile),
  async list(hub) {
    const records = await hub.call(priceApi.list, { query: { type: 'db' } });
    return records.map(({ model, version, ...record }) => {
      const form = { ...pick(record, ['type', 'channel_type', 'input', 'output']), ...optionalTerms(record) };
      return { name: model, id: 0, form, fileForm: plainForm(form), ...(version !== undefined && { version }) };
    });
  },
  async write(hub, writes) {
    const edits = writes.map(({ name, desired, stored }) => ({
      ...desired.fields,
      model: name,
      ...(stored?.version !== undefined && { version: stored.version }),
    }));
    const body = inputOf(priceApi.setMany, { prices: edits });
    await hub.call(priceApi.setMany, { body });
  },
  async remove(hub, gone) {
    await hub.call(priceApi.removeMany, { body: { models: gone.map(({ name }) => name) } });
  },
};

const optionalTerms = ({ extra_ratios = {}, rules = [], fees = [] }: Fields): Fields => ({ extra_ratios, rules, fees });

/* Virtual models */

const { name: virtualName, ...virtualShape } = newVirtualModel.shape;
const virtualFile = z.strictObject(virtualShape);

const virtualModels: Kind = {
  name: 'virtual_models',
  about: 'Names that stand for a chain of models.',
  atOnce: 1,
  read: (entry) => simple(entry, virtualName, virtualFile),
  async list(hub) {
    const records = await all(hub, virtualModelApi.list);
    return records.map((record) => {
      const form = pick(record, Object.keys(virtualShape));
      return { name: record.name, id: record.id, form, fileForm: plainForm(form) };
    });
  },
  async write(hub, writes) {
    for (const { name, desired, stored } of writes) {
      const fields = inputOf(virtualModelApi.create, { ...desired.fields, name });
      if (stored) await hub.call(virtualModelApi.update, { body: { ...fields, id: stored.id } });
      else await hub.call(virtualModelApi.create, { body: fields });
    }
  },
  async remove(hub, gone) {
    for (const { id } of gone) await hub.call(virtualModelApi.remove, { params: { id } });
  },
};

/* Plans */

const { names: planNames, ...planShape } = planAdminSchemas.create.body.shape;
const planFile = z.strictObject({ ...planShape, names: z.optional(planNames) });
const planLanguages = ['en_US', 'zh_CN', 'zh_HK', 'ja_JP'] as const;
const nameOfPlan = ({ names }: Pick<Plan, 'names'>): string =>
  planLanguages.map((language) => names[language]).find((name) => name !== '') ?? '';

const plans: Kind = {
  name: 'plans',
  about: 'Plans by their English name, or the first of zh_CN, zh_HK, ja_JP. Other terms are a new version.',
  atOnce: 1,
  read(entry) {
    const { names: given, ...fields } = parsed(planFile, entry);
    const names = given ?? { zh_CN: '', zh_HK: '', en_US: entry.name, ja_JP: '' };
    if (nameOfPlan({ names }) !== entry.name)
      entry.fail(['names'], `the plan is called ${nameOfPlan({ names })} by them`);
    const form = asJson({ ...fields, names });
    return { entry, name: entry.name, fields: form, form };
  },
  async list(hub) {
    const records = await hub.call(planAdminApi.list);
    return records.map((record) => {
      const form = { ...pick(record, ['names', ...Object.keys(planShape)]) };
      return { name: nameOfPlan(record), id: record.id, form, fileForm: plainForm(form) };
    });
  },
  async write(hub, writes) {
    for (const { desired, stored } of writes) {
      const body = inputOf(planAdminApi.create, desired.fields);
      if (stored) await hub.call(planAdminApi.update, { params: { id: stored.id }, body });
      else await hub.call(planAdminApi.create, { body });
    }
  },
  async remove(hub, gone) {
    for (const { id } of gone) await hub.call(planAdminApi.remove, { params: { id } });
  },
};

/* Alarm ways */

const { site: _site, name: wayName, config: _config, kind: wayKind, ...wayShape } = waySchemas.create.body.shape;
const wayFile = z.object({ kind: wayKind, config: z.optional(wayConfig), ...wayShape });
/** Kinds whose address is that of a server; the address of other kinds is a secret. */
const openAddresses: ReadonlySet<WayKind> = new Set<WayKind>(['telegram', 'ntfy', 'bark', 'pagerduty']);
const nameOfWay = ({ name, kind }: Pick<DeliveryWay, 'name' | 'kind'>): string => name || kind;

const isSecretOfWay = (kind: WayKind, field: keyof WayConfig): boolean =>
  field === 'token' || field === 'secret' || (field === 'address' && !openAddresses.has(kind));

const ways: Kind = {
  name: 'alarm_ways',
  about:
    'How operators are told of incidents. `config` is kept if it is left out; a new one has to be confirmed again.',
  atOnce: 1,
  read(entry) {
    const name = ensureName(wayName._zod.def.innerType, entry);
    const fields = parsed(wayFile, entry);
    const given = isPlainObject(entry.value) && isPlainObject(entry.value['config']) ? entry.value['config'] : {};
    const secrets = fieldsOfWay(fields.kind).filter(({ field }) => given[field] && isSecretOfWay(fields.kind, field));
    ensureReferences(
      entry,
      secrets.map(({ field }) => `config.${field}`),
    );
    const { config, ...form } = asJson(fields);
    if (fields.config) form['destination'] = wayHint(fields.kind, fields.config);
    return { entry, name, fields: { ...form, ...(config !== undefined && { config }) }, form };
  },
  async list(hub, wanted) {
    const records = (await hub.call(wayApi.list)).filter(({ site }) => site);
    return records.map((record) => {
      const form = pick(record, ['kind', ...Object.keys(wayShape)]);
      const compared =
        wanted?.get(nameOfWay(record))?.form['destination'] === undefined ? {} : { destination: record.hint };
      return {
        name: nameOfWay(record),
        id: record.id,
        form: { ...form, ...compared },
        fileForm: (reference) => ({ ...form, config: wayForFile(record, reference) }),
      };
    });
  },
  async write(hub, writes) {
    for (const { name, desired, stored, changed } of writes) {
      const { config, ...fields } = desired.fields;
      if (stored && changed.has('kind')) desired.entry.fail(['kind'], 'of a way never changes: give it another name');
      const isSent = !stored || changed.has('destination');
      const body = { ...fields, name, ...(isSent && config !== undefined && { config }) };
      if (stored) await hub.call(wayApi.update, { body: { ...body, id: stored.id } as never }); // checked by `wayFile`
      else await hub.call(wayApi.create, { body: { ...body, site: true } as never });
    }
  },
  async remove(hub, gone) {
    for (const { id } of gone) await hub.call(wayApi.remove, { params: { id } });
  },
};

/** The hub returns no destination; fields that may be empty are left to the operator. */
const wayForFile = ({ kind }: DeliveryWay, reference: (part: string) => string): Fields =>
  Object.fromEntries(
    fieldsOfWay(kind).flatMap(({ field, isOptional }) => (isOptional ? [] : [[field, reference(field)]])),
  );

/* Settings */

/** Written by its own name under `groups`. */
const GROUP_RATIO = 'GroupRatio';
/** Settings have no ids; these say whether one is stored. */
const [AT_DEFAULT, STORED] = [0, 1];

const settingsKind: Kind = {
  name: 'settings',
  about: 'Settings by key. Secrets are set in the console.',
  atOnce: 1000,
  read(entry) {
    const { name, value } = entry;
    if (name === GROUP_RATIO) entry.fail([], 'is the `ratio` of each of the groups');
    if (!isSettingKey(name)) return entry.fail([], 'is unknown');
    if (isSecret(name)) entry.fail([], 'is a secret, which is set in the console: it needs a proof of identity');
    if (
      value !== null &&
      !['string', 'number', 'boolean'].includes(typeof value) &&
      !isPlainObject(value) &&
      !Array.isArray(value)
    )
      entry.fail([], 'has to be a text, number or switch');
    const text = value === null ? null : typeof value === 'string' ? value.trim() : JSON.stringify(value);
    const checked = text === null ? undefined : parseSetting(name, text);
    const [issue] = checked?.success === false ? checked.error.issues : [];
    if (issue) entry.fail([], problemText(issue, 'en_US'));
    const kept = typeof checked?.data === 'string' ? checked.data : text;
    return { entry, name, fields: { value: kept }, form: { value: native(kept ?? settings[name].fallback) } };
  },
  async list(hub) {
    const records = await hub.call(optionApi.list);
    return records
      .filter(({ key, secret }) => !secret && key !== GROUP_RATIO)
      .map(({ key, value, is_set }) => {
        const form = { value: native(value) };
        return { name: key, id: is_set ? STORED : AT_DEFAULT, form, fileForm: plainForm(form) };
      });
  },
  async write(hub, writes) {
    const values = Object.fromEntries(
      writes.map(({ name, desired }) => [name, desired.fields['value'] as string | null]),
    );
    await hub.call(optionApi.setMany, { body: { values } });
  },
  async remove(hub, gone) {
    await hub.call(optionApi.setMany, { body: { values: Object.fromEntries(gone.map(({ name }) => [name, null])) } });
  },
  byHand: (name) => isSettingKey(name) && isGuarded(name),
  stays: ({ id, name }) => id === AT_DEFAULT || (isSettingKey(name) && isGuarded(name)),
};

/** A setting's text as YAML writes it best: numbers, switches, and the JSON of some. */
function native(text: string | null): unknown {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value !== 'string' && (typeof value === 'object' || JSON.stringify(value) === text))
      return value;
  } catch {
    // A text.
  }
  return text;
}

/** In the order in which they are written: what others refer to comes first. */
export const kinds: readonly Kind[] = [settingsKind, groups, channels, prices, virtualModels, plans, ways];

/** Kinds by name, in their order. Throws `CliError` for an unknown one. */
export function chosenKinds(only: string | undefined): Kind[] {
  if (only === undefined) return [...kinds];
  const names = splitList(only);
  for (const name of names)
    if (!kinds.some((kind) => kind.name === name))
      throw new CliError(`There is no kind ${name}; there are ${kinds.map((kind) => kind.name).join(', ')}.`);
  return kinds.filter(({ name }) => names.includes(name));
}

/** Fields of a kind with the values that they have when they are left out. */
const shapes: Record<string, Record<string, z.ZodMiniType>> = {
  channels: channelFile.shape,
  groups: groupFile.shape,
  prices: priceFile.shape,
  virtual_models: virtualFile.shape,
  plans: planFile.shape,
  alarm_ways: wayFile.shape,
};

/** Values of left-out fields in the form that files have. */
export function defaultForm(kind: string): Fields {
  const defaults: Fields = {};
  for (const [field, schema] of Object.entries(shapes[kind] ?? {})) {
    const found = schema.safeParse(undefined);
    if (found.success && found.data !== undefined) defaults[field] = asJson({ value: found.data })['value'];
  }
  if (kind === 'channels') Object.assign(defaults, { group: ['default'], model_mapping: {}, model_headers: {} });
  return defaults;
}

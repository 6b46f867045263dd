import {
  baseAddress,
  channelEdit,
  jsonHeaders,
  jsonTextMap,
  newChannel,
  parseTextMap,
  splitList,
  tagEdit,
  type Channel,
  type ChannelType,
  type channelApi,
  type InputOf,
  type PluginOptions,
  type TagEdit,
} from '@relay-hub/contract';
import type { Resolver } from 'react-hook-form';
import * as z from 'zod/mini';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { jsonProblem } from '#ui/format/json-text.ts';
import { validOr } from '#ui/form/valid-or.ts';

export type ChannelBody = InputOf<typeof channelApi.create>['body'];

/** Fields with the same values in form and API. */
const plainFields = [
  'name',
  'base_url',
  'other',
  'models',
  'model_mapping',
  'group',
  'tag',
  'model_headers',
  'proxy',
  'test_model',
  'only_chat',
  'pass_routing_fields',
  'cache_affinity',
  'reply_cache',
  'pre_cost',
  'plugin',
  'excluded',
  'disabled_stream',
  'request_rules',
  'on_client_gone',
  'unpriced_tiers',
  'unpriced_tools',
  'default_tier',
  'cost_ratio',
  'limits',
  'public_name',
  'region',
  'data_policy',
  'quantization',
] as const;

/** Numbers that are null in the form while empty. */
const numberFields = ['type', 'priority', 'weight'] as const;

/** Numbers where 0 means "not set"; the form shows an empty field. */
const limitFields = [
  'connect_timeout',
  'first_token_timeout',
  'idle_timeout',
  'total_timeout',
  'gone_seconds',
  'gone_tokens',
] as const;

type PlainField = (typeof plainFields)[number];
type NumberField = (typeof numberFields)[number] | (typeof limitFields)[number];

/** The form's values: the channel's fields, with null for empty numbers. */
export type ChannelValues = Pick<Channel, PlainField> &
  Record<NumberField, number | null> & {
    key: string;
    /** Whether several keys become one channel. */
    one_channel: boolean;
  };

const fallbackType = 1;

const nothing = {
  key: '',
  one_channel: true,
  base_url: '',
  other: '',
  models: '',
  model_mapping: '',
  group: 'default',
  tag: '',
  priority: 0,
  weight: 1,
  model_headers: '',
  proxy: '',
  test_model: '',
  only_chat: false,
  pass_routing_fields: false,
  cache_affinity: 'auto',
  reply_cache: true,
  pre_cost: 1,
  plugin: {},
  excluded: [],
  disabled_stream: [],
  request_rules: [],
  connect_timeout: null,
  first_token_timeout: null,
  idle_timeout: null,
  total_timeout: null,
  on_client_gone: 'drain',
  gone_seconds: 300,
  gone_tokens: null,
  unpriced_tiers: '',
  unpriced_tools: '',
  default_tier: '',
  cost_ratio: null,
  limits: null,
  public_name: '',
  region: '',
  data_policy: '',
  quantization: '',
} satisfies Partial<ChannelValues>;

/** A new channel of the default type. */
export function newValues(types: readonly ChannelType[], names: readonly string[]): ChannelValues {
  const type = types.find((each) => each.type === fallbackType) ?? types.find(({ supported }) => supported);
  return {
    ...nothing,
    type: type?.type ?? null,
    name: type ? freeName(type.title, names) : '',
    test_model: type?.test_model ?? '',
  };
}

/** A channel as form values; its keys stay on the server, and other secrets are masked. */
export function valuesOf(channel: Channel): ChannelValues {
  const plain = Object.fromEntries(plainFields.map((name) => [name, channel[name]])) as Pick<Channel, PlainField>; // field by field
  const { type, priority, weight } = channel;
  const limits = Object.fromEntries(limitFields.map((name) => [name, channel[name] || null]));
  return { ...nothing, ...plain, type, priority, weight, ...limits };
}

/** A copy of a channel under a new name; the server copies its keys and other secrets. */
export const copyOf = (channel: Channel, names: readonly string[]): ChannelValues => ({
  ...valuesOf(channel),
  name: freeName(channel.name, names),
});

/** An unused name: `OpenAI`, else `OpenAI-2`, `OpenAI-3` … */
export function freeName(wanted: string, names: readonly string[]): string {
  const taken = new Set(names);
  const stem = wanted.replace(/-\d+$/, '');
  for (let count = 1; ; count++) {
    const name = count === 1 ? wanted : `${stem}-${count}`;
    if (!taken.has(name)) return name;
  }
}

/** JSON text with the line of a syntax error; the contract's rule checks the rest. */
const jsonText = (rule: typeof jsonTextMap, code: string) =>
  z.string().check(
    z.trim(),
    z.check<string>(({ value, issues }) => {
      const message = jsonProblem(value) ?? (rule.safeParse(value).success ? undefined : code);
      if (message !== undefined) issues.push({ code: 'custom', message, input: value });
    }),
  );

const texts = {
  model_mapping: jsonText(jsonTextMap, 'json.text_map'),
  model_headers: jsonText(jsonHeaders, 'header.map'),
};

/** An empty limit is 0, "not set". */
const orZero = (rule: z.ZodMiniType<number, number>) =>
  z.pipe(
    z.transform((value: number | null) => value ?? 0),
    rule,
  );

const limits = Object.fromEntries(
  limitFields.map((name) => [name, orZero(newChannel.shape[name].def.innerType)]),
) as unknown as Record<(typeof limitFields)[number], z.ZodMiniType<number, number | null>>; // one for each

/** The limits on reading after a disconnect belong to one policy only. */
const unseenLimits = ({ on_client_gone: policy }: ChannelValues) =>
  policy !== 'limit' && {
    gone_seconds: validOr(limits.gone_seconds, 0),
    gone_tokens: validOr(limits.gone_tokens, 0),
  };

/**
 * Validates the form: the contract's rules, those of the channel type (a required address or parameter), and whether
 * a key is stored.
 */
export function channelResolver(
  types: readonly ChannelType[],
  { needsKey }: { needsKey: boolean },
): Resolver<ChannelValues, unknown, ChannelBody> {
  return (values, ...rest) => {
    const type = types.find((each) => each.type === values.type);
    const other = newChannel.shape.other.def.innerType;
    const unseen = {
      ...(type?.address === 'none' && { base_url: validOr(baseAddress, '') }),
      ...(type?.maps_models === false && { model_mapping: validOr(texts.model_mapping, '') }),
      ...unseenLimits(values),
    };
    const schema = z
      .extend(newChannel, {
        ...texts,
        ...limits,
        key: needsKey
          ? channelEdit.shape.key.def.innerType.check(z.regex(/\S/, { error: 'required' }))
          : newChannel.shape.key,
        base_url: type?.address === 'required' ? baseAddress.check(z.minLength(1)) : baseAddress,
        other: type?.other?.required ? other.check(z.minLength(1)) : other,
        ...unseen,
      })
      .check(
        z.check(({ value, issues }) => {
          if (value.on_client_gone !== 'limit') return;
          for (const field of ['gone_seconds', 'gone_tokens'] as const)
            if (value[field] === 0) issues.push({ code: 'custom', message: 'required', path: [field], input: value });
        }),
      );
    // Empty numbers are null in the form; the schema reports them as required.
    const resolve = contractResolver(schema) as unknown as Resolver<ChannelValues, unknown, ChannelBody>;
    return resolve(values, ...rest);
  };
}

/** Validates a tag's form, which has no type, name or address. */
export const tagResolver: Resolver<ChannelValues, unknown, ChannelBody> = (values, ...rest) => {
  const required = { models: newChannel.shape.models, tag: newChannel.shape.tag.def.innerType.check(z.minLength(1)) };
  const resolve = contractResolver(
    z.extend(tagEdit, { ...texts, ...limits, ...unseenLimits(values), ...required }),
  ) as unknown as Resolver<ChannelValues, unknown, ChannelBody>; // as above
  return resolve(values, ...rest);
};

/** The keys in a text: one per line, or each JSON object for types with JSON keys. */
export const keysIn = (text: string, json = false): string[] =>
  json && text.trim().startsWith('{')
    ? [...text.matchAll(/^\{/gm)].map(([brace]) => brace)
    : text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');

/** The request body. Names that the mapping offers to callers are added to the models, or no call could use them. */
export function bodyOf(body: ChannelBody, copied?: Channel): ChannelBody {
  const names = Object.keys(parseTextMap(body.model_mapping ?? '') ?? {});
  const models = [...new Set([...splitList(body.models), ...names])].join(',');
  return { ...body, models, ...(copied && { copy_of: copied.id }) };
}

/** The fields of a body that differ from the earlier values; the key only if there is a new one. */
export function changesOf(body: ChannelBody, before: ChannelValues): Partial<ChannelBody> {
  const names = Object.keys(before).filter((name) => name !== 'one_channel') as (keyof ChannelValues)[]; // made by the functions above
  const plain = (value: unknown) => JSON.stringify(value ?? 0);
  return Object.fromEntries(
    names.filter((name) => plain(body[name]) !== plain(before[name])).map((name) => [name, body[name]]),
  );
}

/** The same for all channels of a tag. */
export function tagChangesOf(body: ChannelBody, before: ChannelValues): Partial<TagEdit> {
  const { name: _, type: __, base_url: ___, ...changes } = changesOf(body, before);
  // The form asks for new keys only, so the others stay.
  const added = changes.key ? { key_mode: 'add' as const } : {};
  return { ...changes, ...added } as Partial<TagEdit>; // the fields left are in both types
}

/** The plugin options of a type, without leftovers of another type. */
export function optionsFor(options: PluginOptions, type: ChannelType | undefined): PluginOptions {
  const ids = new Set(type?.plugins.map(({ id }) => id));
  return Object.fromEntries(Object.entries(options).filter(([id]) => ids.has(id)));
}

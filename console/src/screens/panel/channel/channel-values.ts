import {
  baseAddress,
  channelEdit,
  jsonHeaders,
  jsonTextMap,
  newChannel,
  parseTextMap,
  splitList,
  type Channel,
  type ChannelType,
  type channelApi,
  type InputOf,
} from '@relay-hub/contract';
import type { Resolver } from 'react-hook-form';
import * as z from 'zod/mini';
import { contractResolver } from '#shared/form-resolver.ts';
import { jsonProblem } from '#shared/json-text.ts';

/** What the form holds: the channel's fields, and null for numbers while they are empty. */
export interface ChannelValues {
  type: number | null;
  name: string;
  key: string;
  base_url: string;
  models: string;
  model_mapping: string;
  group: string;
  tag: string;
  priority: number | null;
  weight: number | null;
  model_headers: string;
  test_model: string;
  only_chat: boolean;
  pre_cost: number;
}

export type ChannelBody = InputOf<typeof channelApi.create>['body'];

const fallbackType = 1;

/** A new channel of the first type, or of the one that another channel has. */
export function newValues(types: readonly ChannelType[], names: readonly string[]): ChannelValues {
  const type = types.find((each) => each.type === fallbackType) ?? types[0];
  return {
    type: type?.type ?? null,
    name: type ? freeName(type.title, names) : '',
    key: '',
    base_url: '',
    models: '',
    model_mapping: '',
    group: 'default',
    tag: '',
    priority: 0,
    weight: 1,
    model_headers: '',
    test_model: type?.test_model ?? '',
    only_chat: false,
    pre_cost: 1,
  };
}

/** A channel as the form holds it; its key stays on the server. */
export function valuesOf(channel: Channel): ChannelValues {
  const {
    type,
    name,
    base_url,
    models,
    model_mapping,
    group,
    tag,
    priority,
    weight,
    model_headers,
    test_model,
    only_chat,
    pre_cost,
  } = channel;
  return {
    type,
    name,
    key: '',
    base_url,
    models,
    model_mapping,
    group,
    tag,
    priority,
    weight,
    model_headers,
    test_model,
    only_chat,
    pre_cost,
  };
}

/** A copy of a channel: everything but its key, under a name of its own. */
export const copyOf = (channel: Channel, names: readonly string[]): ChannelValues => ({
  ...valuesOf(channel),
  name: freeName(channel.name, names),
});

/** A name that no channel has yet: `OpenAI`, else `OpenAI-2`, `OpenAI-3` … */
export function freeName(wanted: string, names: readonly string[]): string {
  const taken = new Set(names);
  const stem = wanted.replace(/-\d+$/, '');
  for (let count = 1; ; count++) {
    const name = count === 1 ? wanted : `${stem}-${count}`;
    if (!taken.has(name)) return name;
  }
}

/** JSON of texts, with the line where it is wrong; beyond that the contract's own rule. */
const jsonText = (rule: typeof jsonTextMap, code: string) =>
  z.string().check(
    z.trim(),
    z.check<string>(({ value, issues }) => {
      const message = jsonProblem(value) ?? (rule.safeParse(value).success ? undefined : code);
      if (message !== undefined) issues.push({ code: 'custom', message, input: value });
    }),
  );

/**
 * The rules of the form: the contract's, and what depends on the type (an address where it has none of its own) and on
 * whether there is a key already.
 */
export function channelResolver(
  types: readonly ChannelType[],
  isNew: boolean,
): Resolver<ChannelValues, unknown, ChannelBody> {
  return (values, ...rest) => {
    const type = types.find((each) => each.type === values.type);
    const schema = z.extend(newChannel, {
      key: isNew ? newChannel.shape.key : channelEdit.shape.key,
      base_url: type && type.base_url === '' ? baseAddress.check(z.minLength(1)) : baseAddress,
      model_mapping: jsonText(jsonTextMap, 'json.text_map'),
      model_headers: jsonText(jsonHeaders, 'header.map'),
    });
    // An empty number or type is null in the form; the schema refuses it as "required".
    const resolve = contractResolver(schema) as unknown as Resolver<ChannelValues, unknown, ChannelBody>;
    return resolve(values, ...rest);
  };
}

/** The keys in a text of one key a line. */
export const keysIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** What is sent: names that the mapping gives to callers belong to the models, or nobody could ask for them. */
export function bodyOf(body: ChannelBody, copied?: Channel): ChannelBody {
  const names = Object.keys(parseTextMap(body.model_mapping ?? '') ?? {});
  const models = [...new Set([...splitList(body.models), ...names])].join(',');
  return { ...body, models, ...(copied && { other: copied.other }) };
}

/** Of a full body, what differs from the values before; the key only where there is a new one. */
export function changesOf(body: ChannelBody, before: ChannelValues): Partial<ChannelBody> {
  const names = Object.keys(before) as (keyof ChannelValues)[]; // made by the functions above, field by field
  return Object.fromEntries(names.filter((name) => body[name] !== before[name]).map((name) => [name, body[name]]));
}

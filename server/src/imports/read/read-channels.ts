import {
  channelEdit,
  channelStatus,
  type PluginOptions,
  proxyAddress,
  baseAddress,
  jsonHeaders,
  modelPattern,
  pluginOptions,
  requestRules,
  rulesOfCustomParameter,
  rulesOfParamOverride,
} from '@relay-hub/contract';
import { baseAddressIn } from '#channel-types/base-address.ts';
import { findChannelType } from '#channel-types/channel-types.ts';
import { isObject, parseJson } from '#json.ts';
import {
  creditsIn,
  decimalIn,
  flagIn,
  isDeleted,
  lineIn,
  listIn,
  objectIn,
  type OldRow,
  OldValueError,
  rowName,
  textIn,
  timeIn,
  wholeIn,
} from '../old-row.ts';
import { channelNumber } from './channel-numbers.ts';
import { keysOf, mappingOf, type OldKey, rebuild } from './channel-secrets-of.ts';
import { isHubLine, type OldWorld, readRows, symbolOf } from './old-world.ts';

/** A channel of the old program, in our terms. */
export interface ArrivingChannel {
  oldId: number;
  type: number;
  name: string;
  status: number;
  base_url: string;
  other: string;
  models: string;
  group: string;
  tag: string;
  priority: number;
  weight: number;
  model_mapping: string;
  model_headers: string;
  proxy: string;
  plugin: PluginOptions;
  disabled_stream: string;
  /** As stored; empty: none. */
  request_rules: string;
  test_model: string;
  only_chat: boolean;
  pre_cost: number;
  balance: number;
  used_quota: number;
  created_time: number;
  keys: OldKey[];
}

export async function* readChannels(world: OldWorld): AsyncIterable<ArrivingChannel> {
  const lift = await lowestPriority(world);
  if (lift < 0) world.report.remark('priority', `by ${-lift}`);
  const weights = await weighing(world);
  yield* readRows(world, {
    table: 'channels',
    kind: 'channel',
    name: labelOf,
    read: (row) => {
      if (isDeleted(row)) return undefined;
      const channel = readChannel(row, world);
      const placed = { ...channel, priority: channel.priority - lift, weight: weights(wholeIn(row, 'weight')) };
      return inForm(placed, labelOf(row), world);
    },
  });
}

const labelOf = (row: OldRow): string => rowName(row, 'channel');

/** Priorities below this are not raised, and those channels do not come. */
const LOWEST_PRIORITY = -1_000_000;

async function lowestPriority({ database }: OldWorld): Promise<number> {
  let lowest = 0;
  for await (const row of database.rows('channels')) {
    const priority = Math.trunc(Number(textIn(row, 'priority')));
    if (!isDeleted(row) && priority >= LOWEST_PRIORITY) lowest = Math.min(lowest, priority);
  }
  return lowest;
}

/** One-api ignores weights. New-api adds 10 to each, so that 0 still gets calls. */
async function weighing({ database, program }: OldWorld): Promise<(weight: number) => number> {
  if (program === 'one-api') return () => 1;
  if (program !== 'new-api') return (weight) => Math.max(1, weight);
  const found = new Set<string>();
  for await (const row of database.rows('channels')) if (!isDeleted(row)) found.add(textIn(row, 'weight') || '0');
  return found.size <= 1 ? () => 1 : (weight) => Math.max(0, weight) + 10;
}

/** Fields that a channel can do without; others decide which calls it gets. */
const dispensable = {
  other: '',
  tag: '',
  model_mapping: '',
  model_headers: '',
  proxy: '',
  test_model: '',
  pre_cost: 1,
};

/** The channel by the rules of the form. Throws `OldValueError` for a field that decides. */
function inForm(channel: ArrivingChannel, label: string, { report }: OldWorld): ArrivingChannel {
  const { name, models, group, priority, weight } = channel;
  const fields = Object.keys(dispensable) as (keyof typeof dispensable)[];
  const optional = Object.fromEntries(fields.map((field) => [field, channel[field]]));
  const found = channelEdit.safeParse({ id: 1, name, group, priority, weight, ...(models && { models }), ...optional });
  if (found.success) return channel;
  const wrong = new Set(found.error.issues.map(({ path }) => String(path[0])));
  const decides = ['name', 'models', 'group', 'priority', 'weight'].find((field) => wrong.has(field));
  if (decides) throw new OldValueError(`its ${decides} is not valid here`);
  const kept = { ...channel };
  for (const field of fields.filter((each) => wrong.has(each))) {
    Object.assign(kept, { [field]: dispensable[field] });
    report.remark('channel_field', `${label}: ${field} is not valid here`);
  }
  return kept;
}

const states = new Set<number>([channelStatus.enabled, channelStatus.disabled, channelStatus.testDisabled]);

function readChannel(row: OldRow, world: OldWorld): ArrivingChannel {
  const { program, report } = world;
  const label = labelOf(row);
  const oldType = wholeIn(row, 'type');
  const number = channelNumber(program, oldType);
  const type = number && findChannelType(number.type);
  if (!number || !type) throw new OldValueError(`its type ${oldType} has no counterpart`);
  if (number.type !== oldType) report.remark('channel_type', `${label}: ${oldType} → ${number.type} ${type.title}`);
  const rebuilt = rebuild(program, oldType, row);
  if (rebuilt.remark) report.remark('channel_field', `${label}: ${rebuilt.remark}`);
  const keys = keysOf(row, rebuilt.key);
  for (const [i, { status }] of keys.entries())
    if (status !== channelStatus.enabled) report.remark('channel_key', `${label}: key ${i + 1} is switched off`);

  const plugin = pluginsOf(row, number.paths, { label, world });
  const given = addressOf(textIn(row, 'base_url').trim() || (number.baseUrl ?? ''), label, world);
  const base = baseAddressIn(type.type, given, plugin);
  if (base !== given) report.remark('channel_field', `${label}: its address ${given} is ${base} here`);
  const off = !type.supported
    ? `${type.title} cannot be called here`
    : base === '' && type.address === 'required'
      ? 'it has no address'
      : '';
  if (off !== '') report.remark('channel_off', `${label}: ${off}`);
  const old = wholeIn(row, 'status');
  const groups = listIn(row, 'group').map((name) => symbolOf(world, name));
  return {
    oldId: wholeIn(row, 'id'),
    type: type.type,
    name: lineIn(row, 'name', 100) || `channel ${wholeIn(row, 'id')}`,
    status: off !== '' || !states.has(old) ? channelStatus.disabled : old,
    base_url: base,
    other: rebuilt.other || (type.other?.fallback ?? ''),
    models: modelsOf(row, label, world),
    group: [...new Set(groups)].join(',') || 'default',
    tag: lineIn(row, 'tag', 32),
    priority: wholeIn(row, 'priority'),
    weight: 1,
    model_mapping: mappingText(row, label, { oldType, world }),
    model_headers: headersOf(row, label, world),
    proxy: proxyOf(row, label, world),
    plugin,
    disabled_stream: streamless(row),
    request_rules: rulesText(row, label, world),
    test_model: lineIn(row, 'test_model', 100),
    only_chat: flagIn(row, 'only_chat'),
    pre_cost: wholeIn(row, 'pre_cost') || 1,
    balance: decimalIn(row, 'balance'),
    used_quota: Math.max(0, creditsIn(row, 'used_quota')),
    created_time: timeIn(row, 'created_time'),
    keys,
  };
}

function addressOf(text: string, label: string, { report }: OldWorld): string {
  const address = baseAddress.safeParse(text.split('#')[0]);
  if (address.success) return address.data;
  report.remark('channel_field', `${label}: its address is not valid`);
  return '';
}

function modelsOf(row: OldRow, label: string, { report }: OldWorld): string {
  const names = listIn(row, 'models');
  const valid = names.filter((name) => modelPattern.safeParse(name).success);
  for (const name of names) if (!valid.includes(name)) report.remark('model_name', `${label}: ${name.slice(0, 120)}`);
  return valid.join(',');
}

function mappingText(row: OldRow, label: string, { oldType, world }: { oldType: number; world: OldWorld }): string {
  const { program, report } = world;
  const { mapping, lost } = mappingOf(program, textIn(row, 'model_mapping'));
  for (const name of lost) report.remark('channel_field', `${label}: the mapping of ${name} leads in a circle`);
  // Azure deployments were named without dots.
  const beforeDots = program === 'one-api' || (program === 'new-api' && wholeIn(row, 'created_time') < DOTS_SINCE);
  if (oldType === 3 && beforeDots)
    for (const name of listIn(row, 'models')) {
      const target = mapping[name] ?? name;
      if (target.includes('.')) mapping[name] = target.replaceAll('.', '');
    }
  return Object.keys(mapping).length === 0 ? '' : JSON.stringify(mapping);
}

/** Since 2025-05-10 new-api leaves the dots in names of Azure deployments. */
const DOTS_SINCE = 1_746_835_200;

function headersOf(row: OldRow, label: string, world: OldWorld): string {
  const { report } = world;
  const organization = textIn(row, 'openai_organization') || textIn(row, 'open_ai_organization');
  const given = { ...objectIn(row, 'model_headers'), ...objectIn(row, 'header_override') };
  const headers: Record<string, string> = organization === '' ? {} : { 'OpenAI-Organization': organization };
  for (const [name, value] of Object.entries(given)) {
    const isPlain = typeof value === 'string' && !/\{(api_key|client_header)/.test(value);
    if (isPlain && jsonHeaders.safeParse(JSON.stringify({ [name]: value })).success) headers[name] = value;
    else report.remark('channel_field', `${label}: header ${name.slice(0, 60)}`);
  }
  return Object.keys(headers).length === 0 ? '' : JSON.stringify(headers);
}

function proxyOf(row: OldRow, label: string, { report }: OldWorld): string {
  const setting = objectIn(row, 'setting')['proxy'];
  const text = textIn(row, 'proxy') || (typeof setting === 'string' ? setting : '');
  const proxy = proxyAddress.safeParse(text);
  if (proxy.success) return proxy.data;
  report.remark('channel_field', `${label}: its proxy is not valid`);
  return '';
}

/** Fields of requests and replies that no field here corresponds to. */
const withoutCounterpart: Record<string, (value: string) => boolean> = {
  status_code_mapping: isFilled,
  system_prompt: isFilled,
  auto_ban: (value) => value === '0',
  compatible_response: (value) => value === '1',
};

function isFilled(value: string): boolean {
  return value !== '' && value !== '{}' && value !== '[]' && value !== 'null';
}

function pluginsOf(
  row: OldRow,
  paths: Record<string, string> | undefined,
  { label, world }: { label: string; world: OldWorld },
): PluginOptions {
  const { report, has } = world;
  for (const [column, isUsed] of Object.entries(withoutCounterpart))
    if (has('channels', column) && row[column] !== null && isUsed(textIn(row, column)))
      report.remark('channel_field', `${label}: ${column}`);
  const setting = objectIn(row, 'setting');
  for (const name of ['system_prompt', 'pass_through_body_enabled', 'thinking_to_content', 'force_format'])
    if (setting[name]) report.remark('channel_field', `${label}: ${name}`);
  const given = isHubLine(world) ? objectIn(row, 'plugin') : {};
  const plugins = Object.fromEntries(Object.entries(given).filter(([, value]) => isObject(value)));
  const parsed = pluginOptions.safeParse(paths ? { customize: paths, ...plugins } : plugins);
  if (parsed.success) return parsed.data;
  report.remark('channel_field', `${label}: plugin`);
  return {};
}

/** The rules of both programs' columns; rules without a counterpart are remarked. */
function rulesText(row: OldRow, label: string, { report, has }: OldWorld): string {
  const columns = { param_override: rulesOfParamOverride, custom_parameter: rulesOfCustomParameter };
  const rules = Object.entries(columns).flatMap(([column, read]) => {
    const value = has('channels', column) ? row[column] : undefined;
    const text = isObject(value) ? JSON.stringify(value) : has('channels', column) ? textIn(row, column).trim() : '';
    if (!isFilled(text)) return [];
    const found = read(text);
    if (!found) report.remark('channel_field', `${label}: ${column} is not valid`);
    for (const lost of found?.lost ?? []) report.remark('channel_field', `${label}: ${column} ${lost.slice(0, 60)}`);
    return found?.rules ?? [];
  });
  if (rules.length === 0) return '';
  if (requestRules.safeParse(rules).success) return JSON.stringify(rules);
  report.remark('channel_field', `${label}: more rules than a channel can have`);
  return '';
}

function streamless(row: OldRow): string {
  const value = row['disabled_stream'];
  const parsed: unknown = typeof value === 'string' ? parseJson(value) : value;
  return Array.isArray(parsed) ? parsed.filter((each) => typeof each === 'string').join(',') : '';
}

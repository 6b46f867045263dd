import {
  channelStatus,
  type PluginOptions,
  proxyAddress,
  baseAddress,
  jsonHeaders,
  modelPattern,
  oneLine,
  pluginOptions,
} from '@relay-hub/contract';
import { baseAddressIn } from '#channel-types/base-address.ts';
import { findChannelType } from '#channel-types/channel-types.ts';
import { isObject } from '#json.ts';
import {
  decimalIn,
  flagIn,
  isDeleted,
  listIn,
  objectIn,
  type OldRow,
  OldValueError,
  textIn,
  wholeIn,
} from '../old-row.ts';
import { channelNumber } from './channel-numbers.ts';
import { keysOf, mappingOf, type OldKey, rebuild } from './channel-secrets-of.ts';
import { isHubLine, type OldWorld, symbolOf } from './old-world.ts';

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
  test_model: string;
  only_chat: boolean;
  pre_cost: number;
  balance: number;
  used_quota: number;
  created_time: number;
  keys: OldKey[];
}

export async function* readChannels(world: OldWorld): AsyncIterable<ArrivingChannel> {
  const { database, report } = world;
  const lift = await lowestPriority(world);
  if (lift < 0) report.remark('priority', `by ${-lift}`);
  const weights = await weighing(world);
  for await (const row of database.rows('channels')) {
    if (isDeleted(row)) continue;
    try {
      const channel = readChannel(row, world);
      yield { ...channel, priority: channel.priority - lift, weight: weights(wholeIn(row, 'weight')) };
    } catch (error) {
      if (!(error instanceof OldValueError)) throw error;
      report.count('channel', 'lost');
      report.remark('lost', `${labelOf(row)}: ${error.message}`);
    }
  }
}

const labelOf = (row: OldRow): string => `channel ${wholeIn(row, 'id')} (${oneLine(textIn(row, 'name'))})`;

async function lowestPriority({ database }: OldWorld): Promise<number> {
  let lowest = 0;
  for await (const row of database.rows('channels'))
    if (!isDeleted(row)) lowest = Math.min(lowest, wholeIn(row, 'priority'));
  return lowest;
}

/** One-api ignores weights. New-api adds 10 to each, so that 0 still gets calls. */
async function weighing({ database, program }: OldWorld): Promise<(weight: number) => number> {
  if (program === 'one-api') return () => 1;
  if (program !== 'new-api') return (weight) => Math.max(1, weight);
  const found = new Set<number>();
  for await (const row of database.rows('channels')) if (!isDeleted(row)) found.add(wholeIn(row, 'weight'));
  return found.size <= 1 ? () => 1 : (weight) => Math.max(0, weight) + 10;
}

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
    name: oneLine(textIn(row, 'name')).slice(0, 100) || `channel ${wholeIn(row, 'id')}`,
    status: off !== '' || old === channelStatus.unknown ? channelStatus.disabled : old,
    base_url: base,
    other: rebuilt.other || (type.other?.fallback ?? ''),
    models: modelsOf(row, label, world),
    group: [...new Set(groups)].join(',') || 'default',
    tag: textIn(row, 'tag'),
    priority: wholeIn(row, 'priority'),
    weight: 1,
    model_mapping: mappingText(row, label, { oldType, world }),
    model_headers: headersOf(row, label, world),
    proxy: proxyOf(row, label, world),
    plugin,
    disabled_stream: streamless(row),
    test_model: textIn(row, 'test_model'),
    only_chat: flagIn(row, 'only_chat'),
    pre_cost: wholeIn(row, 'pre_cost') || 1,
    balance: decimalIn(row, 'balance'),
    used_quota: Math.max(0, wholeIn(row, 'used_quota')),
    created_time: wholeIn(row, 'created_time'),
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
  param_override: isFilled,
  custom_parameter: isFilled,
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

function streamless(row: OldRow): string {
  const value = row['disabled_stream'];
  const parsed: unknown = typeof value === 'string' && value.startsWith('[') ? JSON.parse(value) : value;
  return Array.isArray(parsed) ? parsed.filter((each) => typeof each === 'string').join(',') : '';
}

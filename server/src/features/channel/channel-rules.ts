import type { Channel, ChannelEdit, ChannelType, PluginField, PluginOptions, RequestRule } from '@relay-hub/contract';
import {
  customParameterOf,
  keptSecret,
  rulesOfCustomParameter,
  rulesOfParamOverride,
  splitList,
} from '@relay-hub/contract';
import { isObject, parseJson } from '#json.ts';
import { findChannelType } from '#channel-types/channel-types.ts';
import type { Db } from '#db/tables.ts';
import { AppError, ensure } from '#errors.ts';
import type { Reach } from '#http/outbound/reach.ts';
import { ensureReachable } from '#http/outbound/typed-address.ts';
import { type Destination, destination } from '#stored-secrets.ts';

/** A type that channels can be created with. Throws `channel.type_unknown` and `channel.type_unsupported`. */
export function usableType(type: number): ChannelType {
  const found = findChannelType(type);
  ensure(found, 'channel.type_unknown', { field: 'type', type });
  ensure(found.supported, 'channel.type_unsupported', { field: 'type', title: found.title });
  return found;
}

export function checkAddress(type: ChannelType, baseUrl: string): void {
  ensure(baseUrl !== '' || type.address !== 'required', 'channel.address_needed', { field: 'base_url' });
}

/** Checks that a channel's addresses are allowed destinations. Throws `outbound.private` and `outbound.never`. */
export function checkReach(typed: { base_url?: string; proxy?: string }, reach: Reach): void {
  for (const field of ['base_url', 'proxy'] as const)
    for (const address of typed[field]?.split('\n') ?? []) ensureReachable(address, { field, reach });
}

/** Checks that the groups in a list exist. */
export async function checkGroups(db: Db, list: string): Promise<void> {
  const rows = await db.selectFrom('user_groups').select('symbol').execute();
  const known = new Set(rows.map(({ symbol }) => symbol));
  for (const name of splitList(list)) ensure(known.has(name), 'group.unknown', { field: 'group', name });
}

const otherForms: Record<NonNullable<ChannelType['other']>['kind'], RegExp> = {
  api_version: /^[\w.-]+$/,
  region: /^[a-z0-9-]+$/i,
  version: /^[\w.-]+$/,
  plugin_header: /^[\x20-\x7e]*$/,
  // Several regions are used in rotation; the project comes last.
  region_project: /^([a-z0-9-]+\|)+[a-z0-9:.-]+$/i,
  project: /^[a-z0-9:.-]+$/i,
  preview_or_latest: /^[\w.-]+$/,
};

/** The value of `other` to store: the given one, else the type's default. */
export function otherOf({ other: otherField }: ChannelType, given: string): string {
  if (!otherField) return given;
  const other = given === '' ? otherField.fallback : given;
  ensure(other !== '' || !otherField.required, 'channel.other_needed', { field: 'other', example: otherField.example });
  ensure(other === '' || otherForms[otherField.kind].test(other), 'channel.other_form', {
    field: 'other',
    example: otherField.example || otherField.fallback,
  });
  return other;
}

/** The policy `limit` needs both limits, or reading would never end. */
export function checkGone(channel: Pick<Channel, 'on_client_gone' | 'gone_seconds' | 'gone_tokens'>): void {
  if (channel.on_client_gone !== 'limit') return;
  for (const field of ['gone_seconds', 'gone_tokens'] as const)
    ensure(channel[field] > 0, 'channel.gone_limit', { field });
}

/** Validates the options of the type's own plugins; others are stored but have no effect. */
export function checkOptions({ plugins }: ChannelType, options: PluginOptions): void {
  for (const { id, fields } of plugins) {
    const given = options[id];
    if (!given) continue;
    const inUse = Object.values(given).some((value) => value !== '' && value !== false);
    for (const field of fields) {
      const value = given[field.name];
      const name = `${id}.${field.name}`;
      if (field.required && inUse && (value === undefined || value === ''))
        throw new AppError('channel.option_needed', { field: 'plugin', name });
      if (value !== undefined && !fits(field, value))
        throw new AppError('channel.option_form', { field: 'plugin', name });
    }
  }
}

function fits({ kind, choices, secret }: PluginField, value: string | number | boolean): boolean {
  if (kind === 'switch') return typeof value === 'boolean';
  if (typeof value !== 'string') return false;
  if (value === '') return true;
  if (secret) return value === keptSecret || /^[\x20-\x7e]*$/.test(value);
  if (kind === 'choice') return choices.includes(value);
  // Appended to the base URL, so it must not be able to extend the host.
  if (kind === 'path') return value === 'disable' || /^\/[\x21-\x7e]*$/.test(value);
  return kind === 'json' ? isObject(parseJson(value)) : true;
}

type RulesEdit = Pick<ChannelEdit, 'request_rules' | 'custom_parameter' | 'param_override'>;

/**
 * The rules after an edit; undefined: unchanged. A client of the family sends back the text that it read, which changes
 * nothing, also where that text cannot express the rules.
 */
export function rulesAfter(
  { request_rules: rules, custom_parameter: custom, param_override: override }: RulesEdit,
  before: readonly RequestRule[],
): RequestRule[] | undefined {
  const isOther = (next: readonly RequestRule[]) => rulesText(next) !== rulesText(before);
  if (rules && isOther(rules)) return rules;
  if (custom !== undefined && custom !== customParameterOf(before)) {
    const next = rulesOfCustomParameter(custom || '{}')?.rules ?? [];
    if (isOther(next)) return next;
  }
  const next = override ? (rulesOfParamOverride(override)?.rules ?? []) : before;
  return isOther(next) ? [...next] : undefined;
}

/** The rules as stored. */
export const rulesText = (rules: readonly RequestRule[]): string => (rules.length === 0 ? '' : JSON.stringify(rules));

/** The destination without the proxy, which is stored encrypted. */
export const targetOf = (channel: { type: number; base_url: string }): string =>
  destinationOf({ ...channel, proxy: '' }).target;

/** Where a channel's secrets are sent: the origin of its requests, ignoring the path. */
export function destinationOf({
  type,
  base_url,
  proxy,
}: {
  type: number;
  base_url: string;
  proxy: string;
}): Destination {
  const address = base_url || (findChannelType(type)?.base_url ?? '');
  // Default addresses may contain placeholders; they lead to the provider's hosts only.
  return URL.canParse(address) ? destination(address, proxy) : { target: `${type} ${address}`, proxy };
}

import type { ChannelEdit, ChannelType } from '@relay-hub/contract';
import { baseAddressIn } from '#channel-types/base-address.ts';
import { findChannelType } from '#channel-types/channel-types.ts';
import { given } from '#db/given.ts';
import { limitsText } from '#live/channel-limits.ts';
import type { Secrets } from '#secrets.ts';
import { ensureSameDestination, isEntered } from '#stored-secrets.ts';
import { type ChannelRow, rulesIn } from '#features/channel/channel-record.ts';
import {
  checkAddress,
  checkGone,
  checkOptions,
  destinationOf,
  otherOf,
  rulesAfter,
  rulesText,
  usableType,
} from '#features/channel/channel-rules.ts';
import { type ChannelSecrets, hasKept, merged, opened, sealed } from '#features/channel/keys/channel-secrets.ts';

export type ChannelFieldsEdit = Omit<ChannelEdit, 'id'>;

/** Columns of a channel with new values. */
export type ChannelSet = Partial<Omit<ChannelRow, 'id'>> & { deleted_time?: number | null };

/**
 * The columns that an edit changes. Throws the edit's validation errors, and `channel.key_again` if stored secrets
 * would be sent to another address.
 */
export function plannedEdit(secrets: Secrets, before: ChannelRow, sent: ChannelFieldsEdit): ChannelSet {
  const stored = opened(secrets, before);
  const edit = withBaseAddress(sent, before, stored);
  const next = merged({ ...stored, ...secretsIn(edit) }, stored);
  checkEdit(edit, before);
  const [from, to] = [
    { ...before, ...stored },
    { ...before, ...next, ...given({ type: edit.type, base_url: edit.base_url }) },
  ];
  ensureSameDestination(destinationOf(from), destinationOf(to), keptBy(edit, stored), 'channel.key_again');
  const { key: _, model_headers: __, proxy: ___, plugin: ____, excluded, disabled_stream: streams, ...others } = edit;
  const { request_rules: _rules, custom_parameter: _custom, param_override: _override, limits, ...plain } = others;
  const rules = rulesAfter(edit, rulesIn(before));
  const columns: ChannelSet = given({
    ...plain,
    ...otherChange(edit, before),
    excluded: excluded?.join(','),
    disabled_stream: streams?.join(','),
    request_rules: rules && rulesText(rules),
    limits: limits === undefined ? undefined : limitsText(limits),
  });
  return { ...different(before, columns), ...sealed(secrets, changedOf(stored, next)) };
}

/** Without the path of an endpoint at the base URL, see `baseAddressIn`. */
function withBaseAddress(edit: ChannelFieldsEdit, before: ChannelRow, stored: ChannelSecrets): ChannelFieldsEdit {
  const { base_url: sent } = edit;
  if (sent === undefined || sent === before.base_url) return edit;
  return { ...edit, base_url: baseAddressIn(edit.type ?? before.type, sent, edit.plugin ?? stored.plugin) };
}

/** The channel's type after the edit. A known but unsupported type can be kept, not chosen. */
export function typeAfter(edit: ChannelFieldsEdit, before: Pick<ChannelRow, 'type'>): ChannelType {
  if (edit.type !== undefined && edit.type !== before.type) return usableType(edit.type);
  return findChannelType(before.type) ?? usableType(before.type);
}

function checkEdit(edit: ChannelFieldsEdit, before: ChannelRow): void {
  const type = typeAfter(edit, before);
  if (edit.type !== undefined || edit.base_url !== undefined) checkAddress(type, edit.base_url ?? before.base_url);
  checkGone({
    on_client_gone: edit.on_client_gone ?? before.on_client_gone,
    gone_seconds: edit.gone_seconds ?? before.gone_seconds,
    gone_tokens: edit.gone_tokens ?? before.gone_tokens,
  });
  if (edit.plugin) checkOptions(type, edit.plugin);
}

/** The meaning of `other` depends on the type, so it is validated against the new one. */
function otherChange(edit: ChannelFieldsEdit, before: ChannelRow): { other?: string } {
  if (edit.other === undefined && (edit.type === undefined || edit.type === before.type)) return {};
  return { other: otherOf(typeAfter(edit, before), edit.other ?? before.other) };
}

/** Which stored secrets remain in use after an edit. */
const keptBy = (edit: ChannelFieldsEdit, stored: ChannelSecrets): Record<string, boolean> => ({
  key: !isEntered(edit.key),
  model_headers: edit.model_headers === undefined ? stored.model_headers !== '' : hasKept(edit.model_headers),
  plugin: edit.plugin === undefined ? stored.plugin['headers'] !== undefined : hasKept(JSON.stringify(edit.plugin)),
});

const secretsIn = ({ model_headers, proxy, plugin }: ChannelFieldsEdit): Partial<ChannelSecrets> =>
  given({ model_headers, proxy, plugin });

/** Compared as plain text, because ciphertexts always differ. */
function changedOf(stored: ChannelSecrets, next: ChannelSecrets): Partial<ChannelSecrets> {
  const before = new Map<string, unknown>(Object.entries(stored));
  return Object.fromEntries(
    Object.entries(next).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before.get(name))),
  );
}

/** The columns whose values differ from the row's. */
export function different<T extends ChannelSet>(row: ChannelRow, columns: T): T {
  const now = new Map<string, unknown>(Object.entries(row));
  const news = Object.entries(columns).filter(([column, value]) => now.get(column) !== value);
  return Object.fromEntries(news) as T; // a subset of the same columns
}

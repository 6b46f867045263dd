import { BlockList } from 'node:net';
import type { Language } from '@relay-hub/contract';
import type * as z from 'zod/mini';
import { AppError, ensure } from '#errors.ts';
import { isWithin, operatorReach, type Rules } from '#http/outbound/reach.ts';
import { ensureReachable } from '#http/outbound/typed-address.ts';
import { problemText } from '#i18n/language.ts';
import { connectedSettings, fetchedSettings, networkSettings } from '#settings/fetched-settings.ts';
import { endsOf, networksIn } from '#networks.ts';
import { missingFor, outOfOrder } from '#settings/setting-rules.ts';
import { isSecret, isSettingKey, parseSetting, readSetting, type SettingKey, type Settings } from '#settings.ts';
import { GROUP_RATIO, groupRatioRule } from './group-ratio.ts';

/** Requested settings: a text, or null for the default. */
export type RequestedSettings = Readonly<Record<string, string | null>>;

export interface CheckedSettings {
  /** The texts to store, normalised by each setting's rule. */
  texts: Map<SettingKey, string | null>;
  groupRatios: Record<string, number> | undefined;
}

/**
 * Validates each value against its setting's rule, and outbound addresses against the private networks allowed after
 * the change. Throws `option.unknown`, `option.invalid`, `option.network_limit`, `outbound.private` and
 * `outbound.never`, with the setting's name.
 */
export function checkOptions(requested: RequestedSettings, language: Language, rules: Rules): CheckedSettings {
  const checked: CheckedSettings = { texts: new Map(), groupRatios: undefined };
  for (const [key, text] of Object.entries(requested)) {
    if (key === GROUP_RATIO) {
      checked.groupRatios = valid(key, groupRatioRule.safeParse(text ?? '', { reportInput: true }), language);
      continue;
    }
    ensure(isSettingKey(key), 'option.unknown', { field: 'key', key });
    // Secrets are never sent to a form, so an untouched field comes back empty.
    if (isSecret(key) && text?.trim() === '') continue;
    checked.texts.set(key, text === null ? null : stored(text, valid(key, parseSetting(key, text), language)));
  }
  checkNetworks(checked, rules);
  return checked;
}

function checkNetworks({ texts }: CheckedSettings, rules: Rules): void {
  const settings: Pick<Settings, (typeof networkSettings)[number]> = { ...rules.live.settings };
  for (const key of networkSettings) {
    const text = texts.get(key);
    if (text === undefined) continue;
    for (const network of networksIn(text ?? ''))
      if (!endsOf(network).every((ip) => isWithin(ip, rules.config.outboundPrivate)))
        throw new AppError('option.network_limit', { field: key, network });
    settings[key] = readSetting(key, text);
  }
  const reach = operatorReach({ config: rules.config, live: { settings } });
  for (const [key, text] of texts)
    if (text !== null && (fetchedSettings.has(key) || connectedSettings.has(key)))
      ensureReachable(text, { field: key, reach });
}

function stored(text: string, value: unknown): string {
  if (value instanceof BlockList) return networksIn(text).join(',');
  return typeof value === 'string' ? value : text.trim();
}

function valid<T>(key: string, parsed: z.core.util.SafeParseResult<T>, language: Language): T {
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const problem = issue ? problemText(issue, language) : '';
  throw new AppError('option.invalid', { field: key, key, problem });
}

/** Validates the rules between settings. Throws `option.needs`, `option.needed` and `option.order`. */
export function checkTogether(settings: Settings, changed: ReadonlySet<string>): void {
  const swapped = outOfOrder(settings, changed);
  if (swapped) throw new AppError('option.order', swapped);
  const missing = missingFor(settings, changed);
  if (!missing) return;
  const { field, key, needs, any } = missing;
  const names = needs.join(', ');
  throw new AppError(any ? 'option.needs_one' : field === key ? 'option.needs' : 'option.needed', {
    field,
    key,
    names,
  });
}

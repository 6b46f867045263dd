import type * as z from 'zod/mini';
import type { Secrets } from './secrets.ts';
import { operationSettings } from './settings/operation-settings.ts';
import type { Setting } from './settings/setting.ts';
import { siteSettings } from './settings/site-settings.ts';
import { systemSettings } from './settings/system-settings.ts';

/** Every setting: its default as text, and the schema of new values. */
export const settings = { ...operationSettings, ...systemSettings, ...siteSettings } satisfies Record<
  string,
  Setting<unknown>
>;

export type SettingKey = keyof typeof settings;

/** The parsed settings in force, with plain secrets. */
export type Settings = { [K in SettingKey]: z.output<(typeof settings)[K]['parse']> };

export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(settings, key);

const settingOf = (key: SettingKey): Setting<unknown> => settings[key];

export const isSecret = (key: SettingKey): boolean => settingOf(key).secret === true;

/** Parses the text of a setting. */
export const parseSetting = (key: SettingKey, text: string) =>
  (settingOf(key).parse as z.ZodMiniType).safeParse(text, { reportInput: true });

/** The value of a setting from a valid text or its default. */
export const readSetting = <K extends SettingKey>(key: K, text: string | null): Settings[K] =>
  parseSetting(key, text ?? settings[key].fallback).data as Settings[K]; // parsed by the schema of that key

/** Parses stored settings. Missing, invalid or undecryptable ones are at their default. */
export function readSettings(stored: ReadonlyMap<string, string>, secrets: Secrets): Settings {
  const entries = (Object.keys(settings) as SettingKey[]).map((key) => {
    const { fallback } = settingOf(key);
    const found = parseSetting(key, storedText(key, stored.get(key), secrets) ?? fallback);
    return [key, found.success ? found.data : parseSetting(key, fallback).data];
  });
  return Object.fromEntries(entries) as Settings; // one entry per key of `settings`, parsed by its schema
}

function storedText(key: SettingKey, stored: string | undefined, secrets: Secrets): string | undefined {
  if (!stored || !isSecret(key)) return stored;
  try {
    return secrets.decrypt(stored);
  } catch {
    return undefined;
  }
}

import { optionApi } from '@relay-hub/contract';
import { problemText } from '../../../server/src/i18n/language.ts';
import { isGuarded } from '../../../server/src/settings/guarded-settings.ts';
import { isSecret, isSettingKey, parseSetting, settings } from '../../../server/src/settings.ts';
import { type Kind, plainForm, isPlainObject } from './kind.ts';

/** Written by its own name under `groups`. */
const GROUP_RATIO = 'GroupRatio';
/** Settings have no ids; these say whether one is stored. */
const [AT_DEFAULT, STORED] = [0, 1];

export const settingsKind: Kind = {
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

import type { ChannelType } from '@relay-hub/contract';
import { AppError } from '#errors.ts';

/**
 * Splits a text into keys: one per line, or, where a key is a JSON object, consecutive objects of any length.
 * Duplicates are dropped. Throws `channel.key_json` and `channel.key_form`.
 */
export function keysIn(text: string, { key }: Pick<ChannelType, 'key'>): string[] {
  const keys = key.json && text.trim().startsWith('{') ? objectsIn(text) : linesOf(text);
  for (const each of keys) checkForm(each, key);
  return [...new Set(keys)];
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Splits consecutive objects, and puts each on one line. */
function objectsIn(text: string): string[] {
  const found: string[] = [];
  let start = 0;
  for (let end = text.indexOf('}'); end >= 0; end = text.indexOf('}', end + 1)) {
    const parsed = parseObject(text.slice(start, end + 1));
    if (parsed === undefined) continue;
    found.push(JSON.stringify(parsed));
    start = end + 1;
  }
  if (text.slice(start).trim() !== '') throw new AppError('channel.key_json', { field: 'key' });
  return found;
}

function parseObject(text: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Counts the parts, because a missing part would only show as a refusal by the upstream. */
function checkForm(key: string, { forms, json }: ChannelType['key']): void {
  if (json) {
    if (parseObject(key) === undefined) throw new AppError('channel.key_json', { field: 'key' });
    return;
  }
  if (forms.some((form) => form.length === 1)) return;
  const parts = key.split('|');
  const fits = forms.some((form) => form.length === parts.length) && parts.every((part) => part.trim() !== '');
  if (!fits)
    throw new AppError('channel.key_form', { field: 'key', form: forms.map((form) => form.join('|')).join(' / ') });
}

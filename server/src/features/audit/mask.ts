import { keptSecret } from '@relay-hub/contract';
import { fingerprint, masked } from '#secrets.ts';
import { isSecret as isSecretKey, isSettingKey } from '#settings.ts';

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

const LONGEST_TEXT = 1000;
const MOST_MEMBERS = 50;
const DEEPEST = 6;

/** Names of fields that must never appear in the log: credentials, and values stored encrypted or hashed. */
const secretName =
  /pass(word|phrase)|secret|credential|cipher|_hash$|_seed|headers$|^proxy$|(^|_|api|access|app|webhook)_?(key|keys|token|code)$/i;
/** Names that match the pattern above but are harmless. */
const plainName = /(_time|_hint)$/i;

const isSecretSetting = (name: string): boolean => isSettingKey(name) && isSecretKey(name);

const isSecret = (name: string): boolean =>
  isSecretSetting(name) || (secretName.test(name) && !plainName.test(name) && !isSettingKey(name));

/** Enough to see that a value has changed, too little to learn it. */
const marked = (value: unknown): string =>
  value === '' || value === null ? '' : `${keptSecret} #${fingerprint(JSON.stringify(value)).slice(0, 4)}`;

/** A table row for the log: changed secrets are recognisable but not readable. */
export function maskedRow(row: object): Json {
  return maskObject(row, marked, 0);
}

/** An input for the log: of a secret, only that there was one. */
export function maskedInput(input: unknown): Json {
  return maskValue(input, () => keptSecret, 0);
}

type MarkOf = (value: unknown) => string;

function maskObject(value: object, mark: MarkOf, depth: number): Json {
  // A setting's name and value are separate fields.
  const setting = 'key' in value && 'value' in value ? String(value.key) : undefined;
  const entries = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .slice(0, MOST_MEMBERS);
  const members = entries.map(([name, member]): [string, Json] => {
    const hidden = setting === undefined ? isSecret(name) : name === 'value' && isSecretSetting(setting);
    const empty = member === '' || member === null || typeof member === 'boolean';
    return [name, hidden && !empty ? mark(member) : maskValue(member, mark, depth + 1)];
  });
  return Object.fromEntries(members);
}

function maskValue(value: unknown, mark: MarkOf, depth: number): Json {
  if (typeof value === 'string') return cut(masked(value));
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= DEEPEST) return '…';
  if (!Array.isArray(value)) return maskObject(value, mark, depth);
  const head = value.slice(0, MOST_MEMBERS).map((member) => maskValue(member, mark, depth + 1));
  return value.length > MOST_MEMBERS ? [...head, `… +${value.length - MOST_MEMBERS}`] : head;
}

/** The start of a long text, with a hash to distinguish it from others with the same start. */
function cut(text: string): string {
  const plain = text.replaceAll('\0', '');
  const [inline] = /^data:[\w/+.-]*;base64,/.exec(plain) ?? [];
  // The bytes of an image are of no use to a reader.
  if (inline !== undefined) return `${inline}… (${plain.length}, #${fingerprint(plain).slice(0, 4)})`;
  if (plain.length <= LONGEST_TEXT) return plain;
  return `${plain.slice(0, LONGEST_TEXT)}… (${plain.length}, #${fingerprint(plain).slice(0, 4)})`;
}

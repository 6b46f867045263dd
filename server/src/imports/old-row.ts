import { LARGEST_MOVE, oneLine } from '@relay-hub/contract';
import { isObject, parseJson } from '#json.ts';

/** A row of the old database, as its driver gives it: numbers may be text or bigint, booleans 0, 1, `t` or `true`. */
export type OldRow = Readonly<Record<string, unknown>>;

/** A value of the old database that cannot be taken over. The message names the column. */
export class OldValueError extends Error {}

/** Text without trailing blanks, which PostgreSQL pads `char` columns with; empty for NULL and for absent columns. */
export function textIn(row: OldRow, column: string): string {
  const value = row[column];
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value.trimEnd();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8').trimEnd();
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  return JSON.stringify(value);
}

/** One printable line of at most `most` UTF-16 units. Never ends in half a character. */
export const lineIn = (row: OldRow, column: string, most: number): string =>
  oneLine(textIn(row, column))
    .slice(0, most)
    .replace(/[\uD800-\uDBFF]$/, '');

/** Name of a row for the report, whatever it holds: `channel 3 (main)`. */
export function rowName(row: OldRow, noun: string, column = 'name'): string {
  const name = lineIn(row, column, 100);
  return `${noun} ${lineIn(row, 'id', 30)}${name === '' ? '' : ` (${name})`}`;
}

/** The place of the first text, in any depth, that a database refuses: with NUL or half a character. */
export function unstorable(value: unknown, place = ''): string | undefined {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed() ? place : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = unstorable(name, place) ?? unstorable(member, place === '' ? name : place);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Text without what a database refuses, for texts that only people read. */
export const proseIn = (row: OldRow, column: string, most: number): string => storableText(textIn(row, column), most);

export const storableText = (text: string, most: number): string =>
  text.slice(0, most).replaceAll('\0', '').toWellFormed();

/** A whole number; 0 for NULL, absent and unreadable ones. Throws `OldValueError` when it is too large to be exact. */
export function wholeIn(row: OldRow, column: string): number {
  const text = textIn(row, column);
  const number = text === 'true' ? 1 : Math.trunc(Number(text));
  if (Number.isNaN(number)) return 0;
  if (!Number.isSafeInteger(number)) throw new OldValueError(`${column} is ${text}, which is too large`);
  return number;
}

/** Credits of one account or record; as much as one movement here can have. Throws `OldValueError`. */
export function creditsIn(row: OldRow, column: string): number {
  const credits = wholeIn(row, column);
  if (Math.abs(credits) > LARGEST_MOVE) throw new OldValueError(`${column} is ${credits}, which is too large`);
  return credits;
}

/** A time in Unix seconds (`perSecond` 1) or milliseconds; 0 = not known. Throws `OldValueError` for other numbers. */
export function timeIn(row: OldRow, column: string, perSecond = 1): number {
  const time = wholeIn(row, column);
  if (time < 0 || time > LATEST * perSecond) throw new OldValueError(`${column} is ${time}, which is not a time`);
  return time;
}

/** When something ends, in Unix seconds; -1 = never, as times beyond the year 9999. */
export function expiryIn(row: OldRow, column: string): number {
  const time = wholeIn(row, column);
  return time <= 0 || time > LATEST ? -1 : time;
}

/** The end of the year 9999. */
const LATEST = 253_402_300_799;

/** A decimal number; 0 for NULL, absent and unreadable ones. */
export function decimalIn(row: OldRow, column: string): number {
  const number = Number(textIn(row, column));
  return Number.isFinite(number) ? number : 0;
}

/** Hundredths of a decimal amount, rounded half up from its text, so that no binary fraction is involved. */
export function minorIn(row: OldRow, column: string): number {
  const text = textIn(row, column);
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d*)(?:\.(\d*))?$/.exec(text) ?? [];
  const thousandths = Number(`${whole}${fraction.slice(0, 3).padEnd(3, '0')}`);
  if (!Number.isSafeInteger(thousandths)) throw new OldValueError(`${column} is ${text}, which is too large`);
  return (sign === '' ? 1 : -1) * Math.floor((thousandths + 5) / 10);
}

/** Raw bytes: a blob, or PostgreSQL's text of them (`\x…`). */
export function bytesIn(row: OldRow, column: string): Buffer {
  const value = row[column];
  if (value instanceof Uint8Array) return Buffer.from(value);
  const text = textIn(row, column);
  return text.startsWith('\\x') ? Buffer.from(text.slice(2), 'hex') : Buffer.alloc(0);
}

export const flagIn = (row: OldRow, column: string): boolean => ['1', 't', 'true'].includes(textIn(row, column));

/** The JSON object in a column; empty for anything else. */
export function objectIn(row: OldRow, column: string): Record<string, unknown> {
  const value = row[column];
  if (isObject(value) && !(value instanceof Uint8Array)) return value;
  const parsed = parseJson(textIn(row, column));
  return isObject(parsed) ? parsed : {};
}

/** Soft-deleted rows stay in the tables. */
export const isDeleted = (row: OldRow): boolean => row['deleted_at'] !== null && row['deleted_at'] !== undefined;

/** Parts of a comma-separated list, trimmed, without empty and repeated ones. */
export const listIn = (row: OldRow, column: string): string[] => partsOf(textIn(row, column), /,/);

export const partsOf = (text: string, separator: RegExp): string[] => [
  ...new Set(
    text
      .split(separator)
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ),
];

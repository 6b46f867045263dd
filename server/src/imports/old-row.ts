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

/** A whole number; 0 for NULL, absent and unreadable ones. Throws `OldValueError` when it is too large to be exact. */
export function wholeIn(row: OldRow, column: string): number {
  const text = textIn(row, column);
  const number = text === 'true' ? 1 : Math.trunc(Number(text));
  if (Number.isNaN(number)) return 0;
  if (!Number.isSafeInteger(number)) throw new OldValueError(`${column} is ${text}, which is too large`);
  return number;
}

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

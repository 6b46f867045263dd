/** Lists and maps encoded as text. Without schemas, since the console's first page needs these. */

/** Commas of any script, and line breaks. */
const listSeparators = /[,，、﹐﹑､،\n\r\t]/;

/** Text without invisible characters, such as zero-width spaces and byte order marks. */
export const withoutInvisible = (text: string): string => text.replace(/\p{Cf}/gu, '');

/** The parts of a list, separated by commas of any script or line breaks; trimmed, without empty ones. */
export function splitList(list: string): string[] {
  return list
    .split(listSeparators)
    .map((part) => withoutInvisible(part).trim())
    .filter((part) => part !== '');
}

/** The object in a JSON text like `{"gpt-4": "gpt-4o"}`; `{}` for empty text, undefined when it is not an object of texts. */
export function parseTextMap(value: string): Record<string, string> | undefined {
  if (value.trim() === '') return {};
  try {
    const parsed: unknown = JSON.parse(value);
    return isTextMap(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

const isTextMap = (value: unknown): value is Record<string, string> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((entry) => typeof entry === 'string');

/** Control characters and direction marks. NUL is refused by a separate rule. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu;

/** A printable, trimmed line: unprintable characters become spaces. */
export const oneLine = (text: string): string =>
  text.replace(unprintable, (found) => (found.includes('\0') ? found : ' ')).trim();

/** Lists and maps that the wire carries as text. No schemas in here: the first page of the console needs these. */

/** The parts of a comma-separated list, trimmed, without empty ones. */
export function splitList(list: string): string[] {
  return list
    .split(',')
    .map((part) => part.trim())
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

/** Control characters and marks that turn the direction of what follows. NUL is refused by a rule of its own. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu;

/** A text as one line that can be shown: what cannot be printed becomes a space, and spaces around it are dropped. */
export const oneLine = (text: string): string =>
  text.replace(unprintable, (found) => (found.includes('\0') ? found : ' ')).trim();

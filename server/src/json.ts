/** A JSON object whose members are not checked yet. */
export type Json = Record<string, unknown>;

/** Whether a value is a JSON object: neither null nor an array. */
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value if it is an object, else undefined. */
export const objectOf = (value: unknown): Json | undefined => (isObject(value) ? value : undefined);

/** The value if it is an object, else an empty one: for replies of which any member may be missing. */
export const objectOr = (value: unknown): Json => (isObject(value) ? value : {});
export const listOr = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const textOr = <T>(value: unknown, otherwise: T): string | T => (typeof value === 'string' ? value : otherwise);

/** Parses JSON; undefined for text that is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const QUOTE = 0x22;

/**
 * Whether a text contains a quote and `rest` behind it. Faster than a search for the quote, which stops at every member
 * of a JSON text.
 */
export function hasQuoted(text: string, rest: string): boolean {
  // An empty rest is found at the end as well, again and again.
  for (let at = text.indexOf(rest); at >= 0; at = at < text.length ? text.indexOf(rest, at + 1) : -1)
    if (text.charCodeAt(at - 1) === QUOTE) return true;
  return false;
}

/** A longer body is searched in its bytes, so that it is not copied. */
const SHORT_BYTES = 16 * 1024;

let lastBody: Buffer | undefined;
let lastText = '';

/** A body as text. A call is parsed and searched several times in a row, so that of the last short one is kept. */
export function textOf(body: Buffer): string {
  if (body.length > SHORT_BYTES) return body.toString('utf8');
  if (body !== lastBody) {
    lastText = body.toString('utf8');
    lastBody = body;
  }
  return lastText;
}

/**
 * Whether bytes of JSON contain one of some ASCII words. Each search of a buffer is a call out of JavaScript, so a short
 * body is searched as text.
 */
export function hasWord(body: Buffer, words: readonly string[]): boolean {
  if (body.length > SHORT_BYTES) return words.some((word) => body.includes(word));
  const text = textOf(body);
  for (const word of words)
    if (word.startsWith('"') ? hasQuoted(text, word.slice(1)) : text.includes(word)) return true;
  return false;
}

/** Additions of Node to JSON, and TypeScript's library does not know yet. */
interface SourcedJson {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
}
const sourced = JSON as unknown as SourcedJson; // https://tc39.es/proposal-json-parse-with-source

/** A number that would be written differently than it was read: too many digits, an exponent, zeros at its end. */
const oddNumber = /[:[,]\s*-?(?:[\d.]{16}|\d+(?:\.\d+)?[eE]|\d+\.\d*0(?!\d)|(?<=-)0(?![.\d]))/;

/** Whether a text of JSON may hold a number that would be written differently than it was read. */
export const hasOddNumber = (text: string): boolean => oddNumber.test(text);

/** Members whose content belongs to the caller's tools, by name; the relay writes it again, but reads no number there. */
const opaque = new Set(
  [
    'arguments args functionResponse function_response parameters parametersJsonSchema parameters_json_schema',
    'input_schema inputSchema schema responseSchema response_schema responseJsonSchema response_json_schema',
  ]
    .join(' ')
    .split(' '),
);

/**
 * Parses JSON of a request or reply that is converted: numbers in arguments, results and schemas of tools keep their
 * text when they are written again. Throws for text that is none. Without odd numbers it costs no more than `JSON.parse`.
 */
export function parseWithSources(text: string): unknown {
  if (!oddNumber.test(text)) return JSON.parse(text);
  return settled(exactNumbers(text), false);
}

/** Like `parseWithSources`; undefined for text that is none. */
export function sourcesOrNone(text: string): unknown {
  try {
    return parseWithSources(text);
  } catch {
    return undefined;
  }
}

/** Like `parseJson`, for a text of which all belongs to a tool: every number keeps its text. */
export function parseExact(text: string): unknown {
  try {
    return oddNumber.test(`[${text}`) ? exactNumbers(text) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const exactNumbers = (text: string): unknown =>
  sourced.parse(text, (_, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? sourced.rawJSON(source) : value,
  );

/** Plain numbers again, except in opaque members. */
function settled(value: unknown, isOpaque: boolean): unknown {
  if (isOpaque || typeof value !== 'object' || value === null) return value;
  if (sourced.isRawJSON(value)) return Number((value as { rawJSON: string }).rawJSON);
  for (const [name, member] of Object.entries(value)) {
    if (typeof member !== 'object') continue;
    const holds = opaque.has(name) || (name === 'input' && isObject(member) && !sourced.isRawJSON(member));
    (value as Json)[name] = settled(member, holds && !sourced.isRawJSON(member));
  }
  return value;
}

/** A number by its text, such as one of 64 bits; a plain number if the text is none. */
export const numberOf = (text: string): unknown =>
  /^-?(?:0|[1-9]\d*)$/.test(text) && String(Number(text)) !== text ? sourced.rawJSON(text) : Number(text);

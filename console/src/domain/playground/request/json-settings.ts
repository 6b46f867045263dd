import type { Settings } from '#domain/playground/playground-types.ts';

/** A function that the model may call, as the user typed it. */
export interface ToolDefinition {
  name: string;
  description?: string;
  parameters?: object;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object in the advanced settings; undefined if the text is no JSON object. */
export function readAdvanced(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {};
  const value = parse(text);
  return isObject(value) ? value : undefined;
}

/** The functions in the settings, also in OpenAI's format; undefined if the text is no list of them. */
export function readTools(text: string): ToolDefinition[] | undefined {
  if (text.trim() === '') return [];
  const value = parse(text);
  if (!Array.isArray(value)) return undefined;
  const tools = value.map((each: unknown) => (isObject(each) && isObject(each['function']) ? each['function'] : each));
  return tools.every(isTool) ? tools : undefined;
}

const isTool = (value: unknown): value is ToolDefinition =>
  isObject(value) &&
  typeof value['name'] === 'string' &&
  ['string', 'undefined'].includes(typeof value['description']) &&
  (value['parameters'] === undefined || isObject(value['parameters']));

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the caller names the field
  }
}

/** The sequences at which the model stops; undefined: none. */
export function stopsOf({ stop }: Pick<Settings, 'stop'>): string[] | undefined {
  const stops = stop.split('\n').filter((line) => line !== '');
  return stops.length > 0 ? stops : undefined;
}

/** The value, or undefined instead of an empty list, which APIs refuse. */
export const nonEmpty = <T>(list: T[]): T[] | undefined => (list.length > 0 ? list : undefined);

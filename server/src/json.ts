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

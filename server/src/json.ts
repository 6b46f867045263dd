/** A JSON object whose members are not checked yet. */
export type Json = Record<string, unknown>;

/** Whether a value is a JSON object: neither null nor an array. */
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value if it is an object, else an empty one: for replies of which any member may be missing. */
export const objectOr = (value: unknown): Json => (isObject(value) ? value : {});

import type * as z from 'zod/mini';
import { objectOr } from '#json.ts';

/**
 * A query for its schema. Values of a wrong type must be refused and not dropped, because an ignored filter widens a
 * list or a download.
 */
export function queryInput(schema: z.ZodMiniType, query: unknown): Record<string, unknown> {
  const members = (schema as Partial<z.ZodMiniObject>).shape ?? {};
  const input: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(objectOr(query))) {
    const name = key.split('[', 1)[0] ?? '';
    // `name[x]=` is how clients send an object or a list.
    if (name !== key && Object.hasOwn(members, name)) input[name] = {};
    else if (Object.hasOwn(members, key) && isBlank(value) && isNumber(members[key])) input[key] ??= {};
    else if (key !== '__proto__') input[key] ??= value;
  }
  return input;
}

/** A blank text would become 0, which is no filter; an empty one is left out by clients on purpose. */
const isBlank = (value: unknown): boolean => typeof value === 'string' && value !== '' && value.trim() === '';

/** Whether it is a number, within defaults and options. */
function isNumber(schema: { readonly _zod: { readonly def: object } } | undefined): boolean {
  const { type, innerType } = (schema?._zod.def ?? {}) as { type?: string; innerType?: typeof schema };
  return type === 'number' || (innerType !== undefined && isNumber(innerType));
}

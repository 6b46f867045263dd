import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { allEndpoints } from './registry.ts';

interface Def {
  shape?: Record<string, z.ZodMiniType>;
  innerType?: z.ZodMiniType;
  element?: z.ZodMiniType;
  options?: z.ZodMiniType[];
  valueType?: z.ZodMiniType;
  in?: z.ZodMiniType;
}

/** All texts in a body, at any depth, by path. */
function textsIn(schema: z.ZodMiniType, path: string): [path: string, text: z.ZodMiniType][] {
  const def = schema._zod.def as Def; // what of it is read depends on the kind of schema
  if (schema instanceof z.ZodMiniString) return [[path, schema]];
  return [
    ...Object.entries(def.shape ?? {}).flatMap(([name, inner]) => textsIn(inner, `${path}.${name}`)),
    ...[def.innerType, def.in].flatMap((inner) => (inner ? textsIn(inner, path) : [])),
    ...[def.element, def.valueType].flatMap((inner) => (inner ? textsIn(inner, `${path}[]`) : [])),
    ...(def.options ?? []).flatMap((inner) => textsIn(inner, path)),
  ];
}

const likely = ['aaaaaaaa', '1', 'a@b.org', 'https://a.org', '{"a":"b"}', 'a,b'];

/** Whether surrounding spaces are kept. */
const keepsBlanks = (text: z.ZodMiniType): boolean =>
  likely.some((given) => {
    const { success, data } = text.safeParse(`  ${given}  `);
    return success && typeof data === 'string' && data !== data.trim();
  });

/** Passwords, existing names, WebAuthn data, patterns and what they are tried on are not trimmed. */
const asTheyAre =
  /pass(?:word|phrase)$|original_models\[\]$|update\/apply\.|\.transports\[\]$|guard\/(?:test)?\.(?:patterns\[\]|text)$/;

const bodies = allEndpoints.flatMap(({ method, path, body }) => textsIn(body, `${method} ${path}`));

test('all texts in nested submitted data are trimmed', () => {
  expect(bodies.length).toBeGreaterThan(80);
  expect(bodies.filter(([path, text]) => !asTheyAre.test(path) && keepsBlanks(text)).map(([path]) => path)).toEqual([]);
});

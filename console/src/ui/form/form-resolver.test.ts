import type { ResolverOptions } from 'react-hook-form';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { languages } from '#i18n/languages.ts';
import { contractResolver } from './form-resolver.ts';

type Case = [schema: z.ZodMiniType, value: unknown, code: string];

/** At least one input per issue code of zod; the type fails to compile when zod gains a code. */
const cases: Record<z.core.$ZodIssue['code'], Case[]> = {
  invalid_type: [
    [z.string(), undefined, 'required'],
    [z.string(), 5, 'type'],
    [z.int(), 1.5, 'whole'],
  ],
  too_big: [
    [z.string().check(z.maxLength(32)), 'x'.repeat(33), 'long:32'],
    [z.array(z.string()).check(z.maxLength(1)), ['a', 'b'], 'many:1'],
    [z.number().check(z.lte(3)), 4, 'high:3'],
    [z.number().check(z.lt(3)), 3, 'below:3'],
  ],
  too_small: [
    [z.string().check(z.minLength(1)), '', 'required'],
    [z.string().check(z.minLength(8)), 'x', 'short:8'],
    [z.array(z.string()).check(z.minLength(2)), ['a'], 'few:2'],
    [z.number().check(z.gte(3)), 2, 'low:3'],
    [z.number().check(z.gt(3)), 3, 'above:3'],
  ],
  invalid_format: [
    [z.email(), 'nobody', 'email'],
    [z.string().check(z.regex(/^\d+$/u)), 'x', 'format'],
  ],
  not_multiple_of: [[z.number().check(z.multipleOf(5)), 7, 'multiple:5']],
  unrecognized_keys: [[z.strictObject({}), { odd: 1 }, 'type']],
  invalid_union: [[z.union([z.string(), z.number()]), true, 'type']],
  invalid_key: [[z.record(z.string().check(z.maxLength(2)), z.string()), { long: 'x' }, 'type']],
  invalid_element: [[z.map(z.array(z.string()), z.number()), new Map([[['one'], 'x']]), 'type']],
  invalid_value: [[z.enum(['a', 'b']), 'c', 'type']],
  custom: [[z.string().check(z.refine(() => false)), 'x', 'type']],
};

describe.each(Object.entries(cases))('a field whose value has the issue %s', (issue, examples) => {
  beforeAll(() => {
    // zod/mini has no default messages until a locale is set, which any dependency may do.
    z.config(z.locales.en());
  });

  test.each(examples)('%# shows a text in every language', async (schema, value, code) => {
    expect(schema.safeParse(value).error?.issues[0]?.code).toBe(issue);
    const resolve = contractResolver(z.object({ value: schema }));
    const { errors } = await resolve({ value }, undefined, { fields: {} } as ResolverOptions<{ value: unknown }>);
    // An issue of a key has its error one level deeper, where the field looks as well.
    const field: { message?: string; long?: { message: string } } | undefined = errors.value;
    expect(field?.message ?? field?.long?.message).toBe(code);
    for (const { load } of languages) {
      const { texts } = await (await load()).shared();
      expect(texts).toHaveProperty(`invalid_${code.split(':')[0]}`);
    }
  });
});

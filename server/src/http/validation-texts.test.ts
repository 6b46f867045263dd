import { endpoints } from '@relay-hub/contract';
import { register } from '@relay-hub/contract/registry';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { Deps } from '#deps.ts';
import { errorRenderer } from './error-reply.ts';
import { serve } from './serve.ts';

type Case = [schema: z.ZodMiniType, value: unknown, texts: [en: string, zhCN: string, zhHK: string, ja: string]];

/** One input per issue code of zod; the type fails to compile when zod gains a code. */
const cases: Record<z.core.$ZodIssue['code'], Case> = {
  invalid_type: [z.string(), 5, ['must be text', '必须是文本', '必須是文字', '文字列で指定してください']],
  too_big: [
    z.string().check(z.maxLength(32)),
    'x'.repeat(33),
    ['must have at most 32 characters', '最多 32 个字符', '最多 32 個字元', '32 文字以内にしてください'],
  ],
  too_small: [
    z.number().check(z.gte(3)),
    2,
    ['must be at least 3', '不能小于 3', '不能小於 3', '3 以上にしてください'],
  ],
  invalid_format: [
    z.email(),
    'nobody',
    ['has an invalid format', '格式不正确', '格式不正確', '形式が正しくありません'],
  ],
  not_multiple_of: [
    z.number().check(z.multipleOf(5)),
    7,
    ['must be a multiple of 5', '必须是 5 的倍数', '必須是 5 的倍數', '5 の倍数にしてください'],
  ],
  unrecognized_keys: [
    z.strictObject({}),
    { odd: 1 },
    ['contains unknown fields: odd', '含有未知字段：odd', '含有未知欄位：odd', '不明な項目があります：odd'],
  ],
  invalid_union: [
    z.union([z.string(), z.number()]),
    true,
    ['is invalid', '值无效', '數值無效', '値が正しくありません'],
  ],
  invalid_key: [
    z.record(z.string().check(z.maxLength(2)), z.string()),
    { long: 'x' },
    ['must have at most 2 characters', '最多 2 个字符', '最多 2 個字元', '2 文字以内にしてください'],
  ],
  invalid_element: [
    z.pipe(
      z.transform((entries: [string[], unknown][]) => new Map(entries)),
      z.map(z.array(z.string()), z.number()),
    ),
    [[['one'], 'x']],
    ['must be a number', '必须是数字', '必須是數字', '数値で指定してください'],
  ],
  invalid_value: [
    z.enum(['a', 'b']),
    'c',
    ['must be one of: a, b', '只能是以下之一：a, b', '只可以是以下其中之一：a, b', '次のいずれかにしてください：a, b'],
  ],
  custom: [
    z.string().check(z.refine(() => false, { error: 'Raw English of a rule without a text' })),
    'x',
    ['is invalid', '值无效', '數值無效', '値が正しくありません'],
  ],
};

const languages = ['en-US', 'zh-CN', 'zh-HK', 'ja-JP'];

describe.each(Object.entries(cases))('the refusal of an input with the issue %s', (code, [schema, value, texts]) => {
  let app: FastifyInstance;

  beforeAll(() => {
    // zod/mini has no default messages until a locale is set, which any dependency may do.
    z.config(z.locales.en());
    app = Fastify();
    app.setErrorHandler(errorRenderer(1024, { live: { settings: { FamilyMode: false } } } as never));
    const schemas = {
      test: { audience: 'public' as const, summary: 'Test', body: z.object({ display_name: schema }) },
    };
    const api = register('test', endpoints<typeof schemas>({ test: 'POST /api/test' }), schemas);
    serve(app, { follow: () => undefined } as unknown as Deps, api.test, () => Promise.resolve());
  });
  afterAll(() => app.close());

  test('is raised by zod with English of its own', () => {
    const [issue] = schema.safeParse(value).error?.issues ?? [];
    expect(issue?.code).toBe(code);
    expect(issue?.message).toMatch(/^[A-Z].{9,}/u);
  });

  test.each(languages.map((language, at) => [language, texts[at]!] as const))(
    'names the field and the problem in %s',
    async (language, text) => {
      const reply = await app.inject({
        method: 'POST',
        url: '/api/test',
        headers: { 'accept-language': language },
        payload: { display_name: value },
      });
      expect(reply.statusCode).toBe(400);
      expect(reply.json()).toEqual({
        success: false,
        code: 'input.invalid',
        field: expect.stringMatching(/^display_name/u) as string,
        message: expect.stringMatching(new RegExp(`^display_name[.\\w]*[:：] ?${text}$`, 'u')) as string,
      });
    },
  );
});

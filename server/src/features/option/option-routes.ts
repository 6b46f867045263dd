import { optionApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type * as z from 'zod/mini';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { serve } from '#http/serve.ts';
import { problemText } from '#i18n/language.ts';
import { isSettingKey, settings } from '#settings.ts';

export function optionRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, live } = deps;

  serve(app, deps, optionApi.list, async () => {
    const stored = await db.selectFrom('options').selectAll().execute();
    const values = new Map(stored.map(({ key, value }) => [key, value]));
    return Object.entries(settings).map(([key, { fallback }]) => ({ key, value: values.get(key) ?? fallback }));
  });

  serve(app, deps, optionApi.set, async ({ body: { key, value } }, { language }) => {
    ensure(isSettingKey(key), 'option.unknown', { field: 'key', key });
    const parsed = (settings[key].parse as z.ZodMiniType).safeParse(value);
    if (!parsed.success)
      throw new AppError('option.invalid', {
        field: key,
        key,
        problem: problemText(parsed.error.issues[0]!, language),
      });
    await db
      .insertInto('options')
      .values({ key, value })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
      .execute();
    await live.changed('settings');
  });
}

import { activityApi, analyticsApi, priceApi, savingsOf } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { sealDays } from '#roll-ups/seal-days.ts';
import { caughtUp } from '#testing/caught-up.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, addToken, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';

onEveryDatabase('what prompt caches save', (make) => {
  const hub = hubForSuite(make);
  const upstream = rawUpstreamForSuite();

  /**
   * Reported usage, and by hand at 2 credits a token of plain input: tokens read × (1 − ratio of the read) × 2, minus
   * tokens written × (ratio of the write − 1) × 2, times a group ratio of 1.
   */
  const calls: [string, object, { input: number; read: number; exact: string; saved: number }][] = [
    ['nothing cached', { prompt_tokens: 1000, completion_tokens: 10 }, { input: 1000, read: 0, exact: '', saved: 0 }],
    [
      'a read',
      { prompt_tokens: 1000, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 801 } },
      { input: 1000, read: 801, exact: '1441.8', saved: 1442 },
    ],
    [
      'a write',
      { prompt_tokens: 1000, completion_tokens: 10, prompt_tokens_details: { cache_write_tokens: 901 } },
      { input: 1000, read: 0, exact: '-450.5', saved: -451 },
    ],
    [
      'both',
      {
        prompt_tokens: 2000,
        completion_tokens: 10,
        prompt_tokens_details: { cached_tokens: 1000, cache_write_tokens: 500 },
      },
      { input: 2000, read: 1000, exact: '1550', saved: 1550 },
    ],
  ];

  test('rows, roll-ups, read views and analytics agree to the credit', async () => {
    const { root, server } = hub();
    const { db } = server.deps;
    const model = 'cached-model';
    await root.call(priceApi.create, {
      body: {
        model,
        type: 'tokens',
        channel_type: 8,
        input: 2,
        output: 8,
        extra_ratios: { cached_tokens_ratio: 0.1, cached_write_ratio: 1.25 },
      },
    });
    const channel = await addChannel(hub(), upstream().url, { models: model });
    const token = await addToken(hub());
    for (const [, usage] of calls) {
      const choices = [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }];
      upstream().reply = (reply) => sendJson(reply, { id: 'c', object: 'chat.completion', choices, usage });
      const response = await fetch(`${hub().url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }),
      });
      expect([response.status, await response.text()]).toEqual([200, expect.anything()]);
    }
    await caughtUp(db);
    const rows = await db
      .selectFrom('logs')
      .where('model_name', '=', model)
      .orderBy('id')
      .select(['user_id', 'prompt_tokens', 'completion_tokens', 'metadata'])
      .execute();
    expect(rows.map((row) => savingsOf(row)?.exact ?? '')).toEqual(calls.map(([, , { exact }]) => exact));

    const sum = (of: 'input' | 'read' | 'saved') => calls.reduce((total, [, , each]) => total + each[of], 0);
    const sums = { cache_input: sum('input'), cache_read: sum('read'), cache_saved: sum('saved') };
    const { user_id: id } = rows[0]!;
    const views = [
      await root.call(activityApi.channel, { params: { id: channel } }),
      await root.call(activityApi.user, { params: { id } }),
      await root.call(activityApi.model, { query: { model } }),
      await root.call(activityApi.token, { params: { id: token.id } }),
      await root.call(analyticsApi.usage, { query: { by: 'model', days: 1 } }),
    ];
    for (const { total } of views) expect(total).toMatchObject(sums);

    // Days are sealed from the same hours.
    await db
      .updateTable('usage_by_channel')
      .set((eb) => ({ hour: eb('hour', '-', 10 * 86_400) }))
      .execute();
    await db
      .updateTable('usage_by_user')
      .set((eb) => ({ hour: eb('hour', '-', 10 * 86_400) }))
      .execute();
    await sealDays(db, server.deps.now());
    for (const table of ['usage_days', 'usage_days_by_channel', 'usage_days_by_user', 'usage_days_of_users'] as const)
      expect(
        await db
          .selectFrom(table)
          .select(['cache_input', 'cache_read', 'cache_saved'])
          .where('cache_input', '>', 0)
          .execute(),
      ).toEqual([sums]);
  });
});

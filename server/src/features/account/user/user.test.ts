import { self, userApi } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { chat, lastLog, tokenOf } from '#testing/chat.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { addPerson } from '#testing/people.ts';

const sums = { failed_count: 0, cached_tokens: 0 };

onEveryDatabase('own account', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();

  test('self contains what the contract names, and no password or token', async () => {
    const { client, id, username } = await addPerson(hub(), { email: 'me@example.org', quota: 5000 });
    const { headers, body } = await client.try(userApi.self);
    expect(headers.get('content-type')).toContain('application/json');
    const { data } = body as { data: Record<string, unknown> };
    expect(Object.keys(data).toSorted()).toEqual(Object.keys(self.shape).toSorted());
    expect(data).toMatchObject({
      id,
      username,
      email: 'me@example.org',
      group: 'default',
      quota: 5000,
      used_quota: 0,
      request_count: 0,
      role: 1,
      status: 1,
    });
    expect(JSON.stringify(body)).not.toMatch(/password|argon2|token|held/);
  });

  test('the dashboard sums up per day and model, from the roll-ups', async () => {
    const { client, id } = await addPerson(hub());
    const { db } = hub().server.deps;
    const at = (daysAgo: number, hour: number): number => {
      const date = new Date();
      date.setHours(hour, 0, 0, 0);
      date.setDate(date.getDate() - daysAgo);
      return date.getTime() / 1000;
    };
    const row = (hour: number, model: string, n: number) => ({
      user_id: id,
      hour,
      model_name: model,
      request_count: n,
      quota: 10 * n,
      prompt_tokens: 100 * n,
      completion_tokens: 20 * n,
      request_time: 1000 * n,
      ...sums,
    });
    await db
      .insertInto('usage_by_user')
      .values([
        row(at(1, 0), 'gpt-4o', 1),
        row(at(1, 23), 'gpt-4o', 2),
        row(at(1, 5), 'gpt-4o-mini', 4),
        row(at(7, 0), 'gpt-4o', 8),
        row(at(8, 23), 'gpt-4o', 16),
      ])
      .execute();
    await db
      .insertInto('usage_by_user')
      .values({ ...row(at(1, 0), 'gpt-4o', 32), user_id: id + 1_000_000 })
      .execute();
    const day = (daysAgo: number): string => new Date(at(daysAgo, 12) * 1000).toLocaleDateString('sv');
    const sum = (daysAgo: number, model: string, n: number) => ({
      Date: day(daysAgo),
      ModelName: model,
      RequestCount: n,
      Quota: 10 * n,
      PromptTokens: 100 * n,
      CompletionTokens: 20 * n,
      RequestTime: 1000 * n,
    });
    expect(await client.call(userApi.dashboard)).toEqual([
      sum(7, 'gpt-4o', 8),
      sum(1, 'gpt-4o', 3),
      sum(1, 'gpt-4o-mini', 4),
    ]);
  });

  test('a call is in the dashboard and in the counters at once', async () => {
    const { client } = await addPerson(hub(), { quota: 1_000_000 });
    expect(await client.call(userApi.dashboard)).toEqual([]);
    await addChannel(hub(), upstream().url);
    const { key } = await tokenOf(client);
    for (let i = 0; i < 2; i++) expect((await chat(hub(), key)).status).toBe(200);
    const { quota, prompt_tokens: prompt, completion_tokens: completion } = await lastLog(hub());
    const [day, ...others] = await client.call(userApi.dashboard);
    expect(others).toEqual([]);
    expect(day).toMatchObject({
      ModelName: 'gpt-4o',
      RequestCount: 2,
      Quota: 2 * quota,
      PromptTokens: 2 * prompt,
      CompletionTokens: 2 * completion,
    });
    expect(await client.call(userApi.self)).toMatchObject({
      request_count: 2,
      used_quota: 2 * quota,
      quota: 1_000_000 - 2 * quota,
    });
  });
});

import { optionApi } from '@relay-hub/contract';
import { beforeAll, expect, test } from 'vitest';
import { addCaller, addKey, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { errorOf, hello, post } from '#testing/relay-calls.ts';

onOneDatabase('billing of a key', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const db = () => hub().server.deps.db;

  beforeAll(async () => void (await addChannel(hub(), upstream().url)));

  const get = (key: string | undefined, path: string) => post(hub(), key, undefined, path, { method: 'GET' });
  async function ask(key: string, path: string): Promise<Record<string, unknown>> {
    const answer = await get(key, path);
    expect({ path, status: answer.status }).toEqual({ path, status: 200 });
    return JSON.parse(answer.text) as Record<string, unknown>;
  }
  /** One call of 1000 × 1.25 + 1000 × 5 credits. */
  async function spend({ key }: Pick<TestCaller, 'key'>): Promise<void> {
    upstream().next({ usage: { prompt_tokens: 1000, completion_tokens: 1000, total_tokens: 2000 } });
    expect((await post(hub(), key, hello)).status).toBe(200);
  }

  test('the owner’s numbers for a key without a limit, and the same by both paths', async () => {
    const who = await addCaller(db(), { quota: 1_000_000 });
    await spend(who);
    for (const front of ['', '/v1']) {
      expect(await ask(who.key, `${front}/dashboard/billing/subscription`)).toEqual({
        object: 'billing_subscription',
        has_payment_method: true,
        soft_limit_usd: 2,
        hard_limit_usd: 2,
        system_hard_limit_usd: 2,
        access_until: 0,
      });
      const usage = `${front}/dashboard/billing/usage?start_date=2026-01-01&end_date=2026-01-31`;
      expect(await ask(who.key, usage)).toEqual({ object: 'list', total_usage: 1.25 });
    }
  });

  test('the key’s own numbers where it has a limit, with its end', async () => {
    const who = await addCaller(db(), { quota: 5_000_000 });
    const expires = Math.floor(Date.now() / 1000) + 3600;
    const limited = await addKey(db(), who.userId, { remain: 500_000, expires });
    await spend(who);
    await spend(limited);
    expect(await ask(limited.key, '/dashboard/billing/subscription')).toMatchObject({
      hard_limit_usd: 1,
      access_until: expires,
    });
    expect(await ask(limited.key, '/dashboard/billing/usage')).toEqual({ object: 'list', total_usage: 1.25 });
  });

  test('credits where amounts are not shown in a currency', async () => {
    const who = await addCaller(db(), { quota: 1_000_000 });
    await spend(who);
    const show = (value: string) =>
      hub().root.call(optionApi.set, { body: { key: 'DisplayInCurrencyEnabled', value } });
    await show('false');
    try {
      expect(await ask(who.key, '/dashboard/billing/subscription')).toMatchObject({ hard_limit_usd: 1_000_000 });
      expect(await ask(who.key, '/dashboard/billing/usage')).toMatchObject({ total_usage: 625_000 });
    } finally {
      await show('true');
    }
  });

  test('refusals', async () => {
    const { key } = await addCaller(db());
    const without = await get(undefined, '/dashboard/billing/usage');
    expect([without.status, errorOf(without).code]).toEqual([401, 'invalid_api_key']);
    const unknown = await get(key, '/dashboard/billing/credit_grants');
    expect([unknown.status, errorOf(unknown).code]).toEqual([404, 'unknown_url']);
    const posted = await post(hub(), key, {}, '/dashboard/billing/usage');
    expect([posted.status, errorOf(posted).code]).toEqual([405, 'method_not_allowed']);
    let last = await get(key, '/v1/dashboard/billing/usage');
    for (let i = 0; i < 200 && last.status === 200; i++) last = await get(key, '/v1/dashboard/billing/usage');
    expect([last.status, errorOf(last).code]).toEqual([429, 'rate_limit_exceeded']);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

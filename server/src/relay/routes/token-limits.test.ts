import { type InputOf, limitApi, type TokenCap, tokenApi, userGroupApi } from '@relay-hub/contract';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { addCaller } from '#testing/callers.ts';
import { chat, tokenOf } from '#testing/chat.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, addToken, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { addPerson } from '#testing/people.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { checkBooks } from '#features/books/check-books.ts';
import { journalFolder } from '#quota/journal.ts';

type Limits = NonNullable<InputOf<typeof tokenApi.create>['body']['limits']>;
const caps = (...list: [TokenCap['measure'], TokenCap['period'], number][]): Limits => ({
  caps: list.map(([measure, period, amount]) => ({ measure, period, amount })),
});

onOneDatabase('calls of a token with limits', (make) => {
  const hub = hubForSuite(make, { TRUSTED_PROXIES: '127.0.0.1' });
  const upstream = upstreamForSuite();
  beforeAll(async () => {
    await addChannel(hub(), upstream().url, { models: 'gpt-4o,gpt-4o-mini' });
    // The rate of the group would refuse some of the racing calls first.
    const { data } = await hub().root.call(userGroupApi.list, { query: { size: 100 } });
    const root = data.find(({ symbol }) => symbol === 'default')!;
    await hub().root.call(userGroupApi.update, { body: { ...root, api_rate: 10_000_000 } });
  });

  const limited = (limits: Limits) => tokenOf(hub().root, { limits });
  const bodies = {
    '/v1/chat/completions': { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }], max_tokens: 50 },
    '/v1/messages': { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }], max_tokens: 50 },
    '/gemini/v1beta/models/gpt-4o:generateContent': { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
    '/v1/embeddings': { model: 'gpt-4o', input: 'hi' },
  };
  async function send(
    key: string,
    path: keyof typeof bodies,
    change: object = {},
    headers: Record<string, string> = {},
  ) {
    const response = await fetch(hub().url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'x-api-key': key,
        'x-goog-api-key': key,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify({ ...bodies[path], ...change }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text };
  }
  const keyInfo = async (key: string) =>
    (await (await fetch(`${hub().url}/v1/key`, { headers: { authorization: `Bearer ${key}` } })).json()) as {
      limits: { measure: string; used: number; left: number; resets_at: number | null }[];
      models: string[];
    };

  test.each([false, true])(
    '200 racing calls (streams: %s) pass as often as the tightest limit says',
    async (stream) => {
      const { key, id } = await limited(
        caps(['requests', 'minute', 1000], ['requests', 'day', 7], ['credits', 'day', 10_000_000]),
      );
      const answers = await Promise.all(
        Array.from({ length: 200 }, () => send(key, '/v1/chat/completions', { stream })),
      );
      const passed = answers.filter(({ status }) => status === 200);
      expect(passed).toHaveLength(7);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(193);
      const token = await hub().root.call(tokenApi.get, { params: { id } });
      expect(token.use.find(({ period, measure }) => measure === 'requests' && period === 'day')).toMatchObject({
        used: 7,
        left: 0,
      });
    },
  );

  test('a rate is refused with the seconds to wait, in the headers of each dialect', async () => {
    // The clock is stopped in the middle of a minute.
    vi.useFakeTimers({ toFake: ['Date'], now: (Math.floor(Date.now() / 60_000) + 0.5) * 60_000 });
    onTestFinished(() => void vi.useRealTimers());
    const { key } = await limited(caps(['requests', 'minute', 1]));
    expect((await send(key, '/v1/chat/completions')).status).toBe(200);
    const refused = await send(key, '/v1/chat/completions');
    expect(refused.status).toBe(429);
    expect(JSON.parse(refused.text)).toMatchObject({
      error: { code: 'rate_limit_exceeded', type: 'rate_limit_error' },
    });
    expect(refused.text).toContain('1 requests a minute: 1 are used');
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    expect(refused.headers.get('x-ratelimit-limit-requests')).toBe('1');
    expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    expect(refused.headers.get('x-should-retry')).toBeNull();
    const anthropic = await send(key, '/v1/messages');
    expect([anthropic.status, JSON.parse(anthropic.text)]).toMatchObject([
      429,
      { type: 'error', error: { type: 'rate_limit_error' } },
    ]);
    expect(anthropic.headers.get('anthropic-ratelimit-requests-remaining')).toBe('0');
  });

  test('a budget is refused without a wait, with its value, what is used, and when it resets', async () => {
    const { key } = await limited(caps(['credits', 'day', 1000]));
    const { status, headers, text } = await send(key, '/v1/chat/completions', { max_tokens: 5000 });
    expect(status).toBe(429);
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'insufficient_quota', type: 'insufficient_quota' } });
    expect(text).toMatch(
      /This call needs up to \$0\.05\d*, and \$0\.002 of the budget of this API key is left: it allows \$0\.002 a day, and \$0\.00 is used\. Set a lower max_tokens to need less\. The budget resets at \d{4}-\d\d-\d\dT00:00:00Z \(in /,
    );
    expect(headers.get('retry-after')).toBeNull();
    expect(headers.get('x-should-retry')).toBe('false');
    expect(Number(headers.get('x-relay-limit-reset')) % 86_400).toBe(0);
    expect(headers.get('x-relay-limit')).toBe('credits:day; limit=1000; used=0; left=1000');
    const gemini = await send(key, '/gemini/v1beta/models/gpt-4o:generateContent', {
      generationConfig: { maxOutputTokens: 5000 },
    });
    expect(JSON.parse(gemini.text)).toMatchObject({ error: { code: 429, status: 'RESOURCE_EXHAUSTED' } });
    expect(gemini.text).toContain('Set a lower maxOutputTokens');
    // The embedding has no output to limit.
    const whole = await send(key, '/v1/embeddings', { model: 'text-embedding-3-small', input: 'x '.repeat(60_000) });
    expect(whole.text).not.toContain('max_tokens');
  });

  test('a budget that is used up is called so', async () => {
    const { key } = await limited(caps(['requests', 'day', 1]));
    expect((await send(key, '/v1/chat/completions')).status).toBe(200);
    const { status, text } = await send(key, '/v1/chat/completions');
    expect([status, JSON.parse(text)]).toMatchObject([429, { error: { code: 'insufficient_quota' } }]);
    expect(text).toMatch(
      /The budget of this API key is used up: it allows 1 requests a day, and 1 is used\. The budget resets at/,
    );
  });

  test('the keys of an account share its limits, whose reset they are told', async () => {
    const person = await addPerson(hub(), { quota: 10_000_000 });
    const params = { id: person.id };
    const limits = { caps: [{ measure: 'requests', period: 'day', amount: 2 }] } as const;
    await hub().root.call(limitApi.set, { params, body: { ...limits, caps: [...limits.caps] } });
    const keys = [(await tokenOf(person.client)).key, (await tokenOf(person.client)).key];
    for (const key of keys) expect((await send(key, '/v1/chat/completions')).status).toBe(200);
    const { status, headers, text } = await send(keys[0]!, '/v1/chat/completions');
    expect([status, JSON.parse(text)]).toMatchObject([429, { error: { code: 'insufficient_quota' } }]);
    expect(text).toMatch(/The budget of this account is used up: it allows 2 requests a day, and 2 is used\./);
    expect(headers.get('x-relay-limit')).toBe('requests:day; limit=2; used=2; left=0; of=account');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    const [limit] = (await keyInfo(keys[1]!)).limits;
    expect(limit).toMatchObject({ from: 'account', measure: 'requests', period: 'day', used: 2, left: 0 });
    const own = await person.client.call(limitApi.self, {});
    expect(own.use).toMatchObject([{ subject: 'account', used: 2, left: 0, resets_time: limit!.resets_at }]);
    // Without the limit the next call passes.
    await hub().root.call(limitApi.set, { params, body: { caps: [] } });
    expect((await send(keys[0]!, '/v1/chat/completions')).status).toBe(200);
  });

  test('calls at once are refused while others run, and pass when they have ended', async () => {
    const { key } = await limited(caps(['calls', 'at_once', 2]));
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(key, '/v1/chat/completions')));
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    for (const { status, headers, text } of answers.filter((one) => one.status !== 200)) {
      expect([status, headers.get('retry-after')]).toEqual([429, '2']);
      expect(text).toContain('2 calls at once');
    }
    await expect
      .poll(async () => (await send(key, '/v1/chat/completions')).status, { message: 'status of a call' })
      .toBe(200);
  });

  test('an exhausted quota stays a 402, and clients are told not to retry', async () => {
    const { key } = await addCaller(hub().server.deps.db, { quota: 10 });
    const { status, headers } = await send(key, '/v1/chat/completions');
    expect([status, headers.get('x-should-retry')]).toEqual([402, 'false']);
  });

  test('models, endpoints and addresses that are not allowed get a 403', async () => {
    const { key, id } = await limited({
      models: ['*-mini', 'o3'],
      endpoints: ['chat'],
      addresses: ['10.0.0.0/8', '2001:db8::/32'],
    });
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const mini = { model: 'gpt-4o-mini' };
    const code = ({ status, text }: { status: number; text: string }) => [
      status,
      (JSON.parse(text) as { error?: { code?: string } }).error?.code,
    ];
    expect((await send(key, '/v1/chat/completions', mini, from('10.1.2.3'))).status).toBe(200);
    expect((await send(key, '/v1/chat/completions', mini, from('2001:db8::7'))).status).toBe(200);
    expect(code(await send(key, '/v1/chat/completions', mini, from('11.1.2.3')))).toEqual([403, 'address_forbidden']);
    expect(code(await send(key, '/v1/chat/completions', mini))).toEqual([403, 'address_forbidden']);
    expect(code(await send(key, '/v1/chat/completions', {}, from('10.1.2.3')))).toEqual([403, 'model_forbidden']);
    expect(code(await send(key, '/v1/embeddings', mini, from('10.1.2.3')))).toEqual([403, 'endpoint_forbidden']);
    const listed = await fetch(`${hub().url}/v1/models`, {
      headers: { authorization: `Bearer ${key}`, ...from('10.1.2.3') },
    });
    expect(((await listed.json()) as { data: { id: string }[] }).data.map(({ id: name }) => name)).toEqual([
      'gpt-4o-mini',
    ]);
    // The change is in force at once.
    await hub().root.call(tokenApi.update, { body: { id, limits: {} } });
    expect((await send(key, '/v1/chat/completions')).status).toBe(200);
  });

  test('a key reads its own limits, what is left of them, and the models it may use', async () => {
    const { key } = await limited({
      ...caps(['requests', 'day', 10], ['credits', 'month', 1_000_000]),
      models: ['gpt-4o'],
      time_zone: 'Asia/Shanghai',
    });
    expect((await chat(hub(), key)).status).toBe(200);
    const { limits, models } = await keyInfo(key);
    expect(models).toEqual(['gpt-4o']);
    expect(limits).toMatchObject([
      { measure: 'requests', used: 1, left: 9 },
      { measure: 'credits', limit_usd: 2, from: 'key' },
    ]);
    expect(limits[1]!.used).toBeGreaterThan(0);
    expect((limits[0]!.resets_at! + 8 * 3600) % 86_400).toBe(0);
    const billing = await fetch(`${hub().url}/v1/dashboard/billing/subscription`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(((await billing.json()) as { hard_limit_usd: number }).hard_limit_usd).toBeLessThan(100);
  });

  test('the ceilings of the owner’s group hold for every key, and a key cannot be set above them', async () => {
    const group = await hub().root.call(userGroupApi.create, {
      body: {
        symbol: 'capped',
        name: 'capped',
        token_limits: {
          ceilings: [{ measure: 'requests', period: 'day', amount: 2 }],
          defaults: caps(['credits', 'day', 500_000]),
        },
      },
    });
    await addChannel(hub(), upstream().url, { models: 'gpt-4o', group: 'capped' });
    const person = await addPerson(hub(), { group: 'capped', quota: 10_000_000 });
    const { key, id } = await tokenOf(person.client);
    const { use } = await person.client.call(tokenApi.get, { params: { id } });
    expect(use.map(({ measure, amount, of_group }) => [measure, amount, of_group])).toEqual([
      ['credits', 500_000, false],
      ['requests', 2, true],
    ]);
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await send(key, '/v1/chat/completions')).status);
    expect(statuses).toEqual([200, 200, 429]);
    const above = await person.client.try(tokenApi.update, { body: { id, limits: caps(['requests', 'day', 3]) } });
    expect([above.status, above.body]).toMatchObject([
      400,
      { code: 'token.ceiling', message: expect.stringContaining('limits.caps.0.amount') },
    ]);
    await hub().root.call(userGroupApi.update, { body: { ...group, token_limits: null } });
    expect((await send(key, '/v1/chat/completions')).status).toBe(200);
  });

  describe('the fields of the family', () => {
    test.each([
      ['one-api', { models: 'gpt-4o,o3', subnet: '10.0.0.0/8' }],
      ['new-api', { model_limits_enabled: true, model_limits: 'gpt-4o,o3', allow_ips: '10.0.0.0/8\n' }],
      [
        'one-hub',
        {
          setting: {
            limits: {
              limit_model_setting: { enabled: true, models: ['gpt-4o', 'o3'] },
              limits_ip_setting: { enabled: true, whitelist: ['10.0.0.0/8'] },
            },
          },
        },
      ],
    ])('of %s are read, and written for all', async (_, fields) => {
      const { id } = await tokenOf(hub().root, fields);
      const token = await hub().root.call(tokenApi.get, { params: { id } });
      expect(token.limits).toMatchObject({ models: ['gpt-4o', 'o3'], addresses: ['10.0.0.0/8'] });
      expect(token).toMatchObject({ models: 'gpt-4o,o3', model_limits: 'gpt-4o,o3', model_limits_enabled: true });
      // A client that sends back what it has read, and changes one field.
      const { key: _key, status: _status, ...read } = token;
      const changed = await hub().root.call(tokenApi.update, { body: { ...read, model_limits: 'o3' } });
      expect(changed.limits).toMatchObject({ models: ['o3'], addresses: ['10.0.0.0/8'] });
      const off = await hub().root.call(tokenApi.update, { body: { id, model_limits_enabled: false } });
      expect(off.limits).toMatchObject({ models: [], addresses: ['10.0.0.0/8'] });
    });
  });

  test.each([
    ['limits.caps.0.period', { caps: [{ measure: 'credits', period: 'minute', amount: 1 }] }],
    ['limits.caps.0.amount', { caps: [{ measure: 'credits', period: 'day', amount: -1 }] }],
    ['limits.caps', caps(['credits', 'day', 1], ['credits', 'day', 2])],
    ['limits.time_zone', { time_zone: 'Mars/Olympus' }],
    ['limits.models.0', { models: ['*'] }],
    ['limits.addresses.0', { addresses: ['10.0.0.0/33'] }],
    ['limits.endpoints.0', { endpoints: ['everything'] }],
  ])('an invalid %s is refused by name', async (field, limits) => {
    const { status, body } = await hub().root.try(tokenApi.create, { body: { name: 'x', limits: limits as Limits } });
    expect([status, body.success]).toEqual([400, false]);
    expect(body.message).toContain(field);
  });

  test('after all that, the counters agree with the log', async () => {
    await addToken(hub());
    const { deps } = hub().server;
    await deps.book.caughtUp();
    await expectBooksBalance(deps.db);
    const report = await checkBooks(deps.storage, journalFolder(deps.config.dataDir));
    const limits = report.checks.find(({ check }) => check === 'limits');
    expect(limits).toMatchObject({ differing: 0, differences: [] });
    expect(limits!.compared).toBeGreaterThan(5);
  });
});

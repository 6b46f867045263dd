import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type InputOf, type Log, logApi, logType, tokenStatus, userGroupApi, userStatus } from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { addCaller, addKey } from '#testing/callers.ts';
import { tokenOf } from '#testing/chat.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { addPerson, type TestPerson } from '#testing/people.ts';
import { hello, post } from '#testing/relay-calls.ts';

type Filter = Partial<InputOf<typeof logApi.list>['query']>;

onOneDatabase('a refused call in the log', (make) => {
  const hub = hubForSuite(make, { TRUSTED_PROXIES: '127.0.0.1' });
  const upstream = upstreamForSuite();
  const db = () => hub().server.deps.db;
  let ann: TestPerson;
  let key: string;
  let tokenId: number;

  beforeAll(async () => {
    await addChannel(hub(), upstream().url, { models: 'gpt-4o,unpriced-model' });
    await addChannel(hub(), upstream().url, { models: 'gpt-4o-mini', status: 2 });
    await hub().root.call(userGroupApi.create, {
      body: { symbol: 'slow', name: 'slow', public: false, api_rate: 1 },
    });
    ann = await addPerson(hub(), { quota: 1_000_000 });
    ({ id: tokenId, key } = await tokenOf(ann.client, { name: 'laptop' }));
  });

  const find = async (query: Filter): Promise<Log[]> =>
    (await hub().root.call(logApi.list, { query: { log_type: logType.refused, size: 100, ...query } })).data;
  /** The row of a refused call. */
  const rowFor = async (answer: { headers: Headers }): Promise<Log> => {
    const id = answer.headers.get('x-oneapi-request-id')!;
    const rows = await find({ log_type: 0, request_id: id });
    expect(rows).toHaveLength(1);
    return rows[0]!;
  };
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

  interface Kind {
    status: number;
    code: string;
    reason?: string;
    model?: string;
    call: () => ReturnType<typeof post>;
  }
  const of = async (caller: () => Promise<{ key: string }>, body: object = hello) =>
    post(hub(), (await caller()).key, body);
  const asks = (model: string) => () => post(hub(), key, { ...hello, model });

  test.each<[string, Kind]>([
    [
      'an unpriced model',
      { status: 400, code: 'model_not_priced', model: 'unpriced-model', call: asks('unpriced-model') },
    ],
    ['an unknown model', { status: 404, code: 'model_not_found', model: 'gpt-9', call: asks('gpt-9') }],
    ['no channel', { status: 503, code: 'no_available_channel', model: 'gpt-4o-mini', call: asks('gpt-4o-mini') }],
    [
      'an invalid request',
      { status: 400, code: 'invalid_request', model: 'gpt-4o', call: () => post(hub(), key, { model: 'gpt-4o' }) },
    ],
    [
      'an empty balance',
      {
        status: 402,
        code: 'insufficient_user_quota',
        model: 'gpt-4o',
        call: () => of(() => addCaller(db(), { quota: 1 })),
      },
    ],
    [
      'an exhausted key',
      {
        status: 402,
        code: 'insufficient_token_quota',
        call: async () =>
          of(async () => addKey(db(), (await addCaller(db())).userId, { status: tokenStatus.exhausted })),
      },
    ],
    [
      'a disabled key',
      {
        status: 401,
        code: 'invalid_api_key',
        reason: 'token_disabled',
        call: async () =>
          of(async () => addKey(db(), (await addCaller(db())).userId, { status: tokenStatus.disabled })),
      },
    ],
    [
      'an expired key',
      {
        status: 401,
        code: 'invalid_api_key',
        reason: 'token_expired',
        call: async () => of(async () => addKey(db(), (await addCaller(db())).userId, { expires: 1_000_000_000 })),
      },
    ],
    [
      'a disabled account',
      {
        status: 401,
        code: 'invalid_api_key',
        reason: 'account_disabled',
        call: () =>
          of(async () => {
            const caller = await addCaller(db());
            await db()
              .updateTable('users')
              .set({ status: userStatus.disabled })
              .where('id', '=', caller.userId)
              .execute();
            return caller;
          }),
      },
    ],
    [
      'a private group',
      { status: 403, code: 'group_forbidden', call: () => of(() => addCaller(db(), { tokenGroup: 'slow' })) },
    ],
    [
      'too many calls',
      {
        status: 429,
        code: 'rate_limit_exceeded',
        call: async () => {
          const caller = await addCaller(db(), { group: 'slow' });
          for (;;) {
            const answer = await post(hub(), caller.key, hello);
            if (answer.status === 429) return answer;
          }
        },
      },
    ],
    ['a wrong path', { status: 404, code: 'unknown_url', call: () => post(hub(), key, hello, '/v1/chat/completion') }],
    [
      'a model that is not there',
      {
        status: 404,
        code: 'model_not_found',
        model: 'gpt-9',
        call: () => post(hub(), key, '', '/v1/models/gpt-9', { method: 'GET' }),
      },
    ],
    [
      'a prompt to be counted',
      {
        status: 404,
        code: 'model_not_found',
        model: 'claude-9',
        call: () =>
          post(
            hub(),
            key,
            { model: 'claude-9', messages: [{ role: 'user', content: 'hi' }], max_tokens: 1 },
            '/v1/messages/count_tokens',
          ),
      },
    ],
    [
      'a path for administrators',
      {
        status: 404,
        code: 'unknown_url',
        call: () => post(hub(), key, hello, '/v1/fine_tuning/jobs'),
      },
    ],
  ])('%s', async (_, { status, code, reason = code, model = '', call }) => {
    const answer = await call();
    expect(answer.status).toBe(status);
    const row = await rowFor(answer);
    expect(row).toMatchObject({
      type: logType.refused,
      model_name: model,
      quota: 0,
      channel: null,
      source_ip: '127.0.0.1',
      metadata: { status, error: code, refusal: { reason } },
    });
    expect(row.user_id).toBeGreaterThan(0);
    expect(row.content).not.toBe('');
    expect(await hub().root.call(logApi.get, { params: { id: row.id } })).toEqual(row);
  });

  test('a session that is not begun', async () => {
    const headers = {
      authorization: `Bearer ${key}`,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    const asked = request(`${hub().url}/v1/realtime?model=gpt-9-realtime`, { headers }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(404);
    const id = answer.headers['x-oneapi-request-id'] as string;
    expect(await find({ request_id: id })).toMatchObject([
      { user_id: ann.id, model_name: 'gpt-9-realtime', metadata: { status: 404, endpoint: '/v1/realtime' } },
    ]);
  });

  test('a call that reached a channel has its usual row and no other', async () => {
    const answer = await post(hub(), key, { ...hello, model: 'gpt-4o' });
    expect(answer.status).toBe(200);
    expect(await find({ request_id: answer.headers.get('x-oneapi-request-id')! })).toEqual([]);
  });

  test('equal ones are one row, which the first and the last request id find', async () => {
    const answers = [];
    for (let n = 0; n < 5; n++) answers.push(await post(hub(), key, { ...hello, model: 'folded' }));
    const [first, last] = [await rowFor(answers[0]!), await rowFor(answers[4]!)];
    expect(first).toEqual(last);
    const ids = answers.map(({ headers }) => headers.get('x-oneapi-request-id'));
    expect(last).toMatchObject({
      user_id: ann.id,
      username: ann.username,
      token_name: 'laptop',
      request_id: ids[4],
      metadata: { group_name: 'default', refusal: { count: 5, first_request_id: ids[0], token_id: tokenId } },
    });
  });

  test('a flood writes few rows, with exact counts', async () => {
    const { id } = await tokenOf(ann.client, { name: 'flood' });
    const refusals = hub().server.deps.refusals;
    const call = {
      userId: ann.id,
      username: ann.username,
      tokenId: id,
      tokenName: 'flood',
      group: 'default',
      endpoint: '/v1/chat/completions',
      status: 404,
      code: 'model_not_found',
      reason: 'model_not_found',
      message: 'no',
      sourceIp: '10.0.0.1',
      needed: 0,
    };
    for (let n = 0; n < 10_000; n++) {
      refusals.note({ ...call, model: `made-up-${n % 2500}`, requestId: `flood-${n}` });
      if (n % 1000 === 0) await refusals.caughtUp();
    }
    const rows = await find({ token_name: 'flood' });
    expect(rows.length).toBeGreaterThan(20);
    // Twice as many if the hour ended meanwhile.
    expect(rows.length).toBeLessThanOrEqual(2 * 21);
    expect(rows.reduce((sum, { metadata }) => sum + metadata!.refusal!.count, 0)).toBe(10_000);
    expect(rows.filter(({ metadata }) => metadata!.refusal!.many_models).map((row) => row.model_name)).toContain('');
    const totals = await hub().root.call(logApi.totals, { query: { token_name: 'flood', log_type: logType.refused } });
    expect(totals).toMatchObject({ requests: 0, refused: 10_000 });
  });

  test('real calls all at once are counted exactly', async () => {
    const caller = await addCaller(db());
    const calls = Array.from({ length: 300 }, () => post(hub(), caller.key, { ...hello, model: 'nothing' }));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    const rows = (await find({})).filter(({ user_id }) => user_id === caller.userId);
    // Calls above the rate limit are refused before their model is read.
    expect(rows).toHaveLength(new Set(statuses).size);
    for (const { metadata } of rows)
      expect(metadata!.refusal!.count).toBe(statuses.filter((status) => status === metadata!.status).length);
    expect(statuses.filter((status) => status === 404).length).toBeGreaterThan(0);
  });

  describe('lists', () => {
    test('leave them out unless asked for', async () => {
      const types = async (query: Filter) =>
        new Set((await hub().root.call(logApi.list, { query: { size: 100, ...query } })).data.map(({ type }) => type));
      expect(await types({})).not.toContain(logType.refused);
      expect(await types({ log_type: logType.consume })).toEqual(new Set([logType.consume]));
      expect(await types({ refused: 1 })).toEqual(new Set([logType.consume, logType.refused, ...(await types({}))]));
      expect(await types({ log_type: logType.refused })).toEqual(new Set([logType.refused]));
      expect(await types({ refused: 1, failed: 1 })).not.toContain(logType.refused);
    });

    test('find them by their filters', async () => {
      const all = await find({});
      const where = (is: (row: Log) => boolean) => all.filter(is).map(({ id }) => id);
      const ids = async (query: Filter) => (await find(query)).map(({ id }) => id);
      expect(await ids({ status: 402 })).toEqual(where((row) => row.metadata?.status === 402));
      expect(await ids({ log_type: 0, status: 402 })).toEqual(where((row) => row.metadata?.status === 402));
      expect(await ids({ code: 'invalid_api_key' })).toHaveLength(3);
      expect(await ids({ code: 'token_expired' })).toHaveLength(1);
      expect(await ids({ model_name: 'gpt-9' })).toEqual(where((row) => row.model_name === 'gpt-9'));
      expect(await ids({ model_name: 'unp*' })).toEqual(where((row) => row.model_name.startsWith('unp')));
      expect(await ids({ username: ann.username })).toEqual(where((row) => row.user_id === ann.id));
      expect(await ids({ token_name: 'laptop' })).toEqual(where((row) => row.token_name === 'laptop'));
      expect(await ids({ source_ip: '127.0.0.1', status: 429 })).toEqual(where((row) => row.metadata?.status === 429));
      expect(await ids({ source_ip: '10.9.9.9' })).toEqual([]);
      expect(await ids({ end_timestamp: 1000 })).toEqual([]);
      expect(await ids({ failed: 1 })).toEqual([]);
      expect(await ids({ log_type: logType.consume, status: 402 })).toEqual([]);
      expect(await ids({ order: 'model_name,quota' })).toEqual(
        all
          .toSorted((a, b) =>
            a.model_name < b.model_name
              ? -1
              : a.model_name > b.model_name
                ? 1
                : a.created_at - b.created_at || a.id - b.id,
          )
          .map(({ id }) => id),
      );
    });

    test('are walked through row by row, forth and back, with the calls among them', async () => {
      const whole = (await hub().root.call(logApi.list, { query: { refused: 1, size: 100 } })).data.map(({ id }) => id);
      expect(whole.length).toBeGreaterThan(30);
      const forth: number[] = [];
      const back: number[] = [];
      let after = '';
      let before = '';
      do {
        const page = await hub().root.call(logApi.list, { query: { refused: 1, size: 3, after } });
        forth.push(...page.data.map(({ id }) => id));
        before = page.previous;
        after = page.next;
      } while (after !== '');
      expect(forth).toEqual(whole);
      do {
        const page = await hub().root.call(logApi.list, { query: { refused: 1, size: 3, before } });
        back.unshift(...page.data.map(({ id }) => id));
        before = page.previous;
      } while (before !== '');
      expect(back).toEqual(whole.slice(0, back.length));
      const third = await hub().root.call(logApi.list, { query: { refused: 1, size: 5, page: 3 } });
      expect(third.data.map(({ id }) => id)).toEqual(whole.slice(10, 15));
      expect(third.total_count).toBe(whole.length);
      const rising = await hub().root.call(logApi.list, { query: { refused: 1, size: 100, order: 'created_at' } });
      expect(rising.data.map(({ id }) => id)).toEqual(whole.toReversed());
    });

    test('show a user the own ones, and nothing of the operator’s', async () => {
      const own = await ann.client.call(logApi.ownList, { query: { log_type: logType.refused, size: 100 } });
      expect(own.data.length).toBeGreaterThan(3);
      expect(new Set(own.data.map(({ user_id }) => user_id))).toEqual(new Set([ann.id]));
      const [row] = own.data;
      expect(await ann.client.call(logApi.ownGet, { params: { id: row!.id } })).toEqual(row);
      const other = await addPerson(hub());
      expect(await other.client.try(logApi.ownGet, { params: { id: row!.id } })).toMatchObject({ status: 404 });
      const found = await other.client.call(logApi.ownList, { query: { request_id: row!.request_id } });
      expect(found.data).toEqual([]);
      expect(await other.client.try(logApi.unknownKeys)).toMatchObject({ status: 403 });
    });

    test('go into a file with reason, status and code', async () => {
      const query = { log_type: logType.refused, model_name: 'folded', language: 'en-US' };
      const [heading, line, ...more] = (await hub().root.download(logApi.download, { query }))
        .replace('\uFEFF', '')
        .trimEnd()
        .split('\r\n');
      expect(more).toEqual([]);
      const cells = Object.fromEntries(heading!.split(',').map((name, i) => [name, line!.split(',')[i]]));
      expect(cells).toMatchObject({
        Type: 'Refused',
        Model: 'folded',
        Status: '404',
        'Error code': 'model_not_found',
        Reason: 'model_not_found',
        Calls: '5',
        Credits: '0',
      });
      expect(line).toContain("The model 'folded' does not exist");
      const all = await hub().root.download(logApi.download, { query: { refused: 1 } });
      const rows = await hub().root.call(logApi.list, { query: { refused: 1, size: 1 } });
      expect(all.trimEnd().split('\r\n')).toHaveLength(1 + rows.total_count);
    });
  });

  test('moves no balance, no sum and no statistics', async () => {
    const { total_count: calls } = await hub().root.call(logApi.list, { query: { log_type: logType.consume } });
    const totals = await hub().root.call(logApi.totals);
    expect(totals).toMatchObject({ requests: calls });
    expect(totals).not.toHaveProperty('refused');
    const { sum } = await db()
      .selectFrom('users')
      .select(({ fn }) => fn.sum<number>('request_count').as('sum'))
      .executeTakeFirstOrThrow();
    expect(sum).toBe(calls);
  });

  test('calls with unknown keys are counted by address', async () => {
    const wrong = `sk-${'x'.repeat(48)}`;
    for (let n = 0; n < 3; n++) await post(hub(), wrong, hello, undefined, from('203.0.113.7'));
    await post(hub(), undefined, hello, undefined, from('203.0.113.7'));
    await post(hub(), wrong, hello, '/v1/nothing', from('203.0.113.7'));
    for (const end of ['1', '2:3:4:5'])
      await post(hub(), wrong, hello, '/v1/models', {
        method: 'GET',
        ...from(`2001:db8:0:7:${end === '1' ? ':1' : end}`),
      });
    await expect
      .poll(async () => (await hub().root.call(logApi.unknownKeys, { query: { source_ip: '203.0.113.7' } })).data)
      .toMatchObject([{ address: '203.0.113.7', unknown: 4, missing: 1, endpoint: '/v1/nothing' }]);
    const { data, total_count } = await hub().root.call(logApi.unknownKeys, { query: { order: '-unknown' } });
    expect(total_count).toBe(2);
    expect(data).toMatchObject([{ address: '203.0.113.7' }, { address: '2001:db8:0:7::/64', unknown: 2 }]);
    expect(await find({ source_ip: '203.0.113.7' })).toEqual([]);
  });
});

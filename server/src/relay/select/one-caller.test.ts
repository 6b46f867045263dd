import { channelApi, optionApi } from '@relay-hub/contract';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { errorOf, hello, post } from '#testing/relay-calls.ts';
import type { Behaviour } from '#upstream-simulator/behaviour.ts';

const flagged = {
  error: {
    code: 403,
    message: 'This model requires moderation. Your input was flagged for "violence". No credits were charged.',
    metadata: { reasons: ['violence'], flagged_input: 'x' },
  },
};
const noFile = { error: { message: 'No such File object: file-abc123', type: 'invalid_request_error', param: 'id' } };

onOneDatabase('what one caller can do to the others', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const live = () => hub().server.deps.live;
  const db = () => hub().server.deps.db;
  let ids: number[];
  let x: TestCaller;
  let y: TestCaller;

  const set = (key: string, value: string) => hub().root.call(optionApi.set, { body: { key, value } });
  const bad = () => post(hub(), x.key, { ...hello, messages: [{ role: 'user', content: 'see file-abc123' }] });
  const good = () => post(hub(), y.key, hello);
  const lastAttempts = async (who: TestCaller) => (await rowsOf(db(), who)).at(-1)?.metadata?.attempts;

  beforeAll(async () => {
    ids = [];
    for (const priority of [9, 5, 1]) ids.push(await addChannel(hub(), upstream().url, { priority }));
  });
  beforeEach(async () => {
    [x, y] = [await addCaller(db()), await addCaller(db())];
  });
  afterEach(async () => {
    upstream().behaviour = {};
    for (const id of ids) live().absolve(id);
    for (const id of ids) await hub().root.call(channelApi.update, { body: { id, status: 1 } });
    expect(hub().server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(db());
  });

  const attacks: [string, Behaviour][] = [
    ['a prompt that is flagged', { status: 403, error: flagged }],
    ['a 403 that says nothing', { status: 403, error: { error: { message: 'no' } } }],
    ['an object that is not there', { status: 404, error: noFile }],
    ['a model that is not there', { status: 404 }],
    ['a breakdown', { status: 500 }],
    ['a web page', { fault: 'html', status: 200 }],
    ['a web page that forbids', { fault: 'html', status: 403 }],
    ['a web page that is not there', { fault: 'html', status: 404 }],
    ['a limit', { status: 429, headers: { 'retry-after': '3600' } }],
    ['a cut connection', { fault: 'refuse' }],
  ];

  test.each(attacks)(
    '%s does not keep other callers from being served, however often X causes it',
    async (_, behaviour) => {
      upstream().behaviour = behaviour;
      await Promise.all(Array.from({ length: 8 }, bad));
      for (let i = 0; i < 4; i++) await bad();
      upstream().behaviour = {};
      for (let i = 0; i < 3; i++) expect((await good()).status).toBe(200);
      // Y has been served, so X counts once from here on.
      upstream().behaviour = behaviour;
      await Promise.all(Array.from({ length: 8 }, bad));
      upstream().behaviour = {};
      expect((await good()).status).toBe(200);
    },
  );

  test.each<[string, Behaviour, number, object, string]>([
    ['a flagged prompt', { status: 403, error: flagged }, 400, { code: 'content_filter' }, 'content'],
    ['a file that is not there', { status: 404, error: noFile }, 404, {}, 'request'],
    [
      'a prompt that a filter blocks',
      { status: 400, error: { error: { message: 'blocked', code: 'content_filter' } } },
      400,
      { code: 'content_filter' },
      'content',
    ],
    [
      'a file of somebody else',
      {
        status: 403,
        error: {
          error: { code: 403, status: 'PERMISSION_DENIED', message: 'You may not access the File file-abc123.' },
        },
      },
      403,
      {},
      'request',
    ],
  ])('%s is told as it is, asked for once, and held against nothing', async (_, behaviour, status, error, cause) => {
    upstream().behaviour = behaviour;
    const before = upstream().requests.total;
    for (let i = 0; i < 6; i++) {
      const answer = await bad();
      expect(answer.status).toBe(status);
      expect(errorOf(answer).message).toContain((behaviour.error!['error'] as { message: string }).message);
      if (error !== undefined && 'code' in error && error.code === 'content_filter')
        expect(errorOf(answer)).toMatchObject(error);
    }
    expect(upstream().requests.total).toBe(before + 6);
    expect(await lastAttempts(x)).toMatchObject([{ cause, next: 'not_retryable' }]);
    expect(live().health.untroubled).toBe(true);
  });

  test.each<[string, Behaviour, string]>([
    ['insufficient_quota', { status: 429, error: { error: { message: 'no', code: 'insufficient_quota' } } }, 'billing'],
    ['a balance', { status: 400, error: { error: { message: 'Your credit balance is too low.' } } }, 'billing'],
    ['billing_not_active', { status: 429, error: { error: { message: 'no', type: 'billing_not_active' } } }, 'billing'],
    [
      'account_deactivated',
      { status: 403, error: { error: { message: 'no', code: 'account_deactivated' } } },
      'billing',
    ],
    ['a region', { status: 403 }, 'key'],
    ['a key', { status: 401 }, 'key'],
  ])(
    '%s of the vendor’s account is never told as the caller’s own, and counts every time',
    async (_, behaviour, cause) => {
      upstream().behaviour = behaviour;
      const answer = await post(hub(), x.key, hello);
      expect(answer.status).toBe(502);
      expect(errorOf(answer).code).toBe('upstream_rejected');
      expect(await lastAttempts(x)).toMatchObject([{ cause }, { cause }, { cause }]);
      for (const id of ids) expect(live().health.of(id, 'gpt-4o', Date.now()).cause).toBe(cause);
    },
  );

  describe('an outage', () => {
    test.each([1, 2, 7])('that %i callers meet closes the channels, and calls do not wait for it', async (count) => {
      const callers = await Promise.all(Array.from({ length: count }, () => addCaller(db())));
      upstream().behaviour = { status: 500 };
      for (let i = 0; i < 16; i++) await post(hub(), callers[i % count]!.key, hello);
      const before = upstream().requests.total;
      const refused = await post(hub(), callers[15 % count]!.key, hello);
      expect(refused.status).toBe(503);
      expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(30);
      expect(upstream().requests.total).toBe(before);
    });

    test('ends with the probe that is let through every few seconds', async () => {
      const now = Date.now();
      for (const id of ids)
        for (let i = 0; i < 9; i++)
          live().health.failed(id, 'gpt-4o', {
            cooldownMs: 60_000,
            now: now - 6_000,
            evidence: {
              cause: 'server',
              unclear: true,
              caller: 10_000 + i,
              began: now - 6_000,
            },
          });
      expect(live().health.of(ids[0]!, 'gpt-4o', now).health).toBe('closed');
      expect((await good()).status).toBe(200);
      expect(await lastAttempts(y)).toMatchObject([{ result: 'ok', probe: true, channel_id: ids[0] }]);
      expect(live().health.of(ids[0]!, 'gpt-4o', Date.now()).health).toBe('well');
    });
  });

  describe('the switch for failing channels', () => {
    const phrase = 'Your account is not authorized';
    const isOn = async (id: number) => (await hub().root.call(channelApi.get, { params: { id } })).status === 1;

    beforeEach(() => set('AutomaticDisableChannelEnabled', 'true'));
    afterEach(() => set('AutomaticDisableChannelEnabled', 'false'));

    test.each<[string, Behaviour, object]>([
      ['a flagged prompt', { status: 403, error: { error: { ...flagged.error, type: 'permission_error' } } }, hello],
      [
        'what an account may not do',
        { status: 403, error: { error: { message: 'Your API key may not use this beta', type: 'permission_error' } } },
        hello,
      ],
      [
        'words of X that the upstream repeats, however they were escaped',
        { status: 400, error: { error: { message: `cannot read: ${phrase}` } } },
        JSON.parse(JSON.stringify(hello)) as object,
      ],
    ])('is not turned by one caller: %s', async (_, behaviour, body) => {
      upstream().behaviour = behaviour;
      const text = JSON.stringify({ ...body, messages: [{ role: 'user', content: phrase }] });
      const escaped = text.replace(phrase, phrase.replace('account', 'acc\\u006funt'));
      for (let i = 0; i < 3; i++) await post(hub(), x.key, escaped);
      await hub().server.deps.autoSwitcher.settled();
      for (const id of ids) expect(await isOn(id)).toBe(true);
    });

    test('is turned when two callers meet what forbids, and at once by an account without money', async () => {
      upstream().behaviour = { status: 403, error: { error: { message: 'no', type: 'permission_error' } } };
      for (const { key } of [x, y]) await post(hub(), key, hello);
      await hub().server.deps.autoSwitcher.settled();
      expect(await isOn(ids[0]!)).toBe(false);
      await hub().root.call(channelApi.update, { body: { id: ids[0]!, status: 1 } });
      upstream().behaviour = { status: 429, error: { error: { message: 'no', type: 'insufficient_quota' } } };
      await post(hub(), x.key, hello);
      await hub().server.deps.autoSwitcher.settled();
      expect(await isOn(ids[0]!)).toBe(false);
    });
  });

  test('a call names this server, unless the channel’s own headers name another client', async () => {
    await good();
    expect(upstream().requests.at(-1)!.headers['user-agent']).toMatch(/^relay-hub\//);
    const id = await addChannel(hub(), upstream().url, { priority: 99, model_headers: '{"User-Agent":"mine/1"}' });
    await good();
    expect(upstream().requests.at(-1)!.headers['user-agent']).toBe('mine/1');
    await hub().root.call(channelApi.remove, { params: { id } });
  });
});

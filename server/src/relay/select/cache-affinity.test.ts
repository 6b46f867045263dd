import { channelApi, channelKeyApi, priceApi, routeApi } from '@relay-hub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CALLS_PER_MINUTE, Conversations, MOST_CONVERSATIONS } from '#live/conversations.ts';
import type { RouteQuery } from '#relay/types/call-types.ts';
import { caughtUp } from '#testing/caught-up.ts';
import { type EmptyDatabase, onOneDatabase } from '#testing/databases.ts';
import { addChannel, addToken, liftRates, startHub, type TestHub, upstreamForSuite } from '#testing/hub.ts';
import { until } from '#testing/until.ts';
import { chooseChannel, nothingTried } from './choose-channel.ts';
import { conversationOf } from './conversation.ts';

interface Row {
  channel: number;
  affinity: string | undefined;
}

onOneDatabase('conversations and their prompt caches', (make) => {
  const upstream = upstreamForSuite();
  let database: EmptyDatabase;
  let here: TestHub;
  let there: TestHub;
  let token: { id: number; key: string };
  /** Channels by model; each test has its models. */
  const channels = async (models: string, more: object[]): Promise<number[]> => {
    const ids: number[] = [];
    for (const each of more) ids.push(await addChannel(here, upstream().url, { models, ...each }));
    await here.root.call(priceApi.create, {
      body: { model: models, type: 'tokens', channel_type: 8, input: 1, output: 1 },
    });
    await inForce();
    return ids;
  };
  const edit = async (id: number, change: object) => {
    await here.root.call(channelApi.update, { body: { id, ...change } });
    await inForce();
  };
  /** The other node has read the same revisions. */
  const inForce = () => there.server.deps.live.changed('routes');

  beforeAll(async () => {
    database = await make();
    here = await startHub(database);
    there = await startHub(database);
    token = await addToken(here);
    await liftRates(here.root);
    await there.server.deps.live.changed('groups');
  });
  afterAll(async () => {
    await Promise.all([here?.close(), there?.close()]);
    await database?.remove();
  });

  interface Turn {
    node?: TestHub;
    headers?: Record<string, string>;
    session?: string;
    key?: string;
  }
  /** A turn of a conversation that begins with `session`; its log row. */
  async function turn(
    model: string,
    number: number,
    { node = here, headers = {}, session = 'hello', key = token.key }: Turn = {},
  ): Promise<Row> {
    const messages = [{ role: 'user', content: session }];
    for (let i = 1; i < number; i++)
      messages.push({ role: 'assistant', content: `answer ${i}` }, { role: 'user', content: `question ${i}` });
    const response = await fetch(`${node.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model, messages, max_tokens: 5 }),
    });
    expect([response.status, await response.text()]).toEqual([200, expect.anything()]);
    await caughtUp(node.server.deps.db);
    const { channel_id, metadata } = await node.server.deps.db
      .selectFrom('logs')
      .where('request_id', '=', response.headers.get('x-request-id') ?? '')
      .select(['channel_id', 'metadata'])
      .executeTakeFirstOrThrow();
    return { channel: channel_id, affinity: metadata?.attempts?.at(-1)?.affinity };
  }

  test.each([
    ['a session that the client names', { 'x-session-id': 'abc' }],
    ['the start of its prompt', {}],
  ])('20 turns over three equal channels stay at one, by %s', async (_, headers) => {
    const model = `twenty-${Object.keys(headers).length}`;
    const ids = await channels(model, [{}, {}, {}]);
    const rows: Row[] = [];
    for (let number = 1; number <= 20; number++) rows.push(await turn(model, number, { headers }));
    const [first] = rows;
    expect(ids).toContain(first?.channel);
    expect(rows.map(({ channel }) => channel)).toEqual(Array.from({ length: 20 }, () => first?.channel));
    expect(rows.map(({ affinity }) => affinity)).toEqual(['placed', ...Array.from({ length: 19 }, () => 'kept')]);

    await edit(first!.channel, { status: 2 });
    const moved = [await turn(model, 21, { headers }), await turn(model, 22, { headers })];
    expect(moved[0]?.channel).not.toBe(first?.channel);
    expect(moved).toEqual([
      { channel: moved[0]?.channel, affinity: 'moved' },
      { channel: moved[0]?.channel, affinity: 'kept' },
    ]);
    // The cache is at the new channel now, also when the old one comes back.
    await edit(first!.channel, { status: 1 });
    expect(await turn(model, 23, { headers })).toEqual({ channel: moved[0]?.channel, affinity: 'kept' });
  });

  test('two nodes keep a conversation at one channel, move it together, and agree after that', async () => {
    const model = 'two-nodes';
    await channels(model, [{}, {}, {}]);
    const node = (number: number) => (number % 2 === 0 ? here : there);
    const took: number[] = [];
    for (let number = 1; number <= 20; number++) took.push((await turn(model, number, { node: node(number) })).channel);
    expect(new Set(took).size).toBe(1);
    await edit(took[0]!, { status: 2 });
    const moved = await turn(model, 21, { node: here });
    expect(moved).toMatchObject({ affinity: 'moved' });
    expect((await turn(model, 22, { node: there })).channel).toBe(moved.channel);
    await edit(took[0]!, { status: 1 });
    for (let number = 23; number < 27; number++)
      expect((await turn(model, number, { node: node(number) })).channel).toBe(moved.channel);
  });

  test('a node learns from another where a conversation went that its own hash leads elsewhere', async () => {
    const model = 'told';
    const ids = await channels(model, [{}, {}, {}]);
    const before = await turn(model, 1);
    const others = ids.filter((id) => id !== before.channel);
    await edit(before.channel, { status: 2 });
    const moved = await turn(model, 2);
    expect(others).toContain(moved.channel);
    await here.server.deps.live.conversations.flush();
    await edit(before.channel, { status: 1 });
    // The other node never had a call of it.
    expect(await turn(model, 3, { node: there })).toEqual({ channel: moved.channel, affinity: 'kept' });
  });

  test('a channel of higher priority takes the conversation over, and one of lower priority never does', async () => {
    const model = 'priority';
    const [high, low] = (await channels(model, [{ priority: 5, status: 2 }, { priority: 1 }])) as [number, number];
    expect(await turn(model, 1)).toEqual({ channel: low, affinity: 'placed' });
    await edit(high, { status: 1 });
    expect(await turn(model, 2)).toEqual({ channel: high, affinity: 'moved' });
    expect(await turn(model, 3)).toEqual({ channel: high, affinity: 'kept' });
  });

  test('trouble ends the stay at once, without waiting', async () => {
    const model = 'trouble';
    await channels(model, [{}, {}]);
    const { live } = here.server.deps;
    const first = await turn(model, 1);
    live.health.failed(first.channel, model, { cooldownMs: 60_000, now: Date.now() });
    const second = await turn(model, 2);
    live.health.forget(first.channel);
    expect(second).toMatchObject({ affinity: 'moved' });
    expect(await turn(model, 3)).toEqual({ channel: second.channel, affinity: 'kept' });
  });

  test('in a channel with several keys it stays with its key, until that is off', async () => {
    const model = 'keys';
    const keys = Array.from({ length: 6 }, (_, n) => `sk-one-of-several-keys-${n}`);
    const [id] = (await channels(model, [{ one_channel: true, key: keys.join('\n') }])) as [number];
    const used = async (number: number) => {
      const { affinity } = await turn(model, number);
      return { affinity, key: upstream().requests.at(-1)?.headers.authorization };
    };
    const first = await used(1);
    for (let number = 2; number < 9; number++) expect(await used(number)).toEqual({ ...first, affinity: 'kept' });
    const listed = await here.root.call(channelKeyApi.list, { params: { id } });
    const at = listed[keys.findIndex((key) => first.key === `Bearer ${key}`)];
    await here.root.call(channelKeyApi.update, { params: { id, key: at!.id }, body: { status: 2 } });
    await inForce();
    const moved = await used(9);
    expect(moved).toMatchObject({ affinity: 'moved' });
    expect(moved.key).not.toBe(first.key);
    expect(await used(10)).toEqual({ ...moved, affinity: 'kept' });

    // Keys of one account share a cache: then any key will do.
    await edit(id, { cache_affinity: 'channel' });
    const drawn = new Set<string | undefined>();
    await until('several keys are used', async () => drawn.add((await used(11)).key).size > 2);
  });

  test('a channel without affinity draws each call anew', async () => {
    const model = 'off';
    await channels(model, [{ cache_affinity: 'off' }, { cache_affinity: 'off' }]);
    const seen = new Set<number>();
    await until('both channels have had a call', async () => {
      const { channel, affinity } = await turn(model, 1);
      expect(affinity).toBeUndefined();
      return seen.add(channel).size === 2;
    });
  });

  describe('conversations of one app', () => {
    const model = 'app';
    let ids: number[];
    beforeAll(async () => {
      ids = await channels(model, [{}, {}, {}]);
    });

    /** How many of 1,000 first calls each channel gets; at most one number of the clock's minutes is involved. */
    function spread(bodyOf: (number: number) => object): number[] {
      const { deps } = here.server;
      const counts = new Map(ids.map((id) => [id, 0]));
      for (let number = 0; number < 1000; number++) {
        const json = { prompt_cache_key: 'the-app', ...bodyOf(number) };
        const conversation = conversationOf({ userId: 1, tokenId: token.id }, { headers: {}, json, model });
        const query: RouteQuery = {
          operation: 'chat',
          dialect: 'openai',
          request: {
            model,
            stream: false,
            wantsUsage: false,
            inputTokens: 0,
            outputLimit: 5,
            usesTools: false,
            usesImages: false,
          },
          group: deps.live.groups.get('default')!,
          pin: undefined,
          except: undefined,
          conversation,
        };
        const { channel } = chooseChannel(deps, query, nothingTried);
        counts.set(channel.id, (counts.get(channel.id) ?? 0) + 1);
      }
      return [...counts.values()];
    }

    // Six standard deviations of 1,000 draws from three, and the calls of the one that is kept.
    const most = 1000 / 3 + 6 * Math.sqrt(1000 * (1 / 3) * (2 / 3));
    test.each([
      ['spread by their starts', (number: number) => ({ input: `question ${number}` }), most],
      [
        'spread above the limit per minute, with equal starts',
        () => ({ input: 'the same' }),
        most + 2 * CALLS_PER_MINUTE,
      ],
    ])('with a constant prompt_cache_key %s', (_, bodyOf, limit) => {
      expect(Math.max(...spread(bodyOf))).toBeLessThan(limit);
    });
  });

  test('a place is kept for the life of its cache, which each answer renews and a longer one lengthens', () => {
    const { db, log } = here.server.deps;
    const memory = new Conversations(db, log);
    const one = { id: 'one', seed: 1 };
    const place = { channelId: 1, keyId: 2 };
    const answered = (lifeMs: number, nowMs: number) => memory.answered(one, place, { lifeMs, moved: false, nowMs });
    answered(300_000, 0);
    expect(memory.find(one, 299_999)).toMatchObject(place);
    expect(memory.find(one, 300_000)).toBeUndefined();
    answered(300_000, 250_000);
    expect(memory.find(one, 549_999)).toMatchObject(place);
    answered(3_600_000, 300_000);
    answered(300_000, 400_000);
    expect(memory.find(one, 3_999_999)).toMatchObject(place);
    expect(memory.next(one, 4_000_000)).toBe('new');
  });

  test('memory is bounded, and the conversation that has been quiet longest is forgotten', () => {
    const { db, log } = here.server.deps;
    const memory = new Conversations(db, log);
    const place = { channelId: 1, keyId: 2 };
    const answered = (id: string) => memory.answered({ id, seed: 1 }, place, { lifeMs: 1000, moved: false, nowMs: 0 });
    answered('busy');
    answered('quiet');
    for (let n = 0; n < MOST_CONVERSATIONS - 1; n++) {
      if (n === 10) answered('busy');
      memory.next({ id: `other ${n}`, seed: n }, 0);
    }
    expect(memory.size).toBe(MOST_CONVERSATIONS);
    expect(memory.find({ id: 'busy', seed: 1 }, 0)).toMatchObject(place);
    expect(memory.find({ id: 'quiet', seed: 1 }, 0)).toBeUndefined();
  });

  test('the dry run of a route tells where a session is kept', async () => {
    const model = 'explained';
    await channels(model, [{}, {}, {}]);
    const { channel } = await turn(model, 1, { headers: { 'x-session-id': 'mine' } });
    const explain = async (session: string) => {
      const { candidates } = await here.root.call(routeApi.explain, { body: { model, token_id: token.id, session } });
      return candidates.map(({ channel_id: id, share, skipped, kept }) => ({ id, share, skipped, kept }));
    };
    const [keeper, ...others] = await explain('mine');
    expect(keeper).toEqual({ id: channel, share: 1, skipped: '', kept: true });
    expect(others.map(({ share, skipped }) => [share, skipped])).toEqual([
      [0, 'kept_elsewhere'],
      [0, 'kept_elsewhere'],
    ]);
    expect((await explain('unknown')).map(({ kept }) => kept)).toEqual([false, false, false]);
  });
});

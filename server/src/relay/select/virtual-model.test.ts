import { type InputOf, priceApi, routeApi, userGroupApi, virtualModelApi } from '@relay-hub/contract';
import fc from 'fast-check';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, addKey, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { caughtUp } from '#testing/caught-up.ts';
import { errorOf, hello, post } from '#testing/relay-calls.ts';
import { until } from '#testing/until.ts';
import type { Behaviour } from '#upstream-simulator/behaviour.ts';

type Model = InputOf<typeof virtualModelApi.create>['body'];
type Step = Model['steps'][number];
type When = NonNullable<Step['when']>;

const streamed = { ...hello, stream: true };
const tool = { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } };
const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };

onOneDatabase('virtual models', (make) => {
  const hub = hubForSuite(make);
  /** Serves the model of the first step, and the others. */
  const first = upstreamForSuite();
  const rest = upstreamForSuite();
  const db = () => hub().server.deps.db;
  let who: TestCaller;
  let channels: number[];

  beforeAll(async () => {
    channels = [
      await addChannel(hub(), first().url, { name: 'first', models: 'step-one' }),
      await addChannel(hub(), rest().url, { name: 'rest', models: 'step-two,step-three,gpt-3.5-turbo' }),
    ];
    const price = { type: 'tokens', channel_type: 1 } as const;
    for (const [model, input, output] of [
      ['step-one', 1, 2],
      ['step-two', 5, 20],
      ['step-three', 0.5, 0.5],
    ] as const)
      await hub().root.call(priceApi.create, { body: { ...price, model, input, output } });
    await hub().root.call(userGroupApi.create, {
      body: { symbol: 'patrons', name: 'patrons', public: true, ratio: 1 },
    });
    await addChannel(hub(), rest().url, { name: 'of patrons', models: 'step-three', group: 'patrons' });
  });
  beforeEach(async () => {
    who = await addCaller(db());
  });
  afterEach(async () => {
    for (const id of channels) hub().server.deps.live.health.forget(id);
    first().behaviour = {};
    rest().behaviour = {};
    const { data } = await hub().root.call(virtualModelApi.list, { query: { size: 100 } });
    for (const { id } of data) await hub().root.call(virtualModelApi.remove, { params: { id } });
    expect(hub().server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(db());
  });

  const add = (steps: Step[], more: Partial<Model> = {}) =>
    hub().root.call(virtualModelApi.create, { body: { name: 'smart', steps, ...more } });
  const step = (model: string, more: Partial<Step> = {}): Step => ({ models: [{ model }], ...more });
  const chain = () => add([step('step-one'), step('step-two')]);
  const modelAt = (upstream: typeof first): string =>
    (JSON.parse(upstream().requests.at(-1)?.body ?? '{}') as { model: string }).model;

  test.each([
    ['/v1/chat/completions', hello],
    ['/v1/chat/completions', streamed],
    ['/v1/responses', { model: 'smart', input: 'hello' }],
    ['/v1/responses', { model: 'smart', input: 'hello', stream: true }],
    ['/claude/v1/messages', { ...hello, max_tokens: 50 }],
    ['/claude/v1/messages', { ...streamed, max_tokens: 50 }],
    ['/gemini/v1beta/models/smart:generateContent', { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }],
    ['/gemini/v1beta/models/smart:streamGenerateContent?alt=sse', { contents: [{ parts: [{ text: 'hello' }] }] }],
    ['/v1/completions', { model: 'smart', prompt: 'hello', max_tokens: 50 }],
    ['/v1/embeddings', { model: 'smart', input: 'hello' }],
  ])('a call of %s goes to the next step after an error, and is charged as served: %#', async (path, body) => {
    await chain();
    first().behaviour = { status: 500 };
    const answer = await post(hub(), who.key, 'messages' in body ? { ...body, model: 'smart' } : body, path);
    expect(answer.status).toBe(200);
    expect([modelAt(first), modelAt(rest)]).toEqual(['step-one', 'step-two']);
    const [row] = await rowsOf(db(), who);
    expect(row).toMatchObject({
      model_name: 'step-two',
      metadata: {
        requested_model: 'smart',
        input_ratio: 5,
        virtual: { name: 'smart', version: 1, step: 2 },
        // A channel without Responses was asked for them first.
        attempts: expect.arrayContaining([
          expect.objectContaining({ model: 'step-one', result: 'upstream_status', next: 'next_model' }),
          expect.objectContaining({ model: 'step-two', result: 'ok' }),
        ]),
      },
    });
    expect(row!.metadata!.reserved).toBeGreaterThanOrEqual(row!.quota);
  });

  describe('a failure', () => {
    const refused = (status: number, message: string, code: string | null = null): Behaviour => ({
      status,
      error: { error: { message, type: 'invalid_request_error', code } },
    });

    test.each<[string, Behaviour, Step['next_on'], boolean]>([
      ['an error, which the step passes on', { status: 503 }, ['error'], true],
      ['an error, which ends the chain', { status: 503 }, ['too_long', 'lacking'], false],
      ['an error instead of content, with status 200', { fault: 'errorBody200' }, ['error'], true],
      ['an unreachable provider', { fault: 'refuse' }, ['error'], true],
      ['a prompt too long', refused(400, 'This is too long.', 'context_length_exceeded'), ['too_long'], true],
      ['a prompt too long in words', refused(400, 'prompt is too long: 2 tokens > 1 maximum'), ['too_long'], true],
      ['a prompt too long, which ends the chain', refused(400, 'prompt is too long'), ['error'], false],
      ['a missing capability', refused(400, 'This model does not support tools.'), ['lacking'], true],
      ['a missing capability, which ends the chain', refused(400, 'tools are not supported'), ['error'], false],
      ['a faulty request', refused(400, "'temperature' must be below 2"), undefined, false],
      ['a blocked prompt', refused(400, 'The prompt was blocked.', 'content_filter'), undefined, false],
    ])('%s: %#', async (_, fault, next_on, goesOn) => {
      await add([step('step-one', next_on && { next_on }), step('step-two')]);
      first().behaviour = fault;
      const before = rest().requests.total;
      for (const body of [hello, streamed]) {
        const answer = await post(hub(), who.key, { ...body, model: 'smart' });
        expect(answer.status === 200 && !answer.text.includes('"error"')).toBe(goesOn);
        for (const id of channels) hub().server.deps.live.health.forget(id);
      }
      expect(rest().requests.total - before).toBe(goesOn ? 2 : 0);
    });

    test('after content began ends the call: no model continues the text of another', async () => {
      await chain();
      first().behaviour = { fault: 'cutMidChunk', faultAt: 2 };
      const before = rest().requests.total;
      const { text } = await post(hub(), who.key, { ...streamed, model: 'smart' });
      expect(text).not.toContain('[DONE]');
      expect(rest().requests.total).toBe(before);
      expect(await rowsOf(db(), who)).toMatchObject([{ model_name: 'step-one', metadata: { virtual: { step: 1 } } }]);
    });

    test('of every step is the last one’s, and names it', async () => {
      await add([step('step-one'), step('step-two'), step('nobody-serves-this')]);
      first().behaviour = { status: 500 };
      rest().behaviour = { status: 502 };
      expect((await post(hub(), who.key, { ...hello, model: 'smart' })).status).toBe(502);
      expect(await rowsOf(db(), who)).toMatchObject([
        { model_name: 'step-two', quota: 0, metadata: { outcome: 'failed', virtual: { step: 2 } } },
      ]);
    });

    test('of a step without any channel costs nothing', async () => {
      await add([step('nobody-serves-this'), step('step-two')]);
      expect((await post(hub(), who.key, { ...hello, model: 'smart' })).status).toBe(200);
      expect(await rowsOf(db(), who)).toMatchObject([
        { metadata: { virtual: { step: 2 }, attempts: [{ status: 200 }] } },
      ]);
    });
  });

  describe('a condition', () => {
    const long = 'word '.repeat(400);
    const withText = (content: unknown) => ({ model: 'smart', messages: [{ role: 'user', content }] });
    const plain = withText('hello');
    const now = new Date();
    const hour = (more: number) => `${String((now.getUTCHours() + more + 24) % 24).padStart(2, '0')}:00`;
    const around = { from: hour(-2), to: hour(3), zone: 'UTC' };
    const away = { from: hour(5), to: hour(8), zone: 'UTC' };

    /** The step is for the first body and not for the second one. */
    test.each<[string, When, object, object, Record<string, string>?]>([
      ['tools', { tools: 'yes' }, { ...plain, tools: [tool] }, plain],
      ['no tools', { tools: 'no' }, plain, { ...plain, tools: [tool] }],
      ['a picture', { images: 'yes' }, withText([picture]), plain],
      ['no picture', { images: 'no' }, plain, withText([picture])],
      ['a long prompt', { prompt_from: 200 }, withText(long), plain],
      ['a short prompt', { prompt_to: 200 }, plain, withText(long)],
      ['a prompt between bounds', { prompt_from: 5, prompt_to: 200 }, plain, withText(long)],
      ['an endpoint', { endpoints: ['chat'] }, plain, { path: '/claude/v1/messages', ...plain, max_tokens: 9 }],
      ['a header', { header: { name: 'X-Tier', value: 'gold' } }, { ...plain, header: 'gold' }, plain],
      [
        'another value of a header',
        { header: { name: 'x-tier', value: 'gold' } },
        { ...plain, header: 'gold' },
        { ...plain, header: 'Gold' },
      ],
    ])('%s decides about a step', async (_, when, inside, outside) => {
      await add([step('step-one', { when }), step('step-two')]);
      const send = ({ path, header, ...body }: { path?: string; header?: string }) =>
        post(hub(), who.key, body, path, { headers: header === undefined ? {} : { 'x-tier': header } });
      expect((await send(inside)).status).toBe(200);
      expect((await send(outside)).status).toBe(200);
      expect((await rowsOf(db(), who)).map(({ model_name }) => model_name)).toEqual(['step-one', 'step-two']);
    });

    test.each<[string, Partial<Step>, boolean]>([
      ['its time', { when: { time: around } }, true],
      ['another time', { when: { time: away } }, false],
      ['its group', { when: { groups: ['default', 'patrons'] } }, true],
      ['another group', { when: { groups: ['patrons'] } }, false],
      ['a price below its bound', { max_price: { input: 2, output: 4 } }, true],
      ['a price above its bound', { max_price: { input: 1.9, output: 9 } }, false],
    ])('%s decides about a step', async (_, more, holds) => {
      await add([step('step-one', more), step('step-two')]);
      expect((await post(hub(), who.key, plain)).status).toBe(200);
      expect(await rowsOf(db(), who)).toMatchObject([{ model_name: holds ? 'step-one' : 'step-two' }]);
    });

    test('of the published context leads past a model that is too short', async () => {
      await add([step('gpt-3.5-turbo'), step('step-two')]);
      expect((await post(hub(), who.key, withText('word '.repeat(30_000)))).status).toBe(200);
      expect(await rowsOf(db(), who)).toMatchObject([{ model_name: 'step-two', metadata: { virtual: { step: 2 } } }]);
    });

    test('that no step meets refuses the call with a 400 and sends nothing', async () => {
      await add([step('step-one', { when: { tools: 'yes' } })]);
      const before = first().requests.total;
      const refused = await post(hub(), who.key, plain);
      expect(refused.status).toBe(400);
      expect(errorOf(refused)).toMatchObject({ param: 'model', message: expect.stringContaining("'smart'") });
      expect(first().requests.total).toBe(before);
    });
  });

  describe('weights within a step', () => {
    const canary = (sticky: Step['sticky']) =>
      add([
        {
          models: [
            { model: 'step-two', weight: 50 },
            { model: 'step-three', weight: 50 },
          ],
          sticky,
        },
      ]);
    const modelsOf = async (caller: TestCaller) => (await rowsOf(db(), caller)).map(({ model_name }) => model_name);

    test('keep a user, or a session, at one model, and give others the rest', async () => {
      await canary('session');
      const call = (session: string) =>
        post(hub(), who.key, { ...hello, model: 'smart' }, undefined, { headers: { 'x-session-id': session } });
      const sessions = Array.from({ length: 30 }, (_, index) => `session-${index}`);
      for (const session of [...sessions, ...sessions]) await call(session);
      const drawn = await modelsOf(who);
      expect(drawn.slice(0, sessions.length)).toEqual(drawn.slice(sessions.length));
      expect(new Set(drawn).size).toBe(2);
    });

    test('draw each call anew unless they are sticky', async () => {
      await canary('none');
      for (let i = 0; i < 30; i++) await post(hub(), who.key, { ...hello, model: 'smart' });
      expect(new Set(await modelsOf(who)).size).toBe(2);
    });

    test('keep a user whatever they ask', async () => {
      await canary('user');
      for (const content of ['a', 'b', 'c', 'd', 'e', 'f'])
        await post(hub(), who.key, { model: 'smart', messages: [{ role: 'user', content }] });
      expect(new Set(await modelsOf(who)).size).toBe(1);
    });
  });

  describe('credits', () => {
    test('cover the dearest step that can be reached, or else the first alone', async () => {
      await chain();
      const body = { ...hello, model: 'smart', max_tokens: 100 };
      await post(hub(), who.key, body);
      const poor = await addCaller(db(), { quota: 300 });
      expect((await post(hub(), poor.key, body)).status).toBe(200);
      const [rich] = await rowsOf(db(), who);
      const [other] = await rowsOf(db(), poor);
      // 9 tokens of the prompt and 100 of the answer.
      expect([rich?.metadata?.reserved, other?.metadata?.reserved]).toEqual([9 * 5 + 100 * 20, 9 + 100 * 2]);
      first().next({ status: 500 });
      const before = rest().requests.total;
      expect((await post(hub(), poor.key, body)).status).toBe(500);
      expect(rest().requests.total).toBe(before);
    });

    test('reserved are never less than charged, whatever the chain', async () => {
      const models = ['step-one', 'step-two', 'step-three'];
      await fc.assert(
        fc.asyncProperty(
          fc.shuffledSubarray(models, { minLength: 1 }),
          fc.constantFrom<Behaviour>({}, { status: 500 }, { chunks: 40 }, { fault: 'errorInStream', faultAt: 0 }),
          fc.boolean(),
          async (names, behaviour, stream) => {
            const { id } = await add(names.map((name) => step(name)));
            const caller = await addCaller(db());
            first().behaviour = behaviour;
            await post(hub(), caller.key, { ...hello, model: 'smart', stream, max_tokens: 60 });
            for (const one of channels) hub().server.deps.live.health.forget(one);
            for (const row of await rowsOf(db(), caller))
              expect(row.metadata?.reserved).toBeGreaterThanOrEqual(row.quota);
            await hub().root.call(virtualModelApi.remove, { params: { id } });
          },
        ),
        { numRuns: 12 },
      );
    });
  });

  describe('what a caller may use', () => {
    const list = async (key: string) =>
      (
        JSON.parse((await post(hub(), key, undefined, '/v1/models', { method: 'GET' })).text) as {
          data: { id: string }[];
        }
      ).data.map(({ id }) => id);

    test('lists a virtual model for groups that can use a step of it', async () => {
      await add([step('step-one'), step('step-two')]);
      await add([step('step-three')], { name: 'for-all' });
      const patron = await addKey(db(), who.userId, { group: 'patrons' });
      expect(await list(who.key)).toEqual(expect.arrayContaining(['smart', 'for-all']));
      expect(await list(patron.key)).toEqual(['for-all', 'step-three']);
      expect((await post(hub(), patron.key, { ...hello, model: 'smart' })).status).toBe(404);
    });

    test('is decided for the name in the limits of a token, never for its steps', async () => {
      await chain();
      const allow = async (models: string[]) => {
        const key = await addKey(db(), who.userId);
        const limits = JSON.stringify({
          caps: [],
          reset: 'rolling',
          time_zone: 'UTC',
          models,
          endpoints: [],
          addresses: [],
        });
        await db().updateTable('tokens').set({ limits }).where('id', '=', key.tokenId).execute();
        return key.key;
      };
      expect((await post(hub(), await allow(['smart']), { ...hello, model: 'smart' })).status).toBe(200);
      expect((await post(hub(), await allow(['step-one']), { ...hello, model: 'smart' })).status).toBe(403);
    });

    test('prefers a virtual model to a model of its name, and its step may be that model', async () => {
      await add([step('step-two'), step('step-one')], { name: 'step-one' });
      await post(hub(), who.key, { ...hello, model: 'step-one' });
      await hub().root.call(virtualModelApi.update, {
        body: {
          id: (await hub().root.call(virtualModelApi.list)).data[0]!.id,
          name: 'step-one',
          enabled: false,
          steps: [step('step-two')],
        },
      });
      await post(hub(), who.key, { ...hello, model: 'step-one' });
      expect((await rowsOf(db(), who)).map(({ model_name }) => model_name)).toEqual(['step-two', 'step-one']);
    });
  });

  test('the dry run tells each condition, the shares, and the channels of a step', async () => {
    await add([
      step('step-one', {
        when: { tools: 'yes', prompt_to: 100, groups: ['default'] },
        max_price: { input: 1, output: 1 },
      }),
      {
        models: [
          { model: 'step-two', weight: 1 },
          { model: 'nobody-serves-this', weight: 3 },
        ],
      },
      step('step-three'),
    ]);
    const sent = [first().requests.total, rest().requests.total];
    const explain = (more: object) => hub().root.call(routeApi.explain, { body: { model: 'smart', ...more } });
    const told = await explain({ prompt_tokens: 200, step: 3 });
    expect(told.virtual).toMatchObject({
      version: 1,
      step: 3,
      steps: [
        {
          number: 1,
          usable: false,
          conditions: [
            { condition: 'group', holds: true, wanted: 'default', found: 'default' },
            { condition: 'tools', holds: false, wanted: 'yes', found: 'no' },
            { condition: 'prompt', holds: false, wanted: '0–100', found: '200' },
            { condition: 'price', holds: false, wanted: '$1 / $1', found: '$2 / $4' },
          ],
        },
        {
          number: 2,
          usable: true,
          models: [
            { model: 'step-two', share: 0.25, served: true },
            { model: 'nobody-serves-this', share: 0.75, served: false },
          ],
        },
        { number: 3, usable: true, model: 'step-three', next_on: ['error', 'too_long', 'lacking'] },
      ],
    });
    expect(told).toMatchObject({ model: 'step-three', candidates: [{ channel_name: 'rest', share: 1 }] });
    expect((await explain({ model: 'step-one' })).virtual).toBeNull();
    expect([first().requests.total, rest().requests.total]).toEqual(sent);
  });

  test('the list of available models tells the price of each step before a call, and the dearest as its price', async () => {
    await add([step('step-one'), step('step-two'), step('nobody-serves-this')]);
    const { smart } = await hub().root.call(priceApi.available);
    expect(smart).toMatchObject({
      groups: ['default'],
      price: { input: 5, output: 20 },
      chain: [
        { model: 'step-one', price: { input: 1, output: 2 } },
        { model: 'step-two', price: { input: 5, output: 20 } },
      ],
    });
  });

  describe('copies for comparison', () => {
    const copies = async () =>
      (await db().selectFrom('logs').where('user_id', '=', 1).selectAll().execute()).filter(
        ({ metadata }) => metadata?.virtual?.copy_of !== undefined,
      );
    const ended = () =>
      until('the copy is settled', () => hub().server.deps.book.openCalls === 0).then(() => caughtUp(db()));

    test.each([hello, streamed])(
      'reach another model, not the caller, and cost the operator alone: %#',
      async (body) => {
        await add([step('step-one')], { shadow: { model: 'step-two', percent: 100 } });
        const before = rest().requests.total;
        const known = (await copies()).length;
        const answer = await post(hub(), who.key, { ...body, model: 'smart' });
        expect(answer.status).toBe(200);
        await until('the copy was sent', () => rest().requests.total > before);
        await ended();
        const [row] = await rowsOf(db(), who);
        const [copy] = (await copies()).slice(known);
        expect(row).toMatchObject({ model_name: 'step-one' });
        expect(copy).toMatchObject({
          model_name: 'step-two',
          quota: 0,
          metadata: { virtual: { name: 'smart', step: 0, copy_of: answer.requestId }, attempts: [{ result: 'ok' }] },
        });
        expect(await rowsOf(db(), who)).toHaveLength(1);
      },
    );

    test('are bounded, and a failed one changes nothing for the caller', async () => {
      await add([step('step-one')], { shadow: { model: 'step-two', percent: 100, at_once: 1 } });
      const { promise, resolve: go } = Promise.withResolvers<void>();
      rest().behaviour = { until: promise, status: 500 };
      const before = rest().requests.total;
      for (let i = 0; i < 3; i++) expect((await post(hub(), who.key, { ...hello, model: 'smart' })).status).toBe(200);
      go();
      await ended();
      expect(rest().requests.total).toBe(before + 1);
    });
  });
});

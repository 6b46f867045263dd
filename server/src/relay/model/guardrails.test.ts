import { guardApi, type InputOf } from '@relay-hub/contract';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { setOptions } from '#testing/mailbox.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';
import { hello, post } from '#testing/relay-calls.ts';

type NewRule = InputOf<typeof guardApi.create>['body'];

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const chunk = (delta: object, reason: string | null = null, index = 0) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index, delta, finish_reason: reason }] })}\n\n`;
const named = (json: { type: string }) => `event: ${json.type}\ndata: ${JSON.stringify(json)}\n\n`;
const inData = (json: object) => `data: ${JSON.stringify(json)}\n\n`;

const inPieces = (text: string): string[] => text.match(/.{1,3}/gsu) ?? [];

const chatStream = (pieces: readonly string[]) => [
  chunk({ role: 'assistant', content: '' }),
  ...pieces.map((content) => chunk({ content })),
  chunk({}, 'stop'),
  inData({ id: 'c', object: 'chat.completion.chunk', choices: [], usage }),
  'data: [DONE]\n\n',
];
const messageStream = (pieces: readonly string[]) => [
  named({
    type: 'message_start',
    message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 10 } },
  } as never),
  named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as never),
  ...pieces.map((text) =>
    named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } } as never),
  ),
  named({ type: 'content_block_stop', index: 0 } as never),
  named({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } } as never),
  named({ type: 'message_stop' }),
];
const geminiStream = (pieces: readonly string[]) => [
  ...pieces.map((text) => inData({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }] })),
  inData({
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  }),
];
const responsesStream = (pieces: readonly string[]) => {
  const item = {
    id: 'i',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: pieces.join('') }],
  };
  const of = { item_id: 'i', output_index: 0, content_index: 0 };
  return [
    named({ type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } } as never),
    ...pieces.map((delta) => named({ type: 'response.output_text.delta', ...of, delta } as never)),
    named({ type: 'response.output_text.done', ...of, text: pieces.join('') } as never),
    named({
      type: 'response.completed',
      response: {
        id: 'r',
        status: 'completed',
        output: [item],
        usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
      },
    } as never),
  ];
};

onOneDatabase('guardrails of calls', (make) => {
  const hub = hubForSuite(make);
  const upstream = rawUpstreamForSuite();
  const service = rawUpstreamForSuite();
  let who: TestCaller;
  beforeAll(async () => {
    await addChannel(hub(), upstream().url, { models: 'gpt-4o,whisper-1' });
    await addChannel(hub(), upstream().url, { type: 14, models: 'claude-sonnet-4-6' });
    await addChannel(hub(), upstream().url, { type: 25, models: 'gemini-2.5-flash' });
    who = await addCaller(hub().server.deps.db);
  });
  afterEach(async () => {
    const { data } = await hub().root.call(guardApi.list, { query: { size: 100 } });
    for (const { id } of data) await hub().root.call(guardApi.remove, { params: { id } });
    upstream().requests.length = 0;
  });

  const addRule = (more: Partial<NewRule>) =>
    hub().root.call(guardApi.create, {
      body: { name: 'Addresses', action: 'mask', requests: false, answers: false, kinds: ['email'], ...more },
    });
  const sent = () => upstream().requests.at(-1)?.body.toString() ?? '';
  const lastRow = async (of: TestCaller = who) => (await rowsOf(hub().server.deps.db, of)).at(-1)!;
  const refusedRows = () =>
    hub()
      .server.deps.db.selectFrom('refusals')
      .where('user_id', '=', who.userId)
      .select(['reason', 'status', 'message'])
      .execute();
  const answerJson = (content: string) => ({
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage,
  });

  const said = 'Write to a.person@example.org and b@example.org, please';
  const masked = 'Write to •••• and ••••, please';

  test.each<[path: string, body: object]>([
    ['/v1/chat/completions', { model: 'gpt-4o', messages: [{ role: 'user', content: said }] }],
    ['/v1/responses', { model: 'gpt-4o', input: said, store: false }],
    ['/v1/messages', { model: 'claude-sonnet-4-6', max_tokens: 9, messages: [{ role: 'user', content: said }] }],
    ['/v1/chat/completions', { model: 'claude-sonnet-4-6', messages: [{ role: 'user', content: said }] }],
    [
      '/gemini/v1beta/models/gemini-2.5-flash:generateContent',
      { contents: [{ role: 'user', parts: [{ text: said }] }] },
    ],
  ])('a request to %s reaches its provider masked, and its row says so: %j', async (path, body) => {
    await addRule({ requests: true });
    upstream().reply = (response) => sendJson(response, { error: { message: 'enough' } }, 400);
    await post(hub(), who.key, body, path, { headers: { 'x-goog-api-key': who.key } });
    expect(sent()).toContain(masked);
    expect(sent()).not.toContain('example.org');
    expect((await lastRow()).metadata?.guard).toEqual([{ rule: 'Addresses', action: 'mask', at: 'request', count: 2 }]);
  });

  test('a form reaches its provider with its texts masked', async () => {
    await addRule({ requests: true });
    upstream().reply = (response) => sendJson(response, { text: 'hi' });
    const form = new FormData();
    form.set('model', 'whisper-1');
    form.set('prompt', said);
    form.set('file', new Blob(['RIFF a@b.example']), 'a.wav');
    const reply = await fetch(`${hub().url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${who.key}` },
      body: form,
    });
    expect(reply.status).toBe(200);
    expect(sent()).toContain(masked);
    expect(sent(), 'files are not read').toContain('RIFF a@b.example');
  });

  test.each<[path: string, body: object, told: object]>([
    [
      '/v1/chat/completions',
      { model: 'gpt-4o', messages: [{ role: 'user', content: said }] },
      { error: { code: 'guard_refused' } },
    ],
    [
      '/claude/v1/messages',
      { model: 'claude-sonnet-4-6', max_tokens: 9, messages: [{ role: 'user', content: said }] },
      { type: 'error', error: { type: 'invalid_request_error' } },
    ],
    [
      '/gemini/v1beta/models/gemini-2.5-flash:generateContent',
      { contents: [{ role: 'user', parts: [{ text: said }] }] },
      { error: { code: 400, status: 'INVALID_ARGUMENT' } },
    ],
  ])(
    'a request to %s is refused in its own form, names the rule, costs nothing and leaves a trace',
    async (path, body, told) => {
      await addRule({ requests: true, action: 'refuse' });
      const before = await rowsOf(hub().server.deps.db, who);
      const { status, text } = await post(hub(), who.key, body, path, {
        headers: { 'x-goog-api-key': who.key, 'x-api-key': who.key },
      });
      expect(status).toBe(400);
      expect(JSON.parse(text)).toMatchObject(told);
      expect(text).toContain('Addresses');
      expect(text).not.toContain('example.org');
      expect(upstream().requests).toEqual([]);
      expect(await rowsOf(hub().server.deps.db, who)).toEqual(before);
      await expect
        .poll(refusedRows, { message: 'row of the refused call' })
        .toContainEqual(expect.objectContaining({ reason: 'guard_refused', status: 400 }));
    },
  );

  test('a rule is for its groups and API keys, and others pass as they are', async () => {
    const other = await addCaller(hub().server.deps.db);
    upstream().reply = (response) => sendJson(response, answerJson('hi'));
    const ask = async (from: TestCaller) => {
      await post(hub(), from.key, { ...hello, messages: [{ role: 'user', content: said }] });
      return sent().includes('••••');
    };
    await addRule({ name: 'tokens', requests: true, token_ids: [who.tokenId] });
    expect([await ask(who), await ask(other)]).toEqual([true, false]);
    await addRule({ name: 'groups', requests: true, groups: ['vip'] });
    expect(await ask(other)).toBe(false);
    await addRule({ name: 'everyone', requests: true, groups: ['default'] });
    expect(await ask(other)).toBe(true);
  });

  test('what nothing is found in keeps its bytes, in requests, answers and streams', async () => {
    await addRule({ requests: true, answers: true });
    const body = `{ "model":"gpt-4o",  "seed": 12345678901234567890,"messages":[{"role":"user","content":"h\\u0065llo"}] }`;
    const answer = `{"choices": [ {"index":0,"message":{"role":"assistant","content":"h\\u0069"},"finish_reason":"stop"}],"n":12345678901234567890,"usage":${JSON.stringify(usage)}}`;
    upstream().reply = (response) => sendJson(response, answer);
    expect((await post(hub(), who.key, body)).text).toBe(answer);
    expect(sent()).toBe(body);
    const pieces = chatStream(inPieces('Nothing is hidden here.'));
    upstream().reply = (response) => sendStream(response, pieces);
    const streamed = await post(hub(), who.key, { ...hello, stream: true, stream_options: { include_usage: true } });
    expect(streamed.text).toBe(pieces.join(''));
    expect((await lastRow()).metadata).not.toHaveProperty('guard');
  });

  test('an answer in one piece is masked or refused; a refused one is charged', async () => {
    const { id } = await addRule({ answers: true });
    upstream().reply = (response) => sendJson(response, answerJson(said));
    const reply = await post(hub(), who.key, hello);
    expect(JSON.parse(reply.text)).toMatchObject({ choices: [{ message: { content: masked } }] });
    expect((await lastRow()).metadata?.guard).toEqual([{ rule: 'Addresses', action: 'mask', at: 'answer', count: 2 }]);

    await hub().root.call(guardApi.update, {
      body: { id, name: 'Addresses', action: 'refuse', requests: false, answers: true, kinds: ['email'] },
    });
    const refused = await post(hub(), who.key, hello);
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.text)).toMatchObject({ error: { code: 'guard_refused', type: 'invalid_request_error' } });
    expect(refused.text).not.toContain('example.org');
    const row = await lastRow();
    expect(row).toMatchObject({
      completion_tokens: 5,
      metadata: {
        outcome: 'answered',
        finish_reason: 'content_filter',
        status: 400,
        error: 'guard_refused',
        guard: [{ rule: 'Addresses', action: 'refuse', at: 'answer', count: 1 }],
      },
    });
    expect(row.quota).toBeGreaterThan(0);
    await expectBooksBalance(hub().server.deps.db);
  });

  const textOf = (events: string, pick: (json: never) => string | undefined) =>
    events
      .split(/\n/)
      .filter((line) => line.startsWith('data: {'))
      .map((line) => pick(JSON.parse(line.slice(6)) as never) ?? '')
      .join('');

  test.each<[path: string, body: object, stream: string[], pick: (json: never) => string | undefined]>([
    [
      '/v1/chat/completions',
      { ...hello, stream: true },
      chatStream(inPieces(said)),
      (json: { choices: { delta?: { content?: string } }[] }) => json.choices[0]?.delta?.content,
    ],
    [
      '/claude/v1/messages',
      { model: 'claude-sonnet-4-6', max_tokens: 9, messages: hello.messages, stream: true },
      messageStream(inPieces(said)),
      (json: { delta?: { text?: string } }) => json.delta?.text,
    ],
    [
      '/v1/chat/completions',
      { ...hello, model: 'claude-sonnet-4-6', stream: true },
      messageStream(inPieces(said)),
      (json: { choices: { delta?: { content?: string } }[] }) => json.choices[0]?.delta?.content,
    ],
    [
      '/gemini/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
      { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
      geminiStream(inPieces(said)),
      (json: { candidates?: { content: { parts: { text: string }[] } }[] }) =>
        json.candidates?.[0]?.content.parts[0]?.text,
    ],
    [
      '/v1/responses',
      { model: 'gpt-4o', input: 'hi', stream: true, store: false },
      responsesStream(inPieces(said)),
      (json: { delta?: string }) => json.delta,
    ],
  ])('a stream of %s is masked across its events: %j', async (path, body, stream, pick) => {
    await addRule({ answers: true });
    upstream().reply = (response) => sendStream(response, stream);
    const { status, text } = await post(hub(), who.key, body, path, {
      headers: { 'x-goog-api-key': who.key, 'x-api-key': who.key },
    });
    expect(status).toBe(200);
    expect(textOf(text, pick)).toBe(masked);
    expect(text).not.toContain('example.org');
    expect((await lastRow()).metadata).toMatchObject({
      outcome: 'answered',
      usage_source: 'upstream',
      guard: [{ rule: 'Addresses', action: 'mask', at: 'answer', count: 2 }],
    });
  });

  test('a stream as a JSON list is masked across its items', async () => {
    await addRule({ answers: true });
    upstream().reply = (response) => sendStream(response, geminiStream(inPieces(said)));
    const { text } = await post(
      hub(),
      who.key,
      { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
      '/gemini/v1beta/models/gemini-2.5-flash:streamGenerateContent',
      { headers: { 'x-goog-api-key': who.key } },
    );
    const items = JSON.parse(text) as { candidates: { content: { parts: { text: string }[] } }[] }[];
    expect(items.map(({ candidates }) => candidates[0]?.content.parts[0]?.text).join('')).toBe(masked);
  });

  test('texts of several choices do not mix, and a match does not span two of them', async () => {
    await addRule({ answers: true });
    const stream = [
      ...Array.from('a@b.example x').flatMap((letter, at) => [
        chunk({ content: letter }),
        chunk({ content: 'c@d.example y'[at] }, null, 1),
      ]),
      chunk({}, 'stop'),
      chunk({}, 'stop', 1),
      'data: [DONE]\n\n',
    ];
    upstream().reply = (response) => sendStream(response, stream);
    const { text } = await post(hub(), who.key, { ...hello, n: 2, stream: true });
    const of = (index: number) =>
      textOf(text, ({ choices: [choice] }: { choices: { index: number; delta: { content?: string } }[] }) =>
        choice?.index === index ? choice.delta.content : '',
      );
    expect([of(0), of(1)]).toEqual(['•••• x', '•••• y']);
  });

  test.each<[path: string, body: object, stream: (pieces: string[]) => string[], told: RegExp]>([
    ['/v1/chat/completions', { ...hello, stream: true }, chatStream, /"code":"guard_refused"/],
    [
      '/claude/v1/messages',
      { model: 'claude-sonnet-4-6', max_tokens: 9, messages: hello.messages, stream: true },
      messageStream,
      /event: error\ndata: .*invalid_request_error/,
    ],
  ])('a stream of %s that has begun ends with an error before what is forbidden', async (path, body, stream, told) => {
    await addRule({ answers: true, action: 'refuse' });
    const open = [
      'Fine words first. ',
      'Then ',
      'a@b.',
      'example ',
      ...inPieces('and much more after it. '.repeat(20)),
    ];
    upstream().reply = (response) => sendStream(response, stream(open));
    const { status, text } = await post(hub(), who.key, body, path, { headers: { 'x-api-key': who.key } });
    expect(status).toBe(200);
    expect(text).toContain('Fine words first.');
    expect(text).toMatch(told);
    for (const never of ['example', 'and much', '[DONE]', 'message_stop']) expect(text).not.toContain(never);
    const row = await lastRow();
    expect(row.metadata).toMatchObject({
      outcome: 'answered',
      finish_reason: 'content_filter',
      guard: [{ rule: 'Addresses', action: 'refuse', at: 'answer', count: 1 }],
    });
    expect(row.quota).toBeGreaterThan(0);
    await expectBooksBalance(hub().server.deps.db);
  });

  test('a stream whose first words are forbidden is refused with a status', async () => {
    await addRule({ answers: true, action: 'refuse' });
    upstream().reply = (response) =>
      sendStream(response, [chunk({ content: said }), chunk({}, 'stop'), 'data: [DONE]\n\n']);
    const { status, text } = await post(hub(), who.key, { ...hello, stream: true });
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'guard_refused' } });
  });

  test.each<[reply: object | number, stream: boolean, told: RegExp, mark: object | undefined]>([
    [{ action: 'pass' }, false, /Fine words/, undefined],
    [{ action: 'pass' }, true, /^Fine words$/, undefined],
    [{ action: 'mask', texts: ['gentle words'] }, false, /gentle words/, { action: 'mask', count: 1 }],
    [{ action: 'mask', texts: ['gentle words'] }, true, /gentle words/, { action: 'mask', count: 1 }],
    [{ action: 'refuse' }, false, /guard_refused/, { action: 'refuse', count: 1 }],
    [{ action: 'refuse' }, true, /guard_refused/, { action: 'refuse', count: 1 }],
    [{ action: 'mask', texts: [] }, false, /Fine words/, { action: 'unchecked', count: 1 }],
    [{ action: 'whatever' }, true, /^Fine words$/, { action: 'unchecked', count: 1 }],
    [500, false, /Fine words/, { action: 'unchecked', count: 1 }],
  ])('a service that answers %j decides about an answer, streamed: %s', async (reply, stream, told, mark) => {
    await addRule({ name: 'Service', answers: true, kinds: [], hook: { url: `${service().url}/check` } });
    service().reply = (response) =>
      typeof reply === 'number' ? sendJson(response, {}, reply) : sendJson(response, reply);
    upstream().reply = (response) =>
      stream
        ? sendStream(response, chatStream(['Fi', 'ne', ' words']))
        : sendJson(response, { ...answerJson('Fine words'), id: 'c' });
    const { text } = await post(hub(), who.key, { ...hello, stream });
    const content = text.startsWith('data:')
      ? textOf(text, ({ choices: [choice] }: { choices: { delta?: { content?: string } }[] }) => choice?.delta?.content)
      : text;
    expect(content).toMatch(told);
    if (!told.test('Fine words')) expect(content).not.toContain('Fine');
    const asked = JSON.parse(service().requests.at(-1)?.body.toString() ?? '') as { texts: string[] };
    expect(asked).toMatchObject({
      type: 'guard.check',
      rule: 'Service',
      at: 'answer',
      model: 'gpt-4o',
      user_id: who.userId,
    });
    expect(asked.texts).toContain('Fine words');
    const { metadata } = await lastRow();
    expect(metadata?.guard).toEqual(mark && [{ rule: 'Service', at: 'answer', ...mark }]);
  });

  test('a service decides about a request, after patterns have masked it; its failure can refuse the call', async () => {
    const hook = { url: `${service().url}/check`, on_failure: 'refuse' as const };
    await addRule({ name: 'Service', requests: true, hook });
    upstream().reply = (response) => sendJson(response, answerJson('hi'));
    service().reply = (response, body) => {
      const { texts } = JSON.parse(body.toString()) as { texts: string[] };
      sendJson(response, { action: 'mask', texts: texts.map((text) => text.replace('please', 'now')) });
    };
    const body = { ...hello, messages: [{ role: 'user', content: said }] };
    expect((await post(hub(), who.key, body)).status).toBe(200);
    expect(service().requests.at(-1)?.body.toString()).not.toContain('example.org');
    expect(sent()).toContain(masked.replace('please', 'now'));
    upstream().requests.length = 0;
    service().reply = (response) => sendJson(response, {}, 500);
    const { status, text } = await post(hub(), who.key, body);
    expect(status).toBe(503);
    expect(text).toContain('guard_unavailable');
    expect(upstream().requests).toEqual([]);
  });

  test('a cached answer is for callers with the same rules', async () => {
    const { db } = hub().server.deps;
    const other = await addCaller(db);
    for (const { tokenId } of [who, other])
      await db.updateTable('tokens').set({ enable_cache: true }).where('id', '=', tokenId).execute();
    await hub().server.deps.live.changed('callers');
    await setOptions(hub().root, { ReplyCacheEnabled: 'true', ReplyCacheScope: 'site' });
    upstream().reply = (response) => sendJson(response, answerJson(said));
    const ask = (from: TestCaller) => post(hub(), from.key, { ...hello, temperature: 0 });
    expect((await ask(other)).text).toContain('example.org');
    await addRule({ answers: true, token_ids: [who.tokenId] });
    for (const cached of ['miss', 'hit']) {
      const { text, headers } = await ask(who);
      expect(headers.get('x-relay-cache')).toBe(cached);
      expect(text).toContain('••••');
    }
    await setOptions(hub().root, { ReplyCacheEnabled: 'false' });
  });
});

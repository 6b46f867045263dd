import Anthropic from '@anthropic-ai/sdk';
import { channelApi, priceApi } from '@relay-hub/contract';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { type EmptyDatabase, onOneDatabase } from '#testing/databases.ts';
import { addChannel, startHub, type TestHub, upstreamForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite } from '#testing/network/raw-upstream.ts';
import { clientOf, hello } from '#testing/relay-calls.ts';
import { roundTrip } from '#testing/until.ts';

const ROUND_MS = 5_000;
const events = { 'content-type': 'text/event-stream' };
const chunk = (content: string, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'gpt-4o', choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;

onOneDatabase('a stream in which nothing comes', (make) => {
  const upstream = rawUpstreamForSuite();
  const second = upstreamForSuite();
  let database: EmptyDatabase;
  let hub: TestHub;
  let who: TestCaller;
  let ids: number[] = [];

  /** Heartbeat rounds, triggered by hand. */
  const beat = (rounds: number) => vi.advanceTimersByTime(rounds * ROUND_MS);

  afterAll(() => void vi.useRealTimers());
  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    database = await make();
    hub = await startHub(database);
  }, 60_000);
  afterAll(async () => {
    await hub?.close();
    await database?.remove();
  });
  beforeEach(async () => {
    who = await addCaller(hub.server.deps.db);
  });
  afterEach(async () => {
    for (const id of ids) await hub.root.call(channelApi.remove, { params: { id } });
    ids = [];
    expect(hub.server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(hub.server.deps.db);
  });

  const stream = (path = '/v1/chat/completions', body: object = { ...hello, stream: true }) =>
    fetch(hub.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${who.key}` },
      body: JSON.stringify(body),
    });
  const add = async (more: object = {}) => void ids.push(await addChannel(hub, upstream().url, more));

  /** Data from the upstream has arrived. */
  const arrived = () => roundTrip(hub);

  test('is kept alive after fifteen seconds, before the first token and between two, and stays readable', async () => {
    await add();
    upstream().reply = async (response) => {
      response.writeHead(200, events).flushHeaders();
      await arrived();
      beat(2);
      await arrived();
      beat(1);
      response.write(chunk('Hel'));
      await arrived();
      beat(3);
      response.write(chunk('lo').slice(0, 20));
      await arrived();
      beat(3);
      response.write(chunk('lo').slice(20));
      response.end(`${chunk('', 'stop')}data: [DONE]\n\n`);
    };
    const text = await (await stream()).text();
    expect(text.match(/^: keep-alive$/gm)).toHaveLength(3);
    expect(text.replaceAll(': keep-alive\n\n', '')).toBe(
      `${chunk('Hel')}${chunk('lo')}${chunk('', 'stop')}data: [DONE]\n\n`,
    );
    let said = '';
    for await (const one of await clientOf(hub, who.key).chat.completions.create({ ...hello, stream: true }))
      said += one.choices[0]?.delta.content ?? '';
    expect(said).toBe('Hello');
    expect(await rowsOf(hub.server.deps.db, who)).toMatchObject([{ failed: false }, { failed: false }]);
  });

  test('has the form of the caller’s dialect for Anthropic', async () => {
    await add();
    upstream().reply = async (response) => {
      response.writeHead(200, events).flushHeaders();
      await arrived();
      beat(3);
      response.write(chunk('Hel'));
      await arrived();
      beat(3);
      response.end(`${chunk('lo', 'stop')}data: [DONE]\n\n`);
    };
    const body = { ...hello, max_tokens: 9, stream: true };
    expect((await (await stream('/v1/messages', body)).text()).match(/^event: ping$/gm)!.length).toBeGreaterThan(1);
    const client = new Anthropic({ apiKey: who.key, baseURL: hub.url, maxRetries: 0 });
    const message = await client.messages
      .stream({ model: 'gpt-4o', max_tokens: 9, messages: hello.messages })
      .finalMessage();
    expect(message.content).toMatchObject([{ type: 'text', text: 'Hello' }]);
  });

  test('puts white space into a JSON list of Gemini’s, before its first element and between two', async () => {
    const said = (text: string, more: object = {}) => ({
      candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, ...more }],
    });
    const gemini = [said('Hel'), said('lo', { finishReason: 'STOP' })].map(
      (one) => `data: ${JSON.stringify(one)}\r\n\r\n`,
    );
    for (const [type, pieces] of [
      [25, gemini],
      [8, [chunk('Hel'), `${chunk('lo', 'stop')}data: [DONE]\n\n`]],
    ] as const) {
      await add({ type, models: `list-${type}`, model_mapping: `{"list-${type}":"+gpt-4o"}` });
      await hub.root.call(priceApi.create, {
        body: { model: `list-${type}`, type: 'tokens', channel_type: 1, input: 1, output: 1 },
      });
      upstream().reply = async (response) => {
        response.writeHead(200, events).flushHeaders();
        for (const piece of pieces) {
          await arrived();
          beat(3);
          response.write(piece);
        }
        await arrived();
        beat(3);
        response.end();
      };
      const body = { contents: [{ parts: [{ text: 'hello' }] }] };
      const text = await (await stream(`/gemini/v1beta/models/list-${type}:streamGenerateContent`, body)).text();
      expect(text).toMatch(/^\n\[\{[^]*\}\n,\r\n\{[^]*\}\n(?:,\r\n\{[^]*\})?\]$/);
      const list = JSON.parse(text) as ReturnType<typeof said>[];
      expect(list.map(({ candidates }) => candidates[0]!.content.parts[0]!.text).join('')).toBe('Hello');
    }
  });

  test('waits for the upstream’s head, so that another channel can still be asked', async () => {
    await add({ priority: 9 });
    ids.push(await addChannel(hub, second().url));
    upstream().reply = async (response) => {
      await arrived();
      beat(9);
      response.writeHead(500).end();
    };
    const answer = await stream();
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(text).not.toContain('keep-alive');
    expect(text).toContain('[DONE]');
    expect((await rowsOf(hub.server.deps.db, who))[0]?.metadata?.attempts).toHaveLength(2);
  });

  test('follows what came before any content, which waited for it', async () => {
    await add();
    const role = chunk('').replace('"delta":{"content":""}', '"delta":{"role":"assistant"}');
    upstream().reply = async (response) => {
      response.writeHead(200, events).write(role);
      await arrived();
      beat(3);
      await arrived();
      response.end(`${chunk('Hello')}${chunk('', 'stop')}data: [DONE]\n\n`);
    };
    expect(await (await stream()).text()).toBe(
      `${role}: keep-alive\n\n${chunk('Hello')}${chunk('', 'stop')}data: [DONE]\n\n`,
    );
  });

  test('is not waited for where more than a megabyte has come before any content', async () => {
    await add({ first_token_timeout: 60 });
    const comment = `: ${'x'.repeat(10_000)}\n\n`;
    let begun: (() => void) | undefined;
    const headed = new Promise<void>((resolve) => (begun = resolve));
    upstream().reply = async (response) => {
      response.writeHead(200, events);
      for (let i = 0; i < 110; i++) response.write(comment);
      await headed;
      response.end(`${chunk('Hello', 'stop')}data: [DONE]\n\n`);
    };
    const answer = await stream();
    begun?.();
    expect((await answer.text()).length).toBeGreaterThan(1024 * 1024);
  });

  test('waits for the first token where the channel has a time for it', async () => {
    await add({ priority: 9, first_token_timeout: 1 });
    ids.push(await addChannel(hub, second().url));
    upstream().reply = async (response) => {
      response.writeHead(200, events).flushHeaders();
      await arrived();
      beat(9);
    };
    const text = await (await stream()).text();
    expect(text).not.toContain('keep-alive');
    expect(text).toContain('[DONE]');
  });

  test('that breaks after a heartbeat ends in an error event, and costs nothing', async () => {
    await add();
    upstream().reply = async (response) => {
      response.writeHead(200, events).flushHeaders();
      await arrived();
      beat(3);
      await arrived();
      response.socket?.destroy();
    };
    const text = await (await stream()).text();
    expect(text).toContain('keep-alive');
    expect(text).toContain('stream_broken');
    expect(text).not.toContain('[DONE]');
    expect(await rowsOf(hub.server.deps.db, who)).toMatchObject([{ quota: 0, failed: true }]);
  });
});

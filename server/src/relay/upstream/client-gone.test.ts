import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller, userOf } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, startHub, upstreamForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';
import { hello } from '#testing/relay-calls.ts';
import { roundTrip, untilStill } from '#testing/until.ts';

const usage = { prompt_tokens: 1000, completion_tokens: 1000 };
/** 1000 × 1 + 1000 × 4 */
const COST = 5000;

/** A call that its caller can leave. */
function open(
  hub: { url: string },
  { key }: TestCaller,
  body: object,
): { outgoing: ClientRequest; answer: Promise<IncomingMessage> } {
  const outgoing = request({
    port: new URL(hub.url).port,
    path: '/v1/chat/completions',
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
  });
  outgoing.on('error', () => {});
  outgoing.end(JSON.stringify(body));
  const answer = new Promise<IncomingMessage>((resolve) => {
    outgoing.on('response', (response) => {
      response.on('error', () => {});
      resolve(response);
    });
  });
  return { outgoing, answer };
}

onOneDatabase('client gone', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const raw = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;

  beforeAll(async () => {
    await addChannel(hub(), upstream().url);
    await addChannel(hub(), raw().url, { models: 'gpt-4.1' });
  });
  afterEach(async () => {
    expect(hub().server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(db());
  });

  /** The one row of a caller who left, once it is written. */
  async function rowOf(who: TestCaller) {
    await expect.poll(() => rowsOf(db(), who), { message: 'rows of the caller' }).toHaveLength(1);
    return (await rowsOf(db(), who))[0]!;
  }
  const asking = (prompt: string, stream: boolean) => ({
    ...hello,
    model: 'gpt-4.1',
    stream,
    messages: [{ role: 'user', content: prompt }],
  });
  const hi = `data: {"choices":[{"delta":{"content":"hi"}}]}\n\n`;
  const stop = `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n`;
  const end = `data: {"choices":[],"usage":${JSON.stringify(usage)}}\n\ndata: [DONE]\n\n`;
  const streamed = { 'content-type': 'text/event-stream' };

  test.each<[string, boolean, (response: ServerResponse, gone: Promise<void>) => Promise<unknown>]>([
    [
      'before the head of a stream',
      true,
      async (response, gone) => (await gone, sendStream(response, [hi, stop, end])),
    ],
    [
      'between the head and the first byte',
      true,
      async (response, gone) => {
        response.writeHead(200, streamed).flushHeaders();
        await gone;
        response.end(hi + stop + end);
      },
    ],
    [
      'in the middle of a stream',
      true,
      async (response, gone) => {
        response.writeHead(200, streamed).write(hi);
        await gone;
        response.end(hi + stop + end);
      },
    ],
    [
      'behind the last chunk and before [DONE]',
      true,
      async (response, gone) => {
        response.writeHead(200, streamed).write(hi + stop);
        await gone;
        response.end(end);
      },
    ],
    [
      'during a call that is not streamed',
      false,
      async (response, gone) => {
        await gone;
        sendJson(response, { choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }], usage });
      },
    ],
  ])('%s: the upstream is read to its end and the call is charged once', async (name, stream, reply) => {
    const who = await addCaller(db());
    const { promise: gone, resolve: left } = Promise.withResolvers<void>();
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    raw().reply = async (response) => {
      const sent = reply(response, gone);
      ask();
      await sent;
    };
    const calls = vi.spyOn(hub().server.deps.connections, 'asks');
    const { outgoing, answer } = open(hub(), who, asking(name, stream));
    await asked;
    const writes = / (middle|last) /.test(name);
    if (writes) await new Promise((resolve) => void answer.then((response) => response.once('data', resolve)));
    const [, response] = calls.mock.calls.find(([{ url }]) => url === '/v1/chat/completions')!;
    calls.mockRestore();
    const noticed = once(response, 'close');
    outgoing.destroy();
    await noticed;
    left();
    expect(await rowOf(who)).toMatchObject({
      quota: COST,
      failed: false,
      metadata: { outcome: 'client_gone', usage_source: 'upstream', finish_reason: 'stop' },
    });
    expect(await userOf(db(), who)).toEqual({ balance: 1_000_000 - COST, used_quota: COST, request_count: 1 });
  });

  test('a caller who reads nothing and leaves does not keep the upstream waiting', async () => {
    const who = await addCaller(db());
    // Many bytes, but no more output than the model has: beyond that, nothing is read.
    const chunk = `data: {"choices":[{"delta":{"content":"z"}}],"padding":"${'z'.repeat(10_000)}"}\n\n`;
    let sending: ServerResponse | undefined;
    raw().reply = (response) => {
      sending = response;
      return sendStream(response, [
        ...Array.from({ length: 1500 }, () => chunk),
        `data: {"choices":[],"usage":${JSON.stringify(usage)}}\n\ndata: [DONE]\n\n`,
      ]);
    };
    const { outgoing, answer } = open(hub(), who, asking('paused', true));
    (await answer).pause();
    await untilStill('the upstream has to wait', () => sending?.socket?.bytesWritten ?? Number.NaN);
    outgoing.destroy();
    expect(await rowOf(who)).toMatchObject({
      prompt_tokens: 1000,
      metadata: { outcome: 'client_gone', usage_source: 'upstream' },
    });
  });

  test('and the upstream breaks off after that', async () => {
    const who = await addCaller(db());
    upstream().next({ fault: 'cutMidChunk', faultAt: 5, chunkMs: 20 });
    const { outgoing, answer } = open(hub(), who, { ...asking('both', true), model: hello.model });
    const response = await answer;
    await new Promise((resolve) => response.once('data', resolve));
    outgoing.destroy();
    expect(await rowOf(who)).toMatchObject({ failed: true, metadata: { outcome: 'broken', usage_source: 'estimate' } });
  });

  test('a stop waits for calls, but not for a caller who never sends the rest of a request', async () => {
    const database = await make();
    const own = await startHub(database);
    const who = await addCaller(own.server.deps.db);
    const outgoing = request({
      port: new URL(own.url).port,
      path: '/v1/chat/completions',
      method: 'POST',
      headers: { authorization: `Bearer ${who.key}`, 'content-length': 1000 },
    });
    const closed = new Promise((resolve) => outgoing.on('error', resolve));
    await new Promise((resolve) => outgoing.write('{"model":', resolve));
    await roundTrip(own);
    await own.server.close(100);
    await closed;
    await database.remove();
  });
});

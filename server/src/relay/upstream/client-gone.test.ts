import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller, userOf } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, startHub, upstreamForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendStream } from '#testing/network/raw-upstream.ts';
import { hello } from '#testing/relay-calls.ts';
import { roundTrip, untilStill } from '#testing/until.ts';

const usage = { prompt_tokens: 1000, completion_tokens: 1000 };
/** 1000 × 1.25 + 1000 × 5 */
const COST = 6250;

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
  const sentFor = (prompt: string) => upstream().requests.waitFor((one) => one.body.includes(prompt));
  const asking = (prompt: string, stream: boolean) => ({
    ...hello,
    stream,
    messages: [{ role: 'user', content: prompt }],
  });

  test.each([
    ['before the head of a stream', 'early', true, { delayMs: 100 }],
    ['between the head and the first byte', 'first', true, { firstTokenMs: 100 }],
    ['during a call that is not streamed', 'slow', false, { delayMs: 100 }],
  ])('%s: the upstream is read to its end and the call is charged once', async (_, prompt, stream, behaviour) => {
    const who = await addCaller(db());
    upstream().next({ ...behaviour, usage });
    const { outgoing } = open(hub(), who, asking(prompt, stream));
    const sent = await sentFor(prompt);
    outgoing.destroy();
    expect(await rowOf(who)).toMatchObject({
      quota: COST,
      failed: false,
      metadata: { outcome: 'client_gone', usage_source: 'upstream' },
    });
    expect(sent.outcome).toBe('answered');
    expect(await userOf(db(), who)).toEqual({ balance: 1_000_000 - COST, used_quota: COST, request_count: 1 });
  });

  test('in the middle of a stream', async () => {
    const who = await addCaller(db());
    upstream().next({ chunks: 20, chunkMs: 10, usage });
    const { outgoing, answer } = open(hub(), who, asking('middle', true));
    const response = await answer;
    await new Promise((resolve) => response.once('data', resolve));
    outgoing.destroy();
    expect(await rowOf(who)).toMatchObject({
      quota: COST,
      metadata: { outcome: 'client_gone', finish_reason: 'stop' },
    });
    expect((await sentFor('middle')).outcome).toBe('answered');
  });

  test('behind the last chunk and before [DONE]', async () => {
    const who = await addCaller(db());
    let left: () => void = () => {};
    const gone = new Promise<void>((resolve) => (left = resolve));
    raw().reply = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\n`);
      await gone;
      response.end(`data: {"choices":[],"usage":${JSON.stringify(usage)}}\n\ndata: [DONE]\n\n`);
    };
    const { outgoing, answer } = open(hub(), who, { ...asking('last', true), model: 'gpt-4.1' });
    const response = await answer;
    await new Promise((resolve) => response.once('data', resolve));
    outgoing.destroy();
    await new Promise((resolve) => outgoing.once('close', resolve));
    // The other end notices within a turn or two; both orders are right for the ledger.
    for (let i = 0; i < 20; i++) await new Promise(setImmediate);
    left();
    const row = await rowOf(who);
    expect(row).toMatchObject({ prompt_tokens: 1000, completion_tokens: 1000, metadata: { usage_source: 'upstream' } });
    expect(['client_gone', 'answered']).toContain(row.metadata?.outcome);
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
    const { outgoing, answer } = open(hub(), who, { ...asking('paused', true), model: 'gpt-4.1' });
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
    const { outgoing, answer } = open(hub(), who, asking('both', true));
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

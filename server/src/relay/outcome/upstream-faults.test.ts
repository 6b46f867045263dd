import { channelApi } from '@relay-hub/contract';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller, userOf } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendStream } from '#testing/network/raw-upstream.ts';
import { clientOf, errorOf, hello, post } from '#testing/relay-calls.ts';
import type { Behaviour } from '#upstream-simulator/behaviour.ts';

const KEY = 'sk-upstream-key-0001';
const streamed = { ...hello, stream: true };

onOneDatabase('upstream faults', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const raw = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;
  let channelId = 0;

  beforeAll(async () => {
    channelId = await addChannel(hub(), upstream().url);
    await addChannel(hub(), raw().url, { models: 'gpt-4.1,text-embedding-3-large' });
    await addChannel(hub(), 'http://127.0.0.1:1', { models: 'gpt-4.1-mini' });
  });
  afterEach(async () => {
    expect(hub().server.deps.book.openCalls).toBe(0);
    // Faults of one test must not count against the channel in the next.
    for (let id = 1; id <= 3; id++) hub().server.deps.live.health.forget(id);
    await expectBooksBalance(db());
  });

  const lastRow = async (who: TestCaller) => (await rowsOf(db(), who)).at(-1)!;

  /** A failed call: refused, on record, and free. */
  async function failed(behaviour: Behaviour, body: object, status: number, error: object, attempt: object) {
    const who = await addCaller(db());
    upstream().next(behaviour);
    const answer = await post(hub(), who.key, body);
    expect(answer.status).toBe(status);
    const told = errorOf(answer);
    expect(told).toMatchObject(error);
    expect(answer.text).not.toContain('DONE');
    expect(await userOf(db(), who)).toEqual({ balance: 1_000_000, used_quota: 0, request_count: 1 });
    expect(await rowsOf(db(), who)).toMatchObject([
      {
        quota: 0,
        failed: true,
        prompt_tokens: 0,
        completion_tokens: 0,
        channel_id: channelId,
        metadata: { outcome: 'failed', status, error: told.code, attempts: [attempt] },
      },
    ]);
    return { answer, told, row: await lastRow(who) };
  }

  describe.each([
    ['whole', hello],
    ['as a stream', streamed],
  ])('asked for %s', (_, body) => {
    test('429 is passed on with when to try again', async () => {
      const { answer } = await failed(
        { status: 429, headers: { 'retry-after': '17' } },
        body,
        429,
        { code: 'rate_limit_exceeded', type: 'requests' },
        { status: 429 },
      );
      expect(answer.headers.get('retry-after')).toBe('17');
    });

    test.each([401, 402, 403])('%i concerns the channel, and its key appears nowhere', async (status) => {
      const error = {
        error: {
          message: `Incorrect API key provided: ${KEY} of org-AbCdEfGh12345678. Authorization: Bearer ${KEY}`,
          type: 'invalid_request_error',
          code: 'invalid_api_key',
        },
      };
      const { answer, row } = await failed(
        { status, error },
        body,
        502,
        { code: 'upstream_rejected', type: 'upstream_error' },
        { status },
      );
      const channel = await hub().root.call(channelApi.get, { params: { id: channelId } });
      expect(channel.last_error).toContain(`${status} Incorrect API key provided`);
      for (const text of [answer.text, JSON.stringify(row), JSON.stringify(channel)])
        expect(text).not.toMatch(/upstream-key|org-AbC/);
    });

    test('a call that goes through says that the channel is well again', async () => {
      await failed({ status: 503 }, body, 503, {}, { status: 503 });
      const lastError = async () => (await hub().root.call(channelApi.get, { params: { id: channelId } })).last_error;
      await expect.poll(lastError).toContain('503');
      expect((await post(hub(), (await addCaller(db())).key, body)).status).toBe(200);
      await expect.poll(lastError).toBe('');
    });

    test('an error that holds a key is masked, and not without bound', async () => {
      const error = { error: { message: `bad key ${KEY} ${'x'.repeat(50_000)}` } };
      for (const behaviour of [
        { status: 500, error },
        { fault: 'errorBody200' as const, error },
      ]) {
        const { answer, row } = await failed(behaviour, body, behaviour.fault ? 502 : 500, {}, {});
        expect(answer.text + JSON.stringify(row)).not.toContain('upstream-key');
        expect(answer.text.length).toBeLessThan(2000);
        expect(JSON.stringify(row).length).toBeLessThan(4000);
      }
    });

    test('an address without a listener', async () => {
      const who = await addCaller(db());
      const answer = await post(hub(), who.key, { ...body, model: 'gpt-4.1-mini' });
      expect(answer.status).toBe(502);
      expect(errorOf(answer)).toMatchObject({
        code: 'upstream_unreachable',
        message: expect.stringContaining('refused'),
      });
      expect(answer.text).not.toContain('127.0.0.1');
      expect(await lastRow(who)).toMatchObject({
        quota: 0,
        metadata: { outcome: 'failed', attempts: [{ status: 0, result: 'connect_failed' }] },
      });
    });
  });

  test.each<[Behaviour, object]>([
    [{ fault: 'truncatedJson' }, { result: 'stream_broken' }],
    [{ fault: 'cutMidChunk' }, { result: 'stream_broken' }],
  ])('an answer cut short is none: %j', async (behaviour, attempt) => {
    await failed(behaviour, hello, 502, { code: 'bad_upstream_reply' }, attempt);
    await failed({ ...behaviour, usage: { prompt_tokens: 100, completion_tokens: 100 } }, hello, 502, {}, attempt);
  });

  describe('a stream that breaks', () => {
    test.each<[Behaviour, string]>([
      [{ fault: 'cutMidChunk', faultAt: 4 }, 'stream_broken'],
      [{ fault: 'endWithoutDone', faultAt: 3 }, 'stream_broken'],
      [{ fault: 'errorInStream', faultAt: 3 }, 'error_in_stream'],
      [{ fault: 'cutMidChunk', faultAt: 4, usage: 'eachChunk' }, 'stream_broken'],
    ])('%j ends in an error, never in [DONE]; what was made is charged', async (behaviour, result) => {
      const who = await addCaller(db());
      upstream().next(behaviour);
      const answer = await post(hub(), who.key, streamed);
      expect(answer.status).toBe(200);
      const events = answer.text.split('\n\n').filter((event) => event.trim() !== '');
      const last = JSON.parse(events.at(-1)!.slice(6)) as { error: { message: string; code: string } };
      expect(last.error).toMatchObject({ code: 'stream_broken', message: expect.stringContaining(answer.requestId) });
      expect(answer.text).not.toContain('[DONE]');
      expect(
        events
          .slice(0, -1)
          .map((event) => JSON.parse(event.slice(6)) as object)
          .every((event) => !('error' in event)),
      ).toBe(true);
      const row = await lastRow(who);
      const told = behaviour.usage === 'eachChunk' ? 'upstream' : 'estimate';
      expect(row).toMatchObject({
        failed: true,
        metadata: { outcome: 'broken', usage_source: told, attempts: [{ status: 200, result }] },
      });
      // "Hello! How can I" is about 9 and 4 to 6 tokens.
      expect(row.quota).toBeGreaterThanOrEqual(16);
      expect(row.quota).toBeLessThanOrEqual(45);

      upstream().next(behaviour);
      const client = clientOf(hub(), who.key);
      const read = async () => {
        for await (const _ of await client.chat.completions.create({ ...hello, stream: true }));
      };
      await expect(read()).rejects.toMatchObject({ message: expect.stringContaining('The upstream broke off') });
    });

    test('before its first word it fails, and costs nothing', async () => {
      const who = await addCaller(db());
      for (const pieces of [
        [],
        ['data: {"choices":[{"delta":{"role":"assistant","content":""}}]}\n\n'],
        [`data: {"error":{"message":"no ${KEY}"}}\n\n`],
      ]) {
        raw().reply = (response) => sendStream(response, pieces, 'cut');
        const answer = await post(hub(), who.key, { ...streamed, model: 'gpt-4.1' });
        expect(answer.status).toBe(502);
        expect(answer.text).toContain('stream_broken');
        expect(answer.text).not.toMatch(/DONE|upstream-key/);
        expect(await lastRow(who)).toMatchObject({ quota: 0, failed: true, metadata: { outcome: 'failed' } });
      }
    });

    test('behind a long line that never ended, the error is an event of its own', async () => {
      const who = await addCaller(db());
      raw().reply = (response) =>
        sendStream(response, [`data: {"choices":[{"delta":{"content":"${'y'.repeat(200_000)}`], 'cut');
      const answer = await post(hub(), who.key, { ...streamed, model: 'gpt-4.1' });
      expect(answer.text.split('\n\n').at(-2)).toMatch(/^data: \{"error":/);
      expect(await lastRow(who)).toMatchObject({ metadata: { outcome: 'broken', usage_source: 'estimate' } });
      expect((await lastRow(who)).completion_tokens).toBeGreaterThan(50_000);
    });

    test('an error behind the last word, and [DONE] behind the error, is still an error', async () => {
      const who = await addCaller(db());
      raw().reply = (response) =>
        sendStream(response, [
          'data: {"choices":[{"delta":{"content":"hi"}}]}\n\n',
          'data: {"error":{"message":"late"}}\n\n',
          'data: [DONE]\n\n',
        ]);
      const answer = await post(hub(), who.key, { ...streamed, model: 'gpt-4.1' });
      expect(answer.text).toContain('late');
      expect(answer.text).not.toContain('[DONE]');
      expect(await lastRow(who)).toMatchObject({
        metadata: { outcome: 'broken', attempts: [{ result: 'error_in_stream' }] },
      });
    });

    test('cut behind the finish reason it is broken; ended there it is whole', async () => {
      const who = await addCaller(db());
      upstream().next({ fault: 'cutAfterFinish' });
      expect((await post(hub(), who.key, streamed)).text).toContain('stream_broken');
      expect(await lastRow(who)).toMatchObject({ metadata: { outcome: 'broken', usage_source: 'estimate' } });
      raw().reply = (response) =>
        sendStream(response, ['data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\n']);
      expect((await post(hub(), who.key, { ...streamed, model: 'gpt-4.1' })).text).not.toContain('error');
      expect(await lastRow(who)).toMatchObject({ metadata: { outcome: 'answered', usage_source: 'estimate' } });
    });

    test('[DONE] without a line end is an end', async () => {
      const who = await addCaller(db());
      raw().reply = (response) =>
        sendStream(response, ['data: {"choices":[{"delta":{"content":"hi"}}]}\n\n', 'data: [DONE]']);
      expect((await post(hub(), who.key, { ...streamed, model: 'gpt-4.1' })).text).toMatch(/\n\ndata: \[DONE\]\n\n$/);
      expect(await lastRow(who)).toMatchObject({ metadata: { outcome: 'answered' } });
    });

    const said = (content: string, finish: string | null = null) =>
      `data: {"choices":[{"index":0,"delta":{"content":"${content}"},"finish_reason":${JSON.stringify(finish)}}]}\n\n`;
    const usage = 'data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\n';

    test.each([
      ['with its last blank line', (text: string) => text],
      ['without it', (text: string) => text.trimEnd()],
    ])('a stream that ends after its finish, %s, gets the end of its dialect', async (_, cut) => {
      const who = await addCaller(db());
      const bytes = cut(said('hi') + said('', 'stop'));
      raw().reply = (response) => sendStream(response, [bytes]);
      const { text } = await post(hub(), who.key, { ...streamed, model: 'gpt-4.1' });
      expect(text).toBe(`${bytes.trimEnd()}\n\ndata: [DONE]\n\n`);
      expect(await lastRow(who)).toMatchObject({ metadata: { outcome: 'answered' } });
    });

    test('one that is cut after its finish gets no end', async () => {
      const who = await addCaller(db());
      raw().reply = (response) => sendStream(response, [said('hi') + said('', 'stop')], 'cut');
      const { text } = await post(hub(), who.key, { ...streamed, model: 'gpt-4.1' });
      expect(text).not.toContain('[DONE]');
      expect(await lastRow(who)).toMatchObject({ metadata: { outcome: 'broken' } });
    });

    test('nothing behind [DONE] reaches the caller', async () => {
      const who = await addCaller(db());
      const end = `${usage}data: [DONE]\n\n`;
      raw().reply = (response) =>
        sendStream(response, [said('hi', 'stop') + end + said('free'), said('of charge') + end]);
      const { text } = await post(hub(), who.key, { ...streamed, model: 'gpt-4.1' });
      expect(text).toBe(`${said('hi', 'stop')}data: [DONE]\n\n`);
      expect(await lastRow(who)).toMatchObject({ completion_tokens: 2, metadata: { usage_source: 'upstream' } });
    });

    test.each(['\r\r', '\r\n\r', '\n\r\n', '\r\n\n'])('events that end with %j are read one by one', async (ends) => {
      const who = await addCaller(db());
      const bytes = `${said('hi', 'stop')}${usage}data: [DONE]\n\n`.replaceAll('\n\n', ends);
      raw().reply = (response) => sendStream(response, [bytes]);
      const { text } = await post(hub(), who.key, { ...streamed, model: 'gpt-4.1' });
      expect(text).toContain('[DONE]');
      expect(text).not.toContain('usage');
      expect(await lastRow(who)).toMatchObject({
        prompt_tokens: 1,
        completion_tokens: 2,
        metadata: { usage_source: 'upstream' },
      });
    });
  });
});

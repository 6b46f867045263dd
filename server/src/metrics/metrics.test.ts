import { request } from 'node:http';
import { expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, startHub, upstreamForSuite } from '#testing/hub.ts';
import { hello, post } from '#testing/relay-calls.ts';

const TOKEN = 'a-token-for-prometheus';

async function scrape(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/metrics`, { headers });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

/** The series of a reading, each with its labels in the order in which they were written. */
const seriesOf = (text: string): Record<string, number> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const at = line.lastIndexOf(' ');
        return [line.slice(0, at), Number(line.slice(at + 1))];
      }),
  );

onOneDatabase('metrics', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const read = async () => seriesOf((await scrape(hub().url)).text);

  test('calls, attempts, times, tokens and credits are counted as they are charged', async () => {
    const { db, book } = hub().server.deps;
    await addChannel(hub(), upstream().url, { name: 'a-channel-by-name' });
    const who = await addCaller(db);
    expect((await post(hub(), who.key, hello)).status).toBe(200);
    expect((await post(hub(), who.key, { ...hello, stream: true })).status).toBe(200);
    upstream().behaviour = { status: 400, error: { message: 'no', type: 'invalid_request_error', code: 'no' } };
    expect((await post(hub(), who.key, hello)).status).toBe(400);
    upstream().behaviour = {};
    expect((await post(hub(), 'sk-nobody-has-this-key', hello)).status).toBe(401);
    expect((await post(hub(), who.key, hello, '/v1/made/up/by/callers')).status).toBe(404);

    const rows = await rowsOf(db, who);
    const { text, type } = await scrape(hub().url);
    expect(type).toContain('text/plain');
    const calls = (endpoint: string, outcome: string, status: number, channelType: number) =>
      `relay_hub_calls_total{endpoint="${endpoint}",outcome="${outcome}",status="${status}",channel_type="${channelType}"}`;
    const chat = '/v1/chat/completions';
    expect(seriesOf(text)).toMatchObject({
      [calls(chat, 'answered', 200, 8)]: 2,
      [calls(chat, 'failed', 400, 8)]: 1,
      [calls(chat, 'refused', 401, 0)]: 1,
      [calls('other', 'refused', 404, 0)]: 1,
      'relay_hub_attempts_total{result="ok",channel_type="8"}': 2,
      'relay_hub_attempts_total{result="upstream_status",channel_type="8"}': 1,
      [`relay_hub_call_seconds_count{endpoint="${chat}"}`]: 3,
      [`relay_hub_call_seconds_bucket{le="+Inf",endpoint="${chat}"}`]: 3,
      [`relay_hub_first_byte_seconds_count{endpoint="${chat}"}`]: 3,
      relay_hub_credits_total: rows.reduce((sum, { quota }) => sum + quota, 0),
      'relay_hub_tokens_total{kind="prompt"}': rows.reduce((sum, row) => sum + row.prompt_tokens, 0),
      'relay_hub_tokens_total{kind="completion"}': rows.reduce((sum, row) => sum + row.completion_tokens, 0),
      relay_hub_open_calls: 0,
      relay_hub_settlements_waiting: 0,
      relay_hub_database_batches_failed_total: 0,
    });
    expect(seriesOf(text)['relay_hub_database_batch_seconds_count']).toBeGreaterThan(0);
    expect(seriesOf(text)['relay_hub_memory_bytes{kind="resident"}']).toBeGreaterThan(10e6);
    expect(text).not.toMatch(/gpt-4o|user-|a-channel-by-name|sk-/);
    expect(book.openCalls).toBe(0);
    await expectBooksBalance(db);
  });

  test('an open call and a channel that rests are told while they last', async () => {
    const { db } = hub().server.deps;
    const who = await addCaller(db);
    const id = await addChannel(hub(), upstream().url, { models: 'gpt-4o', priority: 9 });
    const { promise, resolve: answer } = Promise.withResolvers<void>();
    upstream().behaviour = { until: promise };
    const call = post(hub(), who.key, hello);
    await expect
      .poll(async () => (await read())['relay_hub_open_calls'], { message: 'open calls in the metrics' })
      .toBe(1);
    answer();
    await call;
    upstream().behaviour = {};
    expect((await read())['relay_hub_open_calls']).toBe(0);

    const { health } = hub().server.deps.live;
    health.failed(id, 'gpt-4o', { cooldownMs: 60_000, now: Date.now() });
    expect((await read())['relay_hub_frozen_channels']).toBe(1);
    health.forget(id);
    expect((await read())['relay_hub_frozen_channels']).toBe(0);
    expect(Object.keys(await read())).toContain('relay_hub_event_loop_delay_seconds{quantile="0.99"}');
  });

  test('invented paths do not create series without bound', async () => {
    const who = await addCaller(hub().server.deps.db);
    for (let version = 0; version < 5; version++) {
      const path = `/gemini/v1x${version}/models/gpt-4o:generateContent`;
      expect((await post(hub(), who.key, { contents: [{ parts: [{ text: 'hi' }] }] }, path)).status).toBe(200);
      await post(hub(), 'sk-nobody', {}, path);
    }
    const named = Object.keys(await read()).filter((series) => series.startsWith('relay_hub_calls_total'));
    expect(named.filter((series) => series.includes('gemini'))).toEqual([
      'relay_hub_calls_total{endpoint="/gemini/:generateContent",outcome="answered",status="200",channel_type="8"}',
      'relay_hub_calls_total{endpoint="/gemini/:generateContent",outcome="refused",status="401",channel_type="0"}',
    ]);
  });

  test('without a token, whoever comes through a proxy or from elsewhere is refused', async () => {
    expect((await scrape(hub().url)).status).toBe(200);
    expect((await fetch(`${hub().url}/api/metrics`)).status).toBe(404);
    for (const header of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via']) {
      const refused = await scrape(hub().url, { [header]: '127.0.0.1' });
      expect(refused.status).toBe(403);
      expect(JSON.parse(refused.text)).toMatchObject({ success: false, code: 'metrics.refused' });
      expect(refused.text).not.toContain('relay_hub_');
    }
  });

  test('with a token, every client must send it', async () => {
    const database = await make();
    const guarded = await startHub(database, { METRICS_TOKEN: TOKEN, HOST: '::' });
    try {
      expect((await scrape(guarded.url)).status).toBe(403);
      for (const wrong of [`Bearer ${TOKEN}x`, 'Bearer ', TOKEN, `Basic ${TOKEN}`])
        expect((await scrape(guarded.url, { authorization: wrong })).status).toBe(403);
      const told = await scrape(guarded.url, { authorization: `Bearer ${TOKEN}`, 'x-forwarded-for': '192.0.2.1' });
      expect(told.status).toBe(200);
      expect(told.text).toContain('relay_hub_open_calls 0');
      const basic = async (credentials?: string) => {
        const encoded = credentials && Buffer.from(credentials).toString('base64');
        const headers = encoded ? { authorization: `Basic ${encoded}` } : undefined;
        const response = await fetch(`${guarded.url}/api/metrics`, { ...(headers && { headers }) });
        return [response.status, (await response.text()).includes('relay_hub_open_calls 0')];
      };
      expect(await basic(`prometheus:${TOKEN}`)).toEqual([200, true]);
      for (const wrong of [undefined, TOKEN, `prometheus:${TOKEN}x`, 'prometheus:', `${TOKEN}:`])
        expect(await basic(wrong)).toEqual([404, false]);
    } finally {
      await guarded.close();
      await database.remove();
    }
  });

  test('a connection from this machine over IPv6, and IPv4 in its wrapping, is of this machine', async () => {
    const database = await make();
    const both = await startHub(database, { HOST: '::' });
    try {
      for (const host of ['127.0.0.1', '::1']) {
        const status = await new Promise((resolve, reject) =>
          request({ host, port: both.server.port, path: '/metrics' }, (response) => {
            response.resume();
            resolve(response.statusCode);
          })
            .on('error', reject)
            .end(),
        );
        expect(status, host).toBe(200);
      }
    } finally {
      await both.close();
      await database.remove();
    }
  });
});

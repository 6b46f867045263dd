import { gzipSync } from 'node:zlib';
import { priceApi } from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AuthenticatedCaller } from '#relay/types/call-types.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { post } from '#testing/relay-calls.ts';
import { callRaw } from '#testing/network/slow-caller.ts';
import { checkBalance } from './unpaid-body.ts';

const CHAT = '/v1/chat/completions';
const KIB = 1024;
const part = (name: string, value: string) =>
  `--cut\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = `--cut\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\n\r\n${'x'.repeat(400 * KIB)}\r\n`;

onOneDatabase('large bodies of callers without credits', (make) => {
  const hub = hubForSuite(make);
  const upstream = rawUpstreamForSuite();
  const deps = () => hub().server.deps;
  let poor: TestCaller;

  beforeAll(async () => {
    const price = (model: string, input: number) =>
      hub().root.call(priceApi.create, { body: { model, type: 'tokens', channel_type: 1, input, output: input } });
    await price('paid', 1);
    await price('free', 0);
    const add = (models: string, model_mapping = '') =>
      addChannel(hub(), upstream().url, { type: 1, models, model_mapping });
    await add('paid,free,half,to-free,to-paid,ü', '{"half":"free","to-free":"free","to-paid":"paid","ü":"free"}');
    await add('half', '{"half":"paid"}');
    upstream().reply = (response) =>
      sendJson(response, {
        text: 'hi',
        choices: [{ message: { content: 'hi' } }],
        usage: { prompt_tokens: 1, completion_tokens: 1 },
      });
    poor = await addCaller(deps().db, { quota: 0 });
  });

  const large = (model: unknown, bytes = 400 * KIB) => ({
    model,
    messages: [{ role: 'user', content: 'x'.repeat(bytes) }],
  });
  const modelLast = (model: string) => ({ messages: large('').messages, model });

  /** Sends the start of a 30 MiB body; resolves to the response while the rest is not sent. */
  async function begun(text: string, who: TestCaller, path = CHAT, type = 'application/json', length = 30 * KIB * KIB) {
    const head = [
      `POST ${path} HTTP/1.1`,
      'Host: x',
      `Content-Type: ${type}`,
      `Authorization: Bearer ${who.key}`,
      length > 0 ? `Content-Length: ${length}` : 'Transfer-Encoding: chunked',
    ];
    const bytes = Buffer.from(text);
    const chunk = length > 0 ? bytes : Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes]);
    const caller = await callRaw(hub().url, `${head.join('\r\n')}\r\n\r\n`);
    caller.socket.write(chunk);
    return caller;
  }

  test('leave a row that names the model, as far as it was read', async () => {
    const who = await addCaller(deps().db, { quota: 0 });
    for (const body of [large('paid'), modelLast('free')]) expect((await post(hub(), who.key, body)).status).toBe(402);
    await deps().refusals.caughtUp();
    const rows = await deps().db.selectFrom('refusals').where('user_id', '=', who.userId).selectAll().execute();
    expect(rows.map((row) => `${row.status} ${row.model_name}`).toSorted()).toEqual(['402 ', '402 paid']);
  });

  describe('are refused before they are whole', () => {
    test.each<[string, string, string?, string?, number?]>([
      ['for a model that costs something', JSON.stringify(large('paid'))],
      ['for one that is mapped to such a model', JSON.stringify(large('to-paid'))],
      ['for one that is free at one channel only', JSON.stringify(large('half'))],
      ['for one that is not served', JSON.stringify(large('unknown'))],
      ['where the model stands behind the start', JSON.stringify(modelLast('free'))],
      ['where another member names a free model', JSON.stringify({ a: { model: 'free' }, ...modelLast('free') })],
      ['where nobody says how long they are', JSON.stringify(large('paid')), CHAT, 'application/json', 0],
      [
        'in the dialect of a vendor',
        JSON.stringify({ contents: large('').messages }),
        '/gemini/v1/models/paid:generateContent',
      ],
      ['where tokens are only counted', JSON.stringify(large('paid')), '/v1/messages/count_tokens'],
      ['as forms', part('model', 'paid') + file, '/v1/audio/transcriptions', 'multipart/form-data; boundary=cut'],
      ['as forms whose model comes last', file, '/v1/audio/transcriptions', 'multipart/form-data; boundary=cut'],
    ])('%s', async (_, text, ...more) => {
      const sent = upstream().requests.length;
      const caller = await begun(text, poor, ...more);
      await expect
        .poll(() => caller.text(), { message: 'reply to the caller' })
        .toMatch(/^HTTP\/1\.1 402 [^]*Insufficient balance/);
      expect(deps().bodies.used).toBe(0);
      expect(upstream().requests).toHaveLength(sent);
      caller.socket.destroy();
    });

    test('packed ones too, by what is in them', async () => {
      const packed = gzipSync(JSON.stringify(large('paid', 30 * KIB * KIB)));
      const answer = await post(hub(), poor.key, new Uint8Array(packed), CHAT, {
        headers: { 'content-encoding': 'gzip' },
      });
      expect(answer.status).toBe(402);
      expect(deps().bodies.used).toBe(0);
    });

    test('for a key whose quota is used up, whatever the user’s balance', async () => {
      const limited = await addCaller(deps().db, { remain: 0 });
      const caller = await begun(JSON.stringify(large('paid')), limited);
      await expect
        .poll(() => caller.text(), { message: 'reply to the caller' })
        .toMatch(/^HTTP\/1\.1 402 [^]*"insufficient_quota"/);
      caller.socket.destroy();
    });
  });

  test.each([
    ['a model that is free', large('free')],
    ['one that is mapped to it', large('to-free')],
    ['one whose name is escaped', JSON.stringify(large('ü')).replace('ü', String.raw`\u00fc`)],
    ['one whose name says how it is to reason', large('free#low')],
  ])('go on for %s', async (_, body) => {
    const before = (await rowsOf(deps().db, poor)).length;
    const answer = await post(hub(), poor.key, body);
    expect(answer.status, answer.text).toBe(200);
    const rows = await rowsOf(deps().db, poor);
    expect(rows).toHaveLength(before + 1);
    expect(rows.at(-1)).toMatchObject({ quota: 0 });
    await expect.poll(() => deps().bodies.used, { message: 'bytes held for bodies' }).toBe(0);
  });

  test('go on as a form for a model that is free, and whose name comes first', async () => {
    const text = `${part('model', 'free')}${file}--cut--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=cut' };
    expect((await post(hub(), poor.key, text, '/v1/audio/transcriptions', { headers })).status).toBe(200);
    expect(deps().bodies.used).toBe(0);
  });

  test('those who can pay are asked nothing, be their credits at hand or not', async () => {
    const rich = await addCaller(deps().db);
    for (let i = 0; i < 2; i++) expect((await post(hub(), rich.key, modelLast('paid'))).status).toBe(200);
  });

  test('a small body is read whole, and refused for what it costs', async () => {
    expect((await post(hub(), poor.key, large('paid', 1000))).status).toBe(402);
    expect((await post(hub(), poor.key, large('free', 1000))).status).toBe(200);
  });

  test('the refusal knows the model that was found', async () => {
    const key = poor.key.slice('sk-'.length);
    const caller = await deps().live.callers.find(key);
    const who = {
      caller,
      group: deps().live.groups.get('default'),
      pin: undefined,
      except: undefined,
    } as AuthenticatedCaller;
    const check = (model: string | undefined) =>
      checkBalance(deps(), who, { operation: 'chat', dialect: 'openai' }, () => model);
    await expect(check('paid')).rejects.toMatchObject({ status: 402, model: 'paid' });
    await expect(check(undefined)).rejects.toMatchObject({ status: 402, model: undefined });
    await expect(check('free')).resolves.toBeUndefined();
  });

  test('a key that is not known is refused before anything of the body has come', async () => {
    const caller = await begun('', { ...poor, key: 'sk-nobody' });
    await expect.poll(() => caller.text(), { message: 'reply to the caller' }).toMatch(/^HTTP\/1\.1 401 /);
    caller.socket.destroy();
  });
});

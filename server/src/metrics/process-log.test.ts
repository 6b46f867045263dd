import { channelApi, optionApi } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStorage, type Storage } from '#db/open.ts';
import { addCaller } from '#testing/callers.ts';
import { type EmptyDatabase, onOneDatabase } from '#testing/databases.ts';
import { addChannel, ROOT_PASSWORD } from '#testing/hub.ts';
import { setOptions } from '#testing/mailbox.ts';
import { type ServerProcess, startProcess } from '#testing/process.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';
import { hello, post } from '#testing/relay-calls.ts';

const SECRET_KEY = 'the-data-key-of-this-test-00000000000000';
const METRICS_TOKEN = 'a-token-for-prometheus';
const UPSTREAM_KEY = 'sk-proj-upstream-key-of-this-test-0001';
const PROMPT = 'what-the-caller-asks-is-his-own';

onOneDatabase('process log', (make) => {
  const raw = rawUpstreamForSuite();
  let database: EmptyDatabase;
  let server: ServerProcess;
  let storage: Storage;

  beforeAll(async () => {
    database = await make();
    server = await startProcess(database, {
      LOG_LEVEL: 'debug',
      SECRET_KEY,
      METRICS_TOKEN,
    });
    storage = openStorage(database);
  }, 60_000);
  afterAll(async () => {
    await server?.kill();
    await storage?.close();
    await database?.remove();
  });

  const linesOf = (requestId: string) =>
    server
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ request }) => request === requestId);

  test('each failed call has one line, and no line has a secret', async () => {
    const id = await addChannel(server, raw().url, { key: UPSTREAM_KEY });
    const who = await addCaller(storage.db);
    const body = { ...hello, messages: [{ role: 'user', content: PROMPT }] };
    const code = (result: string, status: number, more: object = {}) => ({
      level: 40,
      endpoint: '/v1/chat/completions',
      channel: id,
      code: result,
      status,
      attempts: 1,
      ...more,
    });
    const said = `You sent ${UPSTREAM_KEY} and asked ${PROMPT}`;

    raw().reply = (response) => sendJson(response, { error: { message: said, type: 'x', code: said } }, 401);
    const rejected = await post(server, who.key, body);
    raw().reply = (response) => sendJson(response, `<html>${said}</html>`);
    const unreadable = await post(server, who.key, body);
    raw().reply = (response) =>
      sendStream(response, [`data: {"choices":[{"delta":{"content":"${said}"}}]}\n\n`], 'cut');
    const broken = await post(server, who.key, { ...body, stream: true });
    const refused = await post(server, who.key, { ...body, model: 'nobody-serves-this' });
    const stranger = await post(server, `${who.key}-wrong`, body);
    raw().reply = (response) =>
      sendJson(response, {
        choices: [{ message: { content: said } }],
        usage: { prompt_tokens: 1, completion_tokens: 1 },
      });
    const answered = await post(server, who.key, body);
    expect(answered.status).toBe(200);
    await server.root.send('POST', '/api/user/login', { username: 'root', password: `${ROOT_PASSWORD}-wrong` });
    await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });

    await expect.poll(() => linesOf(stranger.requestId), { message: 'lines of the call in the log' }).toHaveLength(1);
    expect(linesOf(rejected.requestId)).toMatchObject([code('upstream_status', 502, { upstreamStatus: 401 })]);
    expect(linesOf(unreadable.requestId)).toMatchObject([code('bad_reply', 502, { upstreamStatus: 200 })]);
    expect(linesOf(broken.requestId)).toMatchObject([code('stream_broken', 502, { msg: 'call broke off' })]);
    expect(linesOf(refused.requestId)).toMatchObject([{ level: 30, msg: 'call refused' }]);
    expect(linesOf(stranger.requestId)).toMatchObject([{ level: 30, code: 'invalid_api_key', status: 401 }]);
    expect(linesOf(answered.requestId)).toEqual([]);

    const told = server.output() + server.errors();
    const secrets = [SECRET_KEY, METRICS_TOKEN, UPSTREAM_KEY, PROMPT, who.key, who.key.slice(3), ROOT_PASSWORD];
    for (const secret of [...secrets, server.root.cookie.split('=')[1]!]) expect(told).not.toContain(secret);
  });

  test('no line has what came in an address: codes, states and tokens of links', async () => {
    const planted = 'a-secret-in-an-address';
    await setOptions(server.root, {
      WeChatServerAddress: 'http://127.0.0.1:1',
      WeChatServerToken: planted,
      WeChatAuthEnabled: 'true',
    });
    for (const address of [
      `/api/oauth/github?code=${planted}&state=${planted}`,
      `/api/oauth/email/bind?email=a@example.org&code=${planted}`,
      `/api/reset_password?email=a@example.org&turnstile=${planted}`,
      `/user/reset?email=a@example.org&token=${planted}`,
      `/oauth/github?code=${planted}&state=${planted}`,
      `/v1/models?key=sk-${planted}`,
    ])
      await (await fetch(server.url + address)).arrayBuffer();
    const { status } = await fetch(`${server.url}/api/oauth/wechat?code=${planted}`);
    expect(status).toBe(502);
    await expect.poll(() => server.output(), { message: 'the log' }).toContain('identity provider unreachable');
    await setOptions(server.root, { WeChatAuthEnabled: 'false' });
    const told = server.output() + server.errors();
    expect(told).not.toContain(planted);
  });

  test('automatic changes of a channel are logged, caused by a call or by a test', async () => {
    const { root } = server;
    const model = 'gpt-4.1';
    const id = await addChannel(server, raw().url, { models: model, test_model: model });
    const who = await addCaller(storage.db);
    for (const key of ['AutomaticDisableChannelEnabled', 'AutomaticEnableChannelEnabled'])
      await root.call(optionApi.set, { body: { key, value: 'true' } });
    const testIt = () => root.try(channelApi.test, { params: { id }, query: { model: '' } });
    const refuse = (status: number, headers = {}) => {
      raw().reply = (response) => sendJson(response, { error: { message: 'No', type: 'x' } }, status, headers);
    };
    refuse(429, { 'retry-after': '7' });
    await post(server, who.key, { ...hello, model });
    refuse(401);
    await testIt();
    raw().reply = (response) => sendJson(response, { choices: [{ message: { content: 'Hi' } }] });
    await testIt();
    refuse(401);
    await post(server, who.key, { ...hello, model });
    const told = () =>
      server
        .output()
        .split('\n')
        .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []))
        .filter(({ channel, request }) => channel === id && request === undefined);
    await expect.poll(told, { message: 'lines of the log' }).toHaveLength(4);
    expect(told()).toMatchObject([
      { msg: 'a channel is frozen', level: 40, model, seconds: 7 },
      { msg: 'a channel was switched off', level: 40, reason: '401 No' },
      { msg: 'a channel was switched on again', level: 30 },
      { msg: 'a channel was switched off', level: 40, reason: '401 No' },
    ]);
  });
});

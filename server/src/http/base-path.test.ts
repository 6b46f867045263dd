import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { channelApi, oauthApi, optionApi, siteApi, taskApi, userApi } from '@relay-hub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEpay } from '#payment-simulator/epay.ts';
import type { PaymentSimulator } from '#payment-simulator/simulator.ts';
import { taskWorld } from '#tasks/testing/task-world.ts';
import { browserFrom } from '#testing/browser.ts';
import { addCaller, type TestCaller } from '#testing/callers.ts';
import { newSqlite } from '#testing/databases.ts';
import { startTelegram } from '#testing/elsewhere/local-telegram.ts';
import { addChannel, ApiClient, ROOT_PASSWORD } from '#testing/hub.ts';
import { linkIn, type Mailbox, sendThrough, startMailbox } from '#testing/mailbox.ts';
import { hasCaddy, startCaddySite } from '#testing/network/caddy.ts';
import { hasNginx, startNginxSite } from '#testing/network/nginx.ts';
import { answeringForSuite } from '#testing/network/outbound.ts';
import { addGateway, openPayment, order, orderSeen } from '#testing/payments.ts';
import { addAccount, addPerson } from '#testing/people.ts';
import { RealtimeClient } from '#testing/realtime-client.ts';
import { hello, post } from '#testing/relay-calls.ts';
import { until as settled } from '#testing/until.ts';
import { withBasePath } from './base-path.ts';

const METRICS_TOKEN = 'a-token-for-prometheus';
const direct = async (port: number) => ({ url: `http://127.0.0.1:${port}`, ca: '', stop: async () => {} });
const fronts = [
  { name: 'directly', isHere: true, start: direct },
  { name: 'behind nginx', isHere: hasNginx(), start: startNginxSite },
  { name: 'behind Caddy', isHere: hasCaddy(), start: startCaddySite },
].filter(({ isHere }) => isHere);

type Sent = [headers: Record<string, string>, body?: object];

/** Kinds of paths with the request that is sent with a key and the expected reply. */
const kinds: [path: string, sent: (key: string) => Sent, holds: RegExp][] = [
  ['/', () => [{ accept: 'text/html' }], /^<!doctype html>/i],
  ['/panel/log?page=2', () => [{ accept: 'text/html' }], /^<!doctype html>/i],
  ['/api/status', () => [{}], /"server_address":""/],
  ['/api/docs', () => [{}], /src="\/hub\/api\/docs\/start\.js"/],
  ['/api/docs/start.js', () => [{}], /url: '\/hub\/api\/openapi\.json'/],
  ['/api/openapi.json', () => [{}], /"servers":\[\{"url":"\/hub"\}\]/],
  ['/healthz', () => [{}], /"ok"/],
  ['/readyz', () => [{}], /"ready"/],
  ['/metrics', () => [{ authorization: `Bearer ${METRICS_TOKEN}` }], /^# HELP/],
  ['/v1/models', (key) => [{ authorization: `Bearer ${key}` }], /"id":"gpt-4o"/],
  ['/v1/chat/completions', (key) => [{ authorization: `Bearer ${key}` }, hello], /"object":"chat.completion"/],
  ['/chat/completions', (key) => [{ authorization: `Bearer ${key}` }, hello], /"object":"chat.completion"/],
  ['/v1/chat/completions', (key) => [{ authorization: `Bearer ${key}` }, { ...hello, stream: true }], /\[DONE\]/],
  ['/v1/nothing', (key) => [{ authorization: `Bearer ${key}` }], /API clients is '?\/hub\/v1'?/],
  ['/claude/v1/messages', (key) => [{ 'x-api-key': key }, { ...hello, max_tokens: 9 }], /"type":"message"/],
  ['/v1/messages', (key) => [{ 'x-api-key': key }, { ...hello, max_tokens: 9 }], /"type":"message"/],
  ['/gemini/v1beta/models', (key) => [{ 'x-goog-api-key': key }], /"name":"models\/gpt-4o"/],
  [
    '/v1beta/models/gpt-4o:generateContent',
    (key) => [{ 'x-goog-api-key': key }, { contents: [{ parts: [{ text: 'hello' }] }] }],
    /"candidates"/,
  ],
  ['/mj/submit/imagine', (key) => [{ 'mj-api-secret': key }, { prompt: 'a cat' }], /"code":1/],
  ['/suno/submit/music', (key) => [{ authorization: `Bearer ${key}` }, { prompt: 'a song' }], /"code":"success"/],
];

describe('a hub below a path', () => {
  const { hub, upstream, submit, until } = taskWorld(newSqlite, {
    BASE_PATH: '/hub',
    TRUSTED_PROXIES: '127.0.0.1',
    METRICS_TOKEN,
  });
  const issuer = answeringForSuite();
  const started: Awaited<ReturnType<typeof direct>>[] = [];
  const urls = new Map<string, string>();
  let mailbox: Mailbox;
  let epay: PaymentSimulator;
  let who: TestCaller;
  /** The hub's address without the path. */
  const origin = () => `http://127.0.0.1:${hub().server.port}`;
  const set = (values: Record<string, string>) => hub().root.call(optionApi.setMany, { body: { values } });

  beforeAll(async () => {
    mailbox = await startMailbox();
    epay = await startEpay();
    await addChannel(hub(), upstream().url, { models: 'gpt-4o,gpt-realtime' });
    who = await addCaller(hub().server.deps.db, { quota: 1_000_000_000 });
    for (const { name, start } of fronts) {
      const front = await start(hub().server.port, '/hub');
      started.push(front);
      urls.set(name, front.url);
      if (front.ca !== '') setDefaultCACertificates([...getCACertificates('default'), front.ca]);
    }
  });
  afterAll(async () => {
    for (const { stop } of started) await stop();
    await mailbox?.close();
    await epay?.close();
  });

  describe.each(fronts)('$name', ({ name }) => {
    const url = () => `${urls.get(name)}/hub`;

    test.each(kinds)('serves %s', async (path, sent, holds) => {
      const [headers, body] = sent(who.key);
      const response = await fetch(url() + path, {
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
      expect(await response.text()).toMatch(holds);
    });

    test('a WebSocket session opens and passes events', async () => {
      const client = new RealtimeClient({ url: url() }, '/v1/realtime?model=gpt-realtime', who.key);
      await client.opened;
      client.send({ type: 'response.create' });
      await client.until('response.done');
      client.socket.close();
      await client.closed;
    });

    test('a session has its cookie below the path, until it is closed there', async () => {
      const client = new ApiClient(url());
      const body = { username: 'root', password: ROOT_PASSWORD };
      const { headers } = await client.try(userApi.login, { body });
      expect(headers.getSetCookie()).toEqual([
        expect.stringMatching(/^(__Secure-)?session=[^;]+; Path=\/hub\/; Max-Age=\d{4,};/),
      ]);
      expect(await client.call(userApi.self)).toMatchObject({ username: 'root' });
      const { headers: after } = await client.try(userApi.logout);
      expect(after.getSetCookie()).toEqual([expect.stringMatching(/^(__Secure-)?session=; Path=\/hub\/; Max-Age=0;/)]);
    });

    test('the path without its last slash leads there', async () => {
      const answers = ['', '?lng=ja_JP'].map((search) => fetch(url() + search, { redirect: 'manual' }));
      const found = (await Promise.all(answers)).map(({ status, headers }) => [status, headers.get('location')]);
      expect(found).toEqual([
        [307, '/hub/'],
        [307, '/hub/?lng=ja_JP'],
      ]);
    });
  });

  test.each([
    '/',
    '/panel',
    '/api/status',
    '/metrics',
    '/hubs',
    '/HUB/',
    '//hub/',
    '/hub%2f',
    '/v1/models',
    '/healthz/',
  ])('nothing is served at %s', async (path) => {
    const response = await fetch(origin() + path, { headers: { authorization: `Bearer ${who.key}` } });
    expect([response.status, await response.json()]).toEqual([
      404,
      expect.objectContaining({
        success: false,
        code: 'route.unknown',
        message: expect.stringContaining('this server is at /hub/'),
        error: expect.objectContaining({ message: expect.stringContaining('/hub/'), code: 'unknown_url' }),
      }),
    ]);
  });

  test('a call with a body gets the same reply outside', async () => {
    const refused = await post({ url: origin() }, who.key, { ...hello, padding: 'x'.repeat(200_000) });
    expect(refused).toMatchObject({ status: 404, text: expect.stringContaining('this server is at /hub/') });
  });

  test.each(['/healthz', '/readyz', '/readyz?verbose'])('%s answers load balancers at the root too', async (path) => {
    expect((await fetch(origin() + path)).status).toBe(200);
  });

  test('an upgrade that no path takes is a plain request', async () => {
    const headers = { connection: 'Upgrade', upgrade: 'websocket' };
    const answer = await new Promise<string>((resolve, reject) => {
      request(`${hub().url}/api/status`, { headers }, (response) => void text(response).then(resolve, reject))
        .on('error', reject)
        .end();
    });
    expect(answer).toContain('"success":true');
  });

  test('cookies of single routes are limited to them', async () => {
    await set({ OIDCIssuer: issuer.here() });
    const browser = browserFrom(hub());
    const { headers } = await browser.try(oauthApi.state);
    expect(headers.getSetCookie().join()).toContain('; Path=/hub/api/oauth;');
  });

  test.each([
    ['', ''],
    ['https://hub.example', 'https://hub.example/hub'],
    ['https://hub.example/hub', 'https://hub.example/hub'],
    ['https://hub.example/hub/', 'https://hub.example/hub'],
    ['https://hub.example/front', 'https://hub.example/front/hub'],
    ['https://hub.example/myhub', 'https://hub.example/myhub/hub'],
  ])('the server address "%s" is %s in public', async (stored, told) => {
    await set({ ServerAddress: stored });
    expect(await hub().root.call(siteApi.status)).toMatchObject({ server_address: told });
  });

  test('without a base path an address stays as it is', () => {
    expect(withBasePath('https://hub.example/front', '')).toBe('https://hub.example/front');
  });

  // The operator's address, and one that only the request has.
  describe.each([['set'], ['unknown']])('with a server address that is %s', (address) => {
    const isSet = address === 'set';
    const site = () => (isSet ? 'https://hub.example' : origin());
    beforeAll(() => set({ ServerAddress: isSet ? site() : '' }));

    test('result files of tasks have an address below the path', async () => {
      const id = await submit(who);
      upstream().tasks.last!.picture = `${upstream().url}/mj/picture.png`; // submitted above
      await until(id, 'SUCCESS');
      const fetched = await fetch(`${hub().url}/mj/task/${id}/fetch`, { headers: { 'mj-api-secret': who.key } });
      const { imageUrl } = (await fetched.json()) as { imageUrl: string };
      expect(imageUrl).toContain(`${site()}/hub/mj/image/${id}?`);
      const { data } = await hub().root.call(taskApi.list, { query: { task_id: id } });
      const { url } = data[0]!.media[0]!;
      expect(url).toMatch(/^\/hub\/media\//);
      expect((await fetch(origin() + url)).headers.get('content-type')).toBe('image/png');
    });

    test('a sign-in elsewhere comes back to the path', async () => {
      const at = issuer.here();
      issuer.answer = (_, response) => {
        const endpoints = { authorization_endpoint: `${at}auth`, token_endpoint: `${at}token`, jwks_uri: `${at}jwks` };
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ issuer: at, ...endpoints }));
      };
      await set({ OIDCIssuer: at, OIDCClientId: 'hub', OIDCClientSecret: 'secret', OIDCAuthEnabled: 'true' });
      const departure = new URL(await browserFrom(hub()).call(oauthApi.endpoint));
      expect(departure.searchParams.get('redirect_uri')).toBe(`${site()}/hub/oauth/oidc`);
    });

    test('an upload to Google goes on below the path', async () => {
      issuer.answer = (_, response) => {
        const at = `${issuer.here()}upload/v1beta/files?upload_id=up-1&upload_protocol=resumable`;
        response.writeHead(200, { 'x-goog-upload-url': at, 'x-goog-upload-status': 'active' }).end();
      };
      const models = `gemini-${address}`;
      const id = await addChannel(hub(), issuer.here().slice(0, -1), { type: 25, key: 'google-key', models });
      const headers = {
        'x-goog-api-key': who.key,
        'x-goog-upload-protocol': 'resumable',
        'x-goog-upload-command': 'start',
      };
      const begun = await fetch(`${hub().url}/gemini/upload/v1beta/files`, {
        method: 'POST',
        headers,
        body: '{"file":{}}',
      });
      expect(begun.headers.get('x-goog-upload-url')).toContain(
        `${site()}/hub/gemini/upload/v1beta/files?upload_id=up-1`,
      );
      await hub().root.call(channelApi.remove, { params: { id } });
    });

    test('links in mails lead to the path', async () => {
      await sendThrough(hub().root, mailbox);
      const email = `${address}@example.org`;
      await addAccount(hub(), { email });
      await browserFrom(hub()).send('GET', `/api/reset_password?email=${email}`);
      expect(linkIn(await mailbox.next(email)).href).toContain(`${site()}/hub/user/reset?`);
    });

    test('a call without credits is told where to top up', async () => {
      const poor = await addCaller(hub().server.deps.db, { quota: 0 });
      const { text: told } = await post(hub(), poor.key, hello);
      expect(told).toContain(isSet ? 'https://hub.example/hub/panel/topup' : 'try again');
    });
  });

  test('the webhook of the Telegram bot is below the path, and answers there', async () => {
    const telegram = await startTelegram();
    try {
      await set({
        ServerAddress: origin(),
        TelegramApiAddress: telegram.url,
        TelegramBotToken: telegram.token,
        TelegramBotName: telegram.bot,
        TelegramWebhookSecret: 'a-secret-for-the-webhook',
        TelegramBotEnabled: 'true',
      });
      await settled('the bot has its webhook', () => telegram.webhook !== undefined);
      expect(telegram.webhook!.url).toMatch(`${origin()}/hub/api/telegram/`);
      expect(await telegram.write({ id: 7, first_name: 'Me' }, '/help')).toBe(200);
    } finally {
      await set({ TelegramBotEnabled: 'false' });
      await telegram.close();
    }
  });

  test.each([
    ['its own address', true],
    ['the server address', false],
  ])('a payment is notified and comes back below the path, with %s', async (_, isOwn) => {
    await set({ ServerAddress: isOwn ? 'https://hub.example' : origin() });
    const gateway = await addGateway(hub(), 'epay', epay, isOwn ? { notify_domain: origin() } : {});
    expect(gateway.notify_url).toBe(`${origin()}/hub/api/payment/notify/${gateway.uuid}`);
    const payer = await addPerson(hub());
    const start = await order(payer, gateway);
    await openPayment(start);
    expect(await epay.pay(start.trade_no)).toMatchObject({ status: 200, body: 'success' });
    expect(await orderSeen(hub(), start.trade_no)).toMatchObject({ status: 'success' });
    expect(epay.payments.get(start.trade_no)!.returnUrl).toBe(
      `${isOwn ? 'https://hub.example' : origin()}/hub/panel/topup?order=${start.trade_no}`,
    );
  });
});

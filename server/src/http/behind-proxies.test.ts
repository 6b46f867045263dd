import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { newSqlite } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { hasCaddy, startCaddySite } from '#testing/network/caddy.ts';
import { hasNginx, startNginxSite } from '#testing/network/nginx.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { RealtimeClient } from '#testing/realtime-client.ts';
import { hello } from '#testing/relay-calls.ts';

const reply = { choices: [{ message: { content: 'hi' } }], usage: { prompt_tokens: 8, completion_tokens: 1 } };

const proxies = [
  { file: 'deploy/nginx.conf', start: startNginxSite, isHere: hasNginx() },
  { file: 'deploy/Caddyfile', start: startCaddySite, isHere: hasCaddy() },
];

/** Real proxies with the sites of the deploy kit, in front of a real server. */
for (const { file, start, isHere } of proxies)
  describe.skipIf(!isHere)(`behind ${file}`, () => {
    const hub = hubForSuite(newSqlite, { TRUSTED_PROXIES: '127.0.0.1' });
    const upstream = upstreamForSuite();
    const raw = rawUpstreamForSuite();
    let proxy: Awaited<ReturnType<typeof startNginxSite>>;
    let who: TestCaller;
    let agent: Agent;

    beforeAll(async () => {
      proxy = await start(hub().server.port);
      setDefaultCACertificates([...getCACertificates('default'), proxy.ca]);
      agent = new Agent({ ca: proxy.ca, keepAlive: true });
      await addChannel(hub(), raw().url, { models: 'gpt-4o' });
      await addChannel(hub(), upstream().url, { models: 'gpt-realtime' });
      who = await addCaller(hub().server.deps.db, { quota: 1_000_000_000 });
    });
    afterAll(async () => {
      agent?.destroy();
      await proxy?.stop();
    });

    async function call(
      body: object,
      options: Omit<RequestOptions, 'headers'> & { headers?: Record<string, string> } = {},
    ): Promise<IncomingMessage> {
      const { headers, ...more } = options;
      const sent = request(`${proxy.url}/v1/chat/completions`, {
        method: 'POST',
        agent,
        headers: { authorization: `Bearer ${who.key}`, 'content-type': 'application/json', ...headers },
        ...more,
      }).end(JSON.stringify(body));
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      return response;
    }

    test('a piece of a stream arrives before the provider sends the next one', async () => {
      const pieces = ['one', 'two', 'three'];
      const received: string[] = [];
      let passOn: () => void = () => {};
      raw().reply = async (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const content of pieces) {
          const arrived = new Promise<void>((resolve) => (passOn = resolve));
          response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
          await arrived;
        }
        response.end('data: [DONE]\n\n');
      };
      const response = await call({ ...hello, stream: true });
      for await (const piece of response) {
        for (const [, content = ''] of String(piece).matchAll(/"content":"(\w+)"/g)) received.push(content);
        passOn();
      }
      expect(received).toEqual(pieces);
    });

    test('a WebSocket session opens and passes events', async () => {
      const client = new RealtimeClient({ url: proxy.url }, '/v1/realtime?model=gpt-realtime', who.key);
      await client.opened;
      client.send({ type: 'response.create' });
      await client.until('response.done');
      client.socket.close();
      await client.closed;
    });

    test('the log has the address of the client, not that of the proxy or one that the client made up', async () => {
      raw().reply = (response) => sendJson(response, reply);
      const response = await call(hello, {
        localAddress: '127.0.0.7',
        agent: new Agent({ ca: proxy.ca }),
        headers: { 'x-forwarded-for': '203.0.113.9', 'user-agent': 'from elsewhere' },
      });
      expect({ status: response.statusCode, body: await text(response) }).toMatchObject({ status: 200 });
      const rows = () => rowsOf(hub().server.deps.db, who);
      await expect.poll(async () => (await rows()).map(({ source_ip }) => source_ip)).toContain('127.0.0.7');
      expect((await rows()).map(({ source_ip }) => source_ip)).not.toContain('203.0.113.9');
    });

    test('a body of 24 MiB reaches the provider whole', async () => {
      raw().reply = (response) => sendJson(response, reply);
      const url = `data:image/png;base64,${'A'.repeat(24 * 1024 * 1024)}`;
      const content = [{ type: 'image_url', image_url: { url } }];
      const response = await call({ ...hello, messages: [{ role: 'user', content }] });
      expect({ status: response.statusCode, body: await text(response) }).toMatchObject({ status: 200 });
      expect(raw().requests.at(-1)!.body.length).toBeGreaterThan(24 * 1024 * 1024);
    });

    test('sessions of the console are limited to TLS, and plain HTTP leads there', async () => {
      const plain = await fetch(`${proxy.plainUrl}/login?next=/panel`, { redirect: 'manual' });
      expect([plain.status, plain.headers.get('location')]).toEqual([
        308,
        expect.stringMatching(/^https:\/\/localhost(:\d+)?\/login\?next=\/panel$/),
      ]);
      const sent = request(`${proxy.url}/api/user/login`, {
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', origin: proxy.url },
      }).end(JSON.stringify({ username: 'root', password: 'a-password-for-tests' }));
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      expect(await text(response)).toContain('"success":true');
      expect(response.headers['set-cookie']?.join()).toMatch(/; Secure/i);
    });
  });

import { createHash } from 'node:crypto';
import { channelApi } from '@relay-hub/contract';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, addToken, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { encryptedForSuite, httpProxyForSuite, socksProxyForSuite } from '#testing/network/proxies.ts';
import { errorOf, hello, post } from '#testing/relay-calls.ts';
import { trustTestCertificate } from '#testing/network/tls-for-tests.ts';

onOneDatabase('a channel’s proxy', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const http = httpProxyForSuite();
  const socks = socksProxyForSuite();
  const tls = httpProxyForSuite('https');
  const encrypted = encryptedForSuite(upstream);
  beforeAll(trustTestCertificate);
  const db = () => hub().server.deps.db;
  const proxyOf = { http, socks5: socks };
  let who: TestCaller;
  let id = 0;

  const goThrough = async (proxy: string, more: object = {}) => {
    id = await addChannel(hub(), upstream().url, { proxy, test_model: 'gpt-4o', ...more });
  };

  beforeEach(async () => {
    who = await addCaller(db());
    for (const proxy of [http(), socks(), tls()]) {
      proxy.requested.length = 0;
      proxy.user = undefined;
    }
  });
  afterEach(async () => {
    await hub().root.call(channelApi.remove, { params: { id } });
    expect(hub().server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(db());
  });

  test.each(['http', 'socks5'] as const)('%s: calls, streams and tests go through it', async (scheme) => {
    const proxy = proxyOf[scheme]();
    await goThrough(`${scheme}://127.0.0.1:${proxy.port}`);
    expect((await post(hub(), who.key, hello)).status).toBe(200);
    const streamed = await post(hub(), who.key, { ...hello, stream: true });
    expect(streamed.text).toContain('[DONE]');
    const asked = proxy.requested.length;
    expect(asked).toBeGreaterThan(0);
    await hub().root.call(channelApi.test, { params: { id } });
    expect(upstream().requests.at(-1)?.headers).not.toHaveProperty('proxy-authorization');
    const other = scheme === 'http' ? socks() : http();
    expect(other.requested).toEqual([]);
    expect(await rowsOf(db(), who)).toHaveLength(2);
  });

  test.each(['http', 'socks5'] as const)('%s: only the proxy receives its user and password', async (scheme) => {
    const proxy = proxyOf[scheme]();
    proxy.user = 'me:a p@ss';
    await goThrough(`${scheme}://me:a%20p%40ss@127.0.0.1:${proxy.port}`);
    expect((await post(hub(), who.key, hello)).status).toBe(200);
    expect(upstream().requests.at(-1)?.headers.authorization).toBe('Bearer sk-upstream-key-0001');
  });

  test.each(['http', 'socks5'] as const)(
    '%s: one that does not let us in is a failure of the channel',
    async (scheme) => {
      const proxy = proxyOf[scheme]();
      proxy.user = 'me:right';
      await goThrough(`${scheme}://me:wrong-secret@127.0.0.1:${proxy.port}`);
      const answer = await post(hub(), who.key, hello);
      expect(answer.status).toBe(502);
      expect(errorOf(answer).code).toBe('upstream_unreachable');
      expect(answer.text).not.toContain('wrong-secret');
      const [row] = await rowsOf(db(), who);
      expect(row?.metadata?.attempts?.[0]).toMatchObject({ status: 0, result: 'connect_failed' });
    },
  );

  test.each(['http', 'https', 'socks5'])(
    '%s: one that is not there is a failure, and nobody goes around it',
    async (s) => {
      const before = upstream().requests.total;
      await goThrough(`${s}://127.0.0.1:9`);
      expect((await post(hub(), who.key, hello)).status).toBe(502);
      expect(upstream().requests.total).toBe(before);
    },
  );

  test.each(['http', 'https', 'socks5'] as const)(
    '%s: a tunnel for what is encrypted, to the very end',
    async (scheme) => {
      const proxy = { ...proxyOf, https: tls }[scheme]();
      proxy.user = 'me:secret';
      const host = scheme === 'https' ? 'localhost' : '127.0.0.1';
      await goThrough(`${scheme}://me:secret@${host}:${proxy.port}`, {
        base_url: `https://localhost:${encrypted().port}`,
      });
      expect((await post(hub(), who.key, hello)).status).toBe(200);
      expect((await post(hub(), who.key, { ...hello, stream: true })).text).toContain('[DONE]');
      await hub().root.call(channelApi.test, { params: { id } });
      const asked = `localhost:${encrypted().port}`;
      expect(new Set(proxy.requested)).toEqual(new Set([scheme === 'socks5' ? asked : `CONNECT ${asked}`]));
      proxy.user = 'me:other';
      await hub().root.call(channelApi.update, { body: { id, connect_timeout: 1 } });
      expect((await post(hub(), who.key, hello)).status).toBe(502);
    },
  );

  test('a connection made through one proxy is not used for another', async () => {
    await goThrough(`socks5://127.0.0.1:${socks().port}`);
    expect((await post(hub(), who.key, hello)).status).toBe(200);
    await hub().root.call(channelApi.update, { body: { id, proxy: `http://127.0.0.1:${http().port}`, key: 'sk-two' } });
    expect((await post(hub(), who.key, hello)).status).toBe(200);
    expect(http().requested).toHaveLength(1);
    await hub().root.call(channelApi.update, { body: { id, proxy: '', key: 'sk-three' } });
    expect((await post(hub(), who.key, hello)).status).toBe(200);
    expect(http().requested).toHaveLength(1);
    expect(upstream().requests.at(-1)?.headers.authorization).toBe('Bearer sk-three');
  });

  test('%s in it is another word for each key', async () => {
    const md5 = createHash('md5').update('sk-upstream-key-0001').digest('hex');
    http().user = `user-${md5}:pass`;
    await goThrough(`http://user-%s:pass@127.0.0.1:${http().port}`);
    expect((await post(hub(), who.key, hello)).status).toBe(200);
    await hub().root.call(channelApi.test, { params: { id } });
    const { key } = await addToken(hub());
    expect((await post(hub(), `${key}#${id}`, '', '/v1/files', { method: 'GET' })).status).toBe(200);
    expect(new URL(http().requested.at(-1)!).pathname).toBe('/v1/files');
  });
});

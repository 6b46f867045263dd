import { channelApi } from '@relay-hub/contract';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { encryptedForSuite, httpProxyForSuite, socksProxyForSuite } from '#testing/network/proxies.ts';
import { RealtimeClient } from '#testing/realtime-client.ts';
import { hello, post } from '#testing/relay-calls.ts';
import { trustTestCertificate } from '#testing/network/tls-for-tests.ts';

const MODEL = 'gpt-4o';
const PATH = `/v1/realtime?model=${MODEL}`;

onOneDatabase('realtime through a channel’s proxy', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const encrypted = encryptedForSuite(upstream);
  const proxies = { http: httpProxyForSuite(), https: httpProxyForSuite('https'), socks5: socksProxyForSuite() };
  const schemes = Object.keys(proxies) as (keyof typeof proxies)[];
  beforeAll(trustTestCertificate);
  const db = () => hub().server.deps.db;
  let who: TestCaller;
  let id = 0;

  beforeEach(async () => {
    who = await addCaller(db());
    for (const proxy of Object.values(proxies)) {
      proxy().requested.length = 0;
      proxy().user = undefined;
    }
  });
  afterEach(async () => {
    await hub().root.call(channelApi.remove, { params: { id } });
    await expect.poll(() => hub().server.deps.book.openCalls, { message: 'open calls' }).toBe(0);
    await expectBooksBalance(db());
  });

  const sessions = () => upstream().realtime.sessions;
  const addressOf = (scheme: keyof typeof proxies, user = '') =>
    `${scheme}://${user}${scheme === 'https' ? 'localhost' : '127.0.0.1'}:${proxies[scheme]().port}`;
  const goThrough = async (proxy: string, base_url: string) => {
    id = await addChannel(hub(), base_url, { proxy, models: MODEL });
  };

  /** A session with messages both ways. */
  async function talk(): Promise<void> {
    const before = sessions().length;
    const client = new RealtimeClient(hub(), PATH, who.key);
    await client.opened;
    await client.until('session.created');
    client.send({ type: 'response.create' });
    await client.until('response.done');
    client.socket.close(1000);
    expect((await client.closed).code).toBe(1000);
    expect(sessions()).toHaveLength(before + 1);
    expect(sessions().at(-1)!.headers).not.toHaveProperty('proxy-authorization');
  }

  describe.each(schemes)('%s', (scheme) => {
    test.each(['plain', 'encrypted'])(
      'a session of a %s upstream goes through a tunnel, with its password',
      async (kind) => {
        const base = kind === 'plain' ? upstream().url : `https://localhost:${encrypted().port}`;
        proxies[scheme]().user = 'me:a p@ss';
        await goThrough(addressOf(scheme, 'me:a%20p%40ss@'), base);
        await talk();
        const { host } = new URL(base);
        expect(proxies[scheme]().requested).toEqual([scheme === 'socks5' ? host : `CONNECT ${host}`]);
        await expect
          .poll(() => rowsOf(db(), who))
          .toMatchObject([
            { failed: false, metadata: { endpoint: '/v1/realtime', attempts: [{ status: 101, result: 'ok' }] } },
          ]);
      },
    );

    test('other calls of the same channel go their own way through it', async () => {
      await goThrough(addressOf(scheme), upstream().url);
      await talk();
      const through = proxies[scheme]().requested.length;
      expect((await post(hub(), who.key, hello)).status).toBe(200);
      expect(proxies[scheme]().requested.length).toBeGreaterThan(through);
    });

    test.each(['that does not let us in', 'that is not there'])(
      'one %s is told, and nobody goes around it',
      async (which) => {
        const before = sessions().length;
        proxies[scheme]().user = 'me:right';
        await goThrough(
          which === 'that is not there' ? `${scheme}://127.0.0.1:9` : addressOf(scheme, 'me:wrong-secret@'),
          upstream().url,
        );
        const refused = new RealtimeClient(hub(), PATH, who.key).opened;
        await expect(refused).rejects.toMatchObject({ status: 502, code: 'upstream_unreachable' });
        await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining('wrong-secret') });
        expect(sessions()).toHaveLength(before);
        await expect
          .poll(() => rowsOf(db(), who))
          .toMatchObject([
            { quota: 0, failed: true, metadata: { attempts: [{ status: 0, result: 'connect_failed' }] } },
          ]);
      },
    );
  });
});

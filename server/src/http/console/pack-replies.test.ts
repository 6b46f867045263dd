import { request as ask, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { newSqlite } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';

const unpack = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync };

interface Came {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  /** As sent. */
  bytes: Buffer;
}

describe('replies of the management API are compressed', () => {
  const hub = hubForSuite(newSqlite);
  const large = '/api/prices?type=default';

  /** `fetch` would decompress. */
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<Came>((resolve, reject) => {
      const cookie = hub().root.cookie;
      ask(hub().url + path, { method, headers: { cookie, ...headers } }, (answer) => {
        const { statusCode: status, headers: told } = answer;
        buffer(answer).then((bytes) => resolve({ status, headers: told, bytes }), reject);
      })
        .on('error', reject)
        .end();
    });

  test.each([
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['gzip, zstd;q=0', 'gzip'],
    ['*', 'zstd'],
  ] as const)('for a client that takes "%s": by %s', async (accepted, coding) => {
    const plain = await get(large);
    const { headers, bytes } = await get(large, { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(coding);
    expect(headers.vary).toBe('Accept-Encoding');
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(Number(headers['content-length'])).toBe(bytes.length);
    expect(bytes.length).toBeLessThan(plain.bytes.length / 3);
    expect(unpack[coding](bytes).toString()).toBe(plain.bytes.toString());
  });

  test.each([
    ['nothing', {}],
    ['other codings', { 'accept-encoding': 'deflate, br;q=0, identity' }],
  ])('not for a client that takes %s', async (_, headers: Record<string, string>) => {
    const came = await get(large, headers);
    expect(came.headers['content-encoding']).toBeUndefined();
    expect(came.headers.vary).toBe('Accept-Encoding');
    expect(JSON.parse(came.bytes.toString())).toMatchObject({ success: true });
  });

  test('not for small replies', async () => {
    const came = await get('/api/notice', { 'accept-encoding': 'br' });
    expect(came.headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(came.bytes.toString())).toMatchObject({ success: true });
  });

  test('HEAD reports the same length', async () => {
    const whole = await get(large, { 'accept-encoding': 'br' });
    const head = await get(large, { 'accept-encoding': 'br' }, 'HEAD');
    expect(head.bytes.length).toBe(0);
    expect(head.headers['content-length']).toBe(whole.headers['content-length']);
    expect(head.headers['content-encoding']).toBe('br');
  });

  test.each(['cross-site', 'same-site'])(
    'not for cross-site requests (%s), whose length could leak contents',
    async (site) => {
      const came = await get(large, { 'accept-encoding': 'br', 'sec-fetch-site': site });
      expect(came.headers['content-encoding']).toBeUndefined();
      const own = await get(large, { 'accept-encoding': 'br', 'sec-fetch-site': 'same-origin' });
      expect(own.headers['content-encoding']).toBe('br');
    },
  );

  test('a file is streamed uncompressed', async () => {
    const came = await get('/api/log/export?language=en_US', { 'accept-encoding': 'br' });
    expect(came.status).toBe(200);
    expect(came.headers['content-encoding']).toBeUndefined();
  });
});

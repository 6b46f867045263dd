import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { csvFile, downloadOptions, endpoints, perLanguage } from '@relay-hub/contract';
import { register } from '@relay-hub/contract/registry';
import type { FastifyInstance } from 'fastify';
import fastify from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { onOneDatabase } from '#testing/databases.ts';
import { ApiClient, hubForSuite } from '#testing/hub.ts';
import { addPerson } from '#testing/people.ts';
import { csv } from '#http/csv.ts';
import { errorRenderer } from '#http/error-reply.ts';
import { serveFile } from '#http/serve.ts';
import { until, untilStill } from '#testing/until.ts';

const query = z.object({ ...downloadOptions, rows: z.coerce.number().check(z.gte(0)) });
const table = { audience: 'admin', summary: 'Rows', file: csvFile, query } as const;
const schemas = { rows: table, broken: table };
const api = register('test', endpoints<typeof schemas>({ rows: 'GET /rows', broken: 'GET /broken' }), schemas);

onOneDatabase('downloads', (make) => {
  const hub = hubForSuite(make);
  const state = { made: 0, ended: 0 };
  const begun = Promise.withResolvers<void>();
  let app: FastifyInstance;
  let root: ApiClient;
  let port: number;

  /** Rows of 1 KiB. */
  async function* rows(count: number) {
    try {
      while (state.made < count) yield String(state.made++).padEnd(1024, '.');
    } finally {
      state.ended++;
    }
  }

  beforeAll(async () => {
    const { deps } = hub().server;
    app = fastify();
    app.setErrorHandler(errorRenderer(1024, deps));
    const heading = { ...perLanguage(() => ''), zh_CN: '名称', zh_HK: '名稱', en_US: 'Name', ja_JP: '名前' };
    serveFile(app, deps, api.rows, async ({ query: { rows: count } }, { language, viewer }) => ({
      name: `${viewer.username} 的 "行".csv`,
      pieces: csv([{ heading: heading[language], cell: (row: string) => row }], rows(count)),
    }));
    serveFile(app, deps, api.broken, async () => ({
      name: 'broken.csv',
      pieces: (async function* () {
        yield 'first\r\n';
        await begun.promise; // the first piece is on its way
        throw new Error('the database is gone');
      })(),
    }));
    await app.listen({ port: 0, host: '127.0.0.1' });
    port = (app.server.address() as { port: number }).port;
    root = new ApiClient(`http://127.0.0.1:${port}`);
    root.cookie = hub().root.cookie;
  });
  afterAll(async () => app?.close());
  beforeEach(() => Object.assign(state, { made: 0, ended: 0 }));

  test('have their type, name and text', async () => {
    const { status, headers, body } = await root.try(api.rows, { query: { rows: 2 } });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="root _ ___.csv"; filename*=UTF-8''root%20%E7%9A%84%20%22%E8%A1%8C%22.csv`,
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(body).toMatchObject({ data: expect.stringMatching(/^\uFEFF?Name\r\n0\.+\r\n1\.+\r\n$/) });
  });

  test.each([
    ['zh-CN', '名称'],
    ['en', 'Name'],
  ])('speak %s when a link asks for it, whatever the browser does', async (language, heading) => {
    expect(await root.download(api.rows, { query: { rows: 0, language } })).toContain(`${heading}\r\n`);
  });

  test('begin with a byte order mark for spreadsheets', async () => {
    const response = await fetch(`${root.url}/rows?rows=1`, { headers: { cookie: root.cookie } });
    expect([...new Uint8Array(await response.arrayBuffer()).slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  });

  test('are refused with an envelope before any row is produced', async () => {
    const user = await addPerson(hub());
    const plain = new ApiClient(root.url);
    plain.cookie = user.client.cookie;
    const ask = (client: ApiClient, path: string) => client.send('GET', path);
    expect(await ask(new ApiClient(root.url), '/rows?rows=1')).toMatchObject({ status: 401 });
    expect(await ask(plain, '/rows?rows=1')).toMatchObject({ status: 403, body: { code: 'session.role' } });
    expect(await ask(root, '/rows?rows=-1')).toMatchObject({ status: 400, body: { field: 'rows' } });
    expect(await ask(root, '/rows?rows=1&time_zone=Mars/Olympus')).toMatchObject({
      status: 400,
      body: { field: 'time_zone', message: expect.stringContaining('IANA') },
    });
    expect(state).toEqual({ made: 0, ended: 0 });
  });

  test('produce no rows for HEAD', async () => {
    const headers = { cookie: root.cookie };
    const response = await fetch(`${root.url}/rows?rows=1000000`, { method: 'HEAD', headers });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toMatch(/^attachment/);
    await root.download(api.rows, { query: { rows: 0 } });
    expect(state.made).toBe(0);
  });

  test('that fail midway are cut off, so that a client notices', async () => {
    const response = await fetch(`${root.url}/broken?rows=1`, { headers: { cookie: root.cookie } });
    begun.resolve();
    await expect(response.text()).rejects.toThrow();
  });

  describe('of a gigabyte', () => {
    const ROWS = 1_000_000;

    /** Requests the file and does not read. */
    async function ask(): Promise<Socket> {
      const socket = connect(port, '127.0.0.1').pause();
      socket.write(`GET /rows?rows=${ROWS} HTTP/1.1\r\nHost: x\r\nCookie: ${root.cookie}\r\n\r\n`);
      await settled();
      return socket;
    }

    const settled = async (): Promise<void> => {
      await until('the first row', () => state.made > 0);
      await untilStill('no more rows are produced', () => state.made);
    };

    const gone = () => until('the file is given up', () => state.ended === 1);

    test('wait for a slow client instead of filling the memory', async () => {
      const before = process.memoryUsage();
      const socket = await ask();
      const unread = state.made;
      // Taken by the system's buffers.
      expect(unread).toBeLessThan(ROWS / 20);
      const after = process.memoryUsage();
      expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(64 * 1024 * 1024);
      let read = 0;
      socket.on('data', (bytes) => {
        read += bytes.length;
        if (read > 2 * unread * 1024) socket.pause();
      });
      socket.resume();
      await until('the client has read its part', () => read > 2 * unread * 1024);
      await settled();
      expect(state.made).toBeGreaterThan(unread);
      expect(state.made).toBeLessThan(ROWS / 5);
      socket.destroy();
      await gone();
    });

    test('stop when the client disconnects', async () => {
      const socket = await ask();
      expect(state.ended).toBe(0);
      socket.destroy();
      await gone();
      const { made } = state;
      await root.download(api.rows, { query: { rows: 0 } });
      expect(state.made).toBe(made);
    });
  });
});

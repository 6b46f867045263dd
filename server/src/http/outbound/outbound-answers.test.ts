import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { type RequestHandler, answeringForSuite, outboundOptions as options } from '#testing/network/outbound.ts';
import { fetchGuarded } from './outbound.ts';

const server = answeringForSuite();
const text =
  (body: string, headers: Record<string, string> = {}): RequestHandler =>
  (_, response) =>
    void response.writeHead(200, headers).end(body);

describe('a request with a secret', () => {
  const sent = {
    method: 'POST',
    headers: { authorization: 'Bearer secret', 'content-type': 'text/plain' },
    body: 'told',
  };

  test('arrives complete, and every status is a valid response', async () => {
    server.answer = (request, response) => {
      const { method, headers } = request;
      void request.toArray().then((pieces) => {
        const body = Buffer.concat(pieces as Buffer[]).toString(); // no encoding is set
        return response.writeHead(401).end([method, headers.authorization, headers['content-type'], body].join(' '));
      });
    };
    const { status, body } = await fetchGuarded(server.here(), options({ request: sent }));
    expect([status, body.toString()]).toEqual([401, 'POST Bearer secret text/plain told']);
  });

  test('does not follow redirects', async () => {
    const paths: string[] = [];
    server.answer = (request, response) => {
      paths.push(request.url ?? '');
      response.writeHead(302, { location: '/elsewhere' }).end();
    };
    expect(await fetchGuarded(server.here(), options({ request: sent }))).toMatchObject({ status: 302 });
    expect(paths).toEqual(['/']);
  });

  test('reaches no private network, and can be aborted', async () => {
    const address = `http://127.0.0.2:${server.port}/`;
    await expect(fetchGuarded(address, options({ request: sent }))).rejects.toMatchObject({ code: 'outbound.private' });
    const over = new AbortController();
    server.answer = () => over.abort();
    const asking = fetchGuarded(server.here(), options({ request: sent, signal: over.signal }));
    await expect(asking).rejects.toMatchObject({ code: 'outbound.timeout' });
  });
});

describe('an answer', () => {
  test('with a status other than 200 is an error', async () => {
    server.answer = (_, response) => void response.writeHead(404).end();
    await expect(fetchGuarded(server.here(), options())).rejects.toMatchObject({
      code: 'outbound.status',
      values: { status: 404 },
    });
  });

  test('is not read if declared too large, and is cut off if it becomes too large', async () => {
    server.answer = text('x'.repeat(1001));
    await expect(fetchGuarded(server.here(), options())).rejects.toMatchObject({ code: 'outbound.too_large' });
    const cutOff = new Promise((resolve) => {
      server.answer = (_, response) => {
        // Never ends by itself.
        const more = setInterval(() => response.write('x'.repeat(100)), 1);
        response.on('close', () => (clearInterval(more), resolve('cut off')));
      };
    });
    await expect(fetchGuarded(server.here(), options())).rejects.toMatchObject({ code: 'outbound.too_large' });
    expect(await cutOff).toBe('cut off');
  });

  test.each<[string, RequestHandler]>([
    ['that does not come', () => {}],
    ['that never ends', (_, response) => void response.writeHead(200).write('[')],
    [
      'that only leads on, slowly',
      (_, response) => void setTimeout(() => response.writeHead(302, { location: '/' }).end(), 150),
    ],
  ])('%s is not waited for', async (_, slow) => {
    server.answer = slow;
    // Without a separate limit this would never end, or end with another code.
    await expect(fetchGuarded(server.here(), options({ timeoutMs: 300 }))).rejects.toMatchObject({
      code: 'outbound.timeout',
    });
  });

  test('a DNS lookup that hangs times out', async () => {
    const resolve = () => new Promise<never>(() => {});
    await expect(fetchGuarded('http://slow.example', options({ resolve, timeoutMs: 100 }))).rejects.toMatchObject({
      code: 'outbound.timeout',
    });
  });

  test('a broken response and a closed port are reported', async () => {
    server.answer = (_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      response.socket?.destroySoon();
    };
    await expect(fetchGuarded(server.here(), options())).rejects.toMatchObject({ code: 'outbound.failed' });
    await expect(fetchGuarded('http://127.0.0.1:1/', options())).rejects.toMatchObject({
      code: 'outbound.failed',
      values: { reason: 'ECONNREFUSED' },
    });
  });

  test('the request carries nothing but the accepted type', async () => {
    let headers: IncomingMessage['headers'] = {};
    server.answer = (request, response) => {
      headers = request.headers;
      response.end();
    };
    await fetchGuarded(server.here(), options());
    expect(headers).toMatchObject({ accept: 'application/json', 'accept-encoding': 'identity' });
    expect(Object.keys(headers).toSorted()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
  });
});

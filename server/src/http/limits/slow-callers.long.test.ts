import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addCaller, type TestCaller } from '#testing/callers.ts';
import { newSqlite } from '#testing/databases.ts';
import { addChannel, addToken, hubForSuite } from '#testing/hub.ts';
import { type RawUpstream, rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { hello, post } from '#testing/relay-calls.ts';
import { callRaw, dribble } from '#testing/network/slow-caller.ts';

const hub = hubForSuite(newSqlite, {
  HEADERS_TIMEOUT: '1',
  BODY_IDLE_TIMEOUT: '1',
  BODY_MIN_RATE: '2048',
  KEEP_ALIVE_TIMEOUT: '1',
  SEND_TIMEOUT: '2',
});
const upstream = rawUpstreamForSuite();
const answer = { choices: [{ message: { content: 'hi' } }], usage: { prompt_tokens: 1, completion_tokens: 1 } };
let who: TestCaller;

beforeAll(async () => {
  await addChannel(hub(), upstream().url, { type: 1, models: 'gpt-4o,whisper-1' });
  who = await addCaller(hub().server.deps.db, { quota: 1_000_000_000_000 });
});
/** Replies of tests that run side by side, by a part of the request. */
const replies = new Map<string, RawUpstream['reply']>();
beforeEach(() => {
  upstream().reply = (response, body) => {
    const own = [...replies].find(([part]) => body.includes(part))?.[1];
    return own ? own(response, body) : sendJson(response, answer);
  };
});

const closedFor = () => Object.fromEntries(hub().server.deps.connections.closed);

const headOf = (path: string, headers: Record<string, string | number>): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');
const json = { 'Content-Type': 'application/json', 'Content-Length': 5000 };
const relay = (headers: object = {}) =>
  headOf('/v1/chat/completions', { ...json, Authorization: `Bearer ${who.key}`, ...headers });
const login = () => headOf('/api/user/login', json);
const form = () =>
  headOf('/v1/audio/transcriptions', {
    'Content-Type': 'multipart/form-data; boundary=cut',
    'Content-Length': 1_000_000,
    Authorization: `Bearer ${who.key}`,
  });
const FILE = '--cut\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\n\r\n';

describe('unfinished requests time out', () => {
  test.concurrent.each<[what: string, first: () => string, more: string, reason: string, told: RegExp]>([
    ['a connection that sends nothing', () => '', '', 'headers', /^$/],
    ['half a request line', () => 'GET / HT', '', 'headers', /^HTTP\/1\.1 408 [^]*"code":"request\.timeout"/],
    ['half a header', () => 'GET / HTTP/1.1\r\nX-', '', 'headers', /^HTTP\/1\.1 408 /],
    ['headers byte by byte', () => 'GET / HTTP/1.1\r\nX-', 'a', 'headers', /^HTTP\/1\.1 408 /],
    ['an upgrade byte by byte', () => 'GET /v1/realtime HTTP/1.1\r\nUpgrade: w', 'a', 'headers', /^HTTP\/1\.1 408 /],
    ['no body, without a key', login, '', 'body_idle', /^HTTP\/1\.1 408 [^]*"code":"request\.timeout"/],
    ['half a body, without a key', () => `${login()}{"user`, '', 'body_idle', /^HTTP\/1\.1 408 /],
    ['a body byte by byte, without a key', () => `${login()}{"user`, 'a', 'body_rate', /^HTTP\/1\.1 408 /],
    ['no body, with a key', relay, '', 'body_idle', /^HTTP\/1\.1 408 [^]*"code":"request_timeout"/],
    ['half a body, with a key', () => `${relay()}{"mod`, '', 'body_idle', /^HTTP\/1\.1 408 /],
    ['a body byte by byte, with a key', () => `${relay()}{"mod`, 'a', 'body_rate', /^HTTP\/1\.1 408 /],
    [
      'a body chunk by chunk',
      () => relay({ 'Transfer-Encoding': 'chunked' }).replace(/Content-Length: 5000\r\n/, ''),
      '1\r\na\r\n',
      'body_rate',
      /^HTTP\/1\.1 408 /,
    ],
    ['half a form', () => form() + FILE, '', 'body_idle', /^HTTP\/1\.1 408 [^]*"code":"request_timeout"/],
    ['a form byte by byte', () => form() + FILE, 'a', 'body_rate', /^HTTP\/1\.1 408 /],
    ['a body whose key is refused', () => `${relay({ Authorization: 'x' })}{`, '', 'after_answer', /^HTTP\/1\.1 401 /],
    ['a body that nobody wants', () => `${headOf('/v1/models', json)}{`, '', 'after_answer', /^HTTP\/1\.1 405 /],
  ])('%s', async (_, first, more, reason, told) => {
    const before = closedFor()[reason] ?? 0;
    const caller = await callRaw(hub().url, first());
    if (more !== '') dribble(caller, more, 100);
    const { text, ms } = await caller.closed;
    expect(text).toMatch(told);
    expect(text.match(/^HTTP\/1\.1/gm) ?? []).toHaveLength(text === '' ? 0 : 1);
    expect(ms, 'it was given its second').toBeGreaterThan(900);
    expect(closedFor()[reason]).toBeGreaterThan(before);
  });

  test('a refused upgrade whose client keeps the connection open', async () => {
    const { connections } = hub().server.deps;
    const { hostname, port } = new URL(hub().url);
    const before = connections.open;
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.write('GET /v1/realtime?model=x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    const [answered] = (await once(socket, 'data')) as [Buffer];
    expect(answered.toString()).toMatch(/^HTTP\/1\.1 401 /);
    const message = 'connections open after the refusal';
    await expect.poll(() => connections.open, { message }).toBeLessThanOrEqual(before);
    socket.destroy();
  });

  test('an idle keep-alive connection', async () => {
    const caller = await callRaw(hub().url, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    const { text } = await caller.closed;
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each([
    ['a large answer', false],
    ['a stream', true],
  ])('%s that is never read', async (_, stream) => {
    const { book } = hub().server.deps;
    const content = 'x'.repeat(1024 * 1024);
    upstream().reply = (response) => {
      if (!stream) return sendJson(response, { ...answer, filler: content.repeat(24) });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let i = 0; i < 24; i++) response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
      response.end('data: [DONE]\n\n');
    };
    const before = closedFor()['unread'] ?? 0;
    const body = JSON.stringify({ ...hello, stream });
    const caller = await callRaw(hub().url);
    caller.socket.pause();
    caller.socket.write(relay({ 'Content-Length': body.length }) + body);
    await expect.poll(() => closedFor()['unread'] ?? 0, { message: 'connections closed as unread' }).toBe(before + 1);
    await expect.poll(() => book.openCalls, { message: 'open calls' }).toBe(0);
    await expect.poll(() => hub().server.deps.bodies.used, { message: 'bytes held for bodies' }).toBe(0);
    caller.socket.destroy();
  });
});

describe.concurrent('slow but valid transfers', () => {
  /** Resolves later than every timeout that began before: when three idle callers timed out, one after another. */
  async function everyTimeout(): Promise<void> {
    for (let callers = 0; callers < 3; callers++) await (await callRaw(hub().url, login())).closed;
  }

  test('a slow, steady upload completes', async () => {
    const body = JSON.stringify({ ...hello, filler: 'x'.repeat(40_000) });
    const caller = await callRaw(hub().url, relay({ 'Content-Length': body.length, Connection: 'close' }));
    for (let at = 0; at < body.length; at += 1000) {
      caller.socket.write(body.slice(at, at + 1000));
      await sleep(60);
    }
    expect((await caller.closed).text).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('a slow, steady form upload completes', async () => {
    const body = `${FILE}${'x'.repeat(40_000)}\r\n--cut\r\nContent-Disposition: form-data; name="model"\r\n\r\nwhisper-1\r\n--cut--\r\n`;
    replies.set('a.mp3', (response) => sendJson(response, { text: 'hi' }));
    const caller = await callRaw(
      hub().url,
      form().replace('1000000', String(body.length)).replace('Host: x', 'Host: x\r\nConnection: close'),
    );
    for (let at = 0; at < body.length; at += 1000) {
      caller.socket.write(body.slice(at, at + 1000));
      await sleep(60);
    }
    expect((await caller.closed).text).toMatch(/^HTTP\/1\.1 (?:200|400) (?![^]*request_timeout)/);
  });

  test('an upload slowed down by the upstream does not time out', async () => {
    let received = 0;
    const slow = createServer((request, response) => {
      void everyTimeout().then(() => request.on('data', (piece: Buffer) => (received += piece.length)));
      request.on('end', () => sendJson(response, { id: 'file-1' }));
    });
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    const { port } = slow.address() as AddressInfo; // listening on a TCP port
    const channel = await addChannel(hub(), `http://127.0.0.1:${port}`, { type: 1, name: 'slow' });
    const { key } = await addToken(hub());
    const sent = new Uint8Array(24 * 1024 * 1024);
    const headers = { 'content-type': 'application/octet-stream' };
    const answered = await post(hub(), `${key}#${channel}`, sent, '/v1/files', { headers });
    expect(answered.status, answered.text).toBe(200);
    expect(received).toBe(sent.length);
    slow.closeAllConnections();
    slow.close();
  });

  const quietStream = (user: string) => {
    replies.set(user, async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: 'first' } }] })}\n\n`);
      await everyTimeout();
      response.end(`data: ${JSON.stringify({ choices: [{ delta: { content: 'last' } }] })}\n\ndata: [DONE]\n\n`);
    });
    return JSON.stringify({ ...hello, user, stream: true });
  };

  test('a stream with pauses longer than every timeout completes', async () => {
    const body = quietStream('quiet alone');
    const caller = await callRaw(hub().url, relay({ 'Content-Length': body.length, Connection: 'close' }) + body);
    const { text } = await caller.closed;
    expect(text).toMatch(/^HTTP\/1\.1 200 [^]*first[^]*last[^]*\[DONE\]/);
  });

  test('the same with half a request behind it; the connection closes afterwards', async () => {
    const body = quietStream('quiet with more');
    const caller = await callRaw(hub().url, `${relay({ 'Content-Length': body.length }) + body}GET / HT`);
    const { text } = await caller.closed;
    expect(text).toMatch(/^HTTP\/1\.1 200 [^]*first[^]*last[^]*\[DONE\]/);
  });

  test('a large response that is read slowly completes', async () => {
    const content = 'x'.repeat(1024 * 1024);
    replies.set('large', (response) => sendJson(response, { ...answer, filler: content.repeat(20) }));
    const body = JSON.stringify({ ...hello, user: 'large' });
    const caller = await callRaw(hub().url);
    const { socket } = caller;
    let size = 0;
    let taken = 0;
    socket.on('data', (piece: Buffer) => {
      size += piece.length;
      taken += piece.length;
      if (taken > 512 * 1024) socket.pause();
    });
    const timer = setInterval(() => {
      taken = 0;
      socket.resume();
    }, 100);
    socket.write(relay({ 'Content-Length': body.length, Connection: 'close' }) + body);
    await caller.closed;
    clearInterval(timer);
    expect(size).toBeGreaterThan(20 * 1024 * 1024);
  });
});

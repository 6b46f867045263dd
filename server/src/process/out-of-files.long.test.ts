import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openStorage, type Storage } from '#db/open.ts';
import { addCaller, type TestCaller } from '#testing/callers.ts';
import { type EmptyDatabase, newSqlite } from '#testing/databases.ts';
import { addChannel, upstreamForSuite } from '#testing/hub.ts';
import { type ServerProcess, startProcess } from '#testing/process.ts';
import { hello } from '#testing/relay-calls.ts';
import { callRaw, type RawCaller } from '#testing/network/slow-caller.ts';
import { isOutOfFiles } from './out-of-files.ts';

const upstream = upstreamForSuite();
let database: EmptyDatabase;
let storage: Storage;
let who: TestCaller;
let server: ServerProcess | undefined;

beforeAll(async () => {
  database = await newSqlite();
});
afterEach(async () => {
  await server?.kill();
  server = undefined;
});
afterAll(async () => {
  await storage?.close();
  await database?.remove();
});

/** A server with few file descriptors, a channel and a caller. */
async function start(openFiles: number, env: Record<string, string> = {}): Promise<ServerProcess> {
  const started = await startProcess(database, { LOG_LEVEL: 'warn', ...env }, undefined, openFiles);
  server = started;
  storage ??= openStorage(database);
  who ??= await addCaller(storage.db, { quota: 100_000_000 });
  await addChannel(started, upstream().url);
  return started;
}

const CHAT = '/v1/chat/completions';
const body = JSON.stringify(hello);
const call = () =>
  [
    `POST ${CHAT} HTTP/1.1`,
    'Host: x',
    'Content-Type: application/json',
    `Authorization: Bearer ${who.key}`,
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');

function upload(): string {
  const form = `--cut\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\n\r\n${'x'.repeat(400_000)}\r\n--cut--\r\n`;
  const head = call()
    .split('\r\n')
    .map((line) =>
      line.replace(CHAT, '/v1/audio/transcriptions').replace('application/json', 'multipart/form-data; boundary=cut'),
    )
    .slice(0, 4);
  return [...head, `Content-Length: ${form.length}`, '', form].join('\r\n');
}

const callFrom = async (url: string, from: string): Promise<string> => {
  const caller = await callRaw(url, call().replace('Host: x', 'Host: x\r\nConnection: close'), from);
  return (await caller.closed).text;
};

/** Opens connections with half a request, until one is refused. */
async function attack(url: string, times: number): Promise<RawCaller[]> {
  const tries = await Promise.allSettled(Array.from({ length: times }, () => callRaw(url, 'GET / HTTP/1.1\r\nX-')));
  return tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

const metricsOf = async ({ url }: ServerProcess): Promise<string> =>
  (await callRaw(url, 'GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).closed.then(({ text }) => text);

test('one address that opens more connections than there are file descriptors takes no call from another', async () => {
  const { url } = await start(400);
  const attackers = await attack(url, 900);
  for (let i = 0; i < 10; i++) expect(await callFrom(url, '127.0.0.2')).toMatch(/^HTTP\/1\.1 200 /);
  for (const { socket } of attackers) socket.destroy();
  await expect
    .poll(() => callFrom(url, '127.0.0.1'), { message: 'reply to a caller from elsewhere' })
    .toMatch(/^HTTP\/1\.1 200 /);
}, 60_000);

test('a lack of file descriptors is told as such, and no channel is blamed for it', async () => {
  const started = await start(160, { MAX_CONNECTIONS: '1000', MAX_CONNECTIONS_PER_ADDRESS: '1000' });
  const { url } = started;
  // Connected before the descriptors run out.
  const callers = await Promise.all(Array.from({ length: 40 }, () => callRaw(url)));
  const attackers = await attack(url, 300);
  await expect
    .poll(async () => (await (await callRaw(url)).closed).text)
    .toMatch(/^HTTP\/1\.1 503 [^]*Retry-After: 5\r\n[^]*"code":"server_out_of_files"/);

  // Until all others are refused: each answered call frees a descriptor.
  const { promise: until, resolve: answer } = Promise.withResolvers<void>();
  upstream().behaviour = { until };
  const [uploaders, others] = [callers.slice(0, 6), callers.slice(6)];
  for (const { socket } of others) socket.write(call());
  await expect
    .poll(() => others.filter(({ text }) => text() !== '').length, { message: 'callers with a reply' })
    .toBeGreaterThan(15);
  // A large form needs a file. Some may get one that a refused call has given back: they keep it, as they do not end.
  for (const { socket } of uploaders) socket.write(upload().slice(0, -1));
  const answeredUploads = () => uploaders.filter(({ text }) => text() !== '');
  await expect.poll(() => answeredUploads().length, { message: 'replies to uploads' }).toBeGreaterThan(0);
  answer();
  await expect
    .poll(() => others.every(({ text }) => text() !== ''), { timeout: 25_000, message: 'every caller has a reply' })
    .toBe(true);
  const refused = others.filter(({ text }) => text().startsWith('HTTP/1.1 503'));
  // Five failures in a row would open the circuit if they counted against the channel.
  expect(refused.length).toBeGreaterThan(6);
  for (const { text } of [...refused, ...answeredUploads()]) {
    expect(text()).toMatch(/^HTTP\/1\.1 503 [^]*"code":"server_out_of_files"/);
    expect(text()).toMatch(/retry-after: 5\r\n/i);
  }
  expect(others.filter(({ text }) => text().startsWith('HTTP/1.1 200')).length).toBe(others.length - refused.length);

  upstream().behaviour = {};
  for (const { socket } of [...attackers, ...callers]) socket.destroy();
  await expect
    .poll(() => callFrom(url, '127.0.0.1'), { message: 'reply to a caller from elsewhere' })
    .toMatch(/^HTTP\/1\.1 200 /);
  const metrics = await metricsOf(started);
  expect(metrics).toMatch(/^relay_hub_out_of_files_total\{where="accept"\} [1-9]/m);
  expect(metrics).toMatch(/^relay_hub_out_of_files_total\{where="call"\} [1-9]/m);
  expect(metrics).toMatch(/^relay_hub_connections_refused_total\{reason="files"\} [1-9]/m);
  expect(metrics).toMatch(/^relay_hub_attempts_total\{result="out_of_files",channel_type="8"\} [1-9]/m);
  expect(metrics).toMatch(/^relay_hub_frozen_channels 0$/m);
  expect(started.output()).toMatch(/"limit":160,[^\n]*"msg":"no file descriptors left"/);
}, 60_000);

test.each([
  [Object.assign(new Error('x'), { code: 'EMFILE' }), true],
  [new Error('y', { cause: Object.assign(new Error('x'), { code: 'ENFILE' }) }), true],
  [Object.assign(new AggregateError([Object.assign(new Error('x'), { code: 'EMFILE' })]), { code: 'EMFILE' }), true],
  [Object.assign(new Error('x'), { code: 'ENOTFOUND' }), false],
  [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), false],
  ['EMFILE', false],
  [undefined, false],
])('%s says that there are no file descriptors left: %s', (error, expected) => {
  expect(isOutOfFiles(error)).toBe(expected);
});

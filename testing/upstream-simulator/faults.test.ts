import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Behaviour, SimulatedFault } from './behaviour.ts';
import { chatRequest, collect, rawExchange, upstreamForTest } from './testing.ts';

async function ask(behaviour: Behaviour, stream = true) {
  const upstream = await upstreamForTest({ behaviour });
  const reply = await fetch(`${upstream.url}/v1/chat/completions`, chatRequest({ stream }));
  return { upstream, reply };
}

/** Chunks that a client receives of a reply whose connection may end early. */
async function wireOf(behaviour: Behaviour, stream = true) {
  const upstream = await upstreamForTest({ behaviour });
  const pieces = await rawExchange(upstream, { stream });
  return { upstream, pieces, text: Buffer.concat(pieces).toString() };
}

const count = (text: string, part: string) => text.split(part).length - 1;

test('refuse: no answer, the connection is gone', async () => {
  const { upstream, text } = await wireOf({ fault: 'refuse' });
  expect(text).toBe('');
  expect(upstream.requests.total).toBe(0);
  upstream.behaviour = {};
  upstream.next({ fault: 'refuse' });
  expect(await rawExchange(upstream, {})).toEqual([]);
  expect(upstream.requests.at(0)?.outcome).toBe('cut');
});

test('hang: no answer, the connection stays', async () => {
  const { upstream, text } = await wireOf({ fault: 'hang' });
  expect(text).toBe('');
  expect(await upstream.requests.waitFor((request) => request.clientClosed)).toMatchObject({ status: 0 });
});

test.each([true, false])('headersThenSilence (stream: %s): headers and nothing else', async (stream) => {
  const { text } = await wireOf({ fault: 'headersThenSilence' }, stream);
  expect(text).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*\r\n\r\n$/);
  expect(text).not.toContain('{');
});

test('headersThenSilence can come after some pieces', async () => {
  const { text } = await wireOf({ fault: 'headersThenSilence', faultAt: 2 });
  expect(text).toContain(' How');
  expect(text).not.toContain(' can');
});

test.each([true, false])('cutMidChunk (stream: %s): the connection ends inside the JSON', async (stream) => {
  const { upstream, text } = await wireOf({ fault: 'cutMidChunk', faultAt: 1 }, stream);
  expect(text).toMatch(/"model":"[^\n]*[^}\s](\r\n)?$/);
  expect(text).not.toMatch(/0\r\n\r\n$/);
  expect(text.includes('"content":"Hello!"')).toBe(stream);
  expect(upstream.requests.at(0)?.outcome).toBe('cut');
});

test('cutAfterFinish: everything but the usage, [DONE] and a proper end', async () => {
  const { upstream, text } = await wireOf({ fault: 'cutAfterFinish', usage: 'always' });
  expect(text).toContain('"finish_reason":"stop"');
  expect(text).not.toMatch(/\[DONE\]|"usage"|0\r\n\r\n$/);
  expect(upstream.requests.at(0)?.outcome).toBe('cut');
});

test('endWithoutDone: a proper end in the middle', async () => {
  const { upstream, reply } = await ask({ fault: 'endWithoutDone', faultAt: 2 });
  const text = await reply.text();
  expect(text).toContain(' can"');
  expect(text).not.toMatch(/ help|"finish_reason":"|\[DONE\]/);
  expect(upstream.requests.at(0)?.outcome).toBe('answered');
});

test('truncatedJson: less than the announced length', async () => {
  const { text } = await wireOf({ fault: 'truncatedJson' }, false);
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const announced = Number(/content-length: (\d+)/.exec(head)?.[1]);
  expect(body.length).toBe(Math.floor(announced * 0.6));
});

test('errorBody200 and errorInStream: errors behind a 200', async () => {
  const plain = await ask({ fault: 'errorBody200' });
  expect(plain.reply.headers.get('content-type')).toBe('application/json');
  expect(await plain.reply.json()).toHaveProperty('error.type', 'server_error');
  const streamed = await (
    await ask({ fault: 'errorInStream', error: { error: { message: 'overloaded' } } })
  ).reply.text();
  expect(streamed).toMatch(/data: \{"error":\{"message":"overloaded"\}\}\n\n$/);
});

test.each([502, 200])('html: a page with status %d', async (status) => {
  const { reply } = await ask({ fault: 'html', ...(status === 200 && { status }) });
  expect([reply.status, reply.headers.get('content-type')]).toEqual([status, 'text/html']);
  expect(await reply.text()).toContain('<html>');
});

test('gzipBomb: few bytes that become many', async () => {
  const { pieces } = await wireOf({ fault: 'gzipBomb', bombBytes: 5_000_000 }, false);
  const whole = Buffer.concat(pieces);
  const body = whole.subarray(whole.indexOf('\r\n\r\n') + 4);
  expect(body.length).toBeLessThan(10_000);
  expect(gunzipSync(body)).toHaveLength(5_000_000);
});

test.each<[SimulatedFault, (text: string) => void]>([
  ['crlf', (text) => expect(text).toMatch(/^data: .*\r\n\r\n[^]*data: \[DONE\]\r\n\r\n$/)],
  ['bom', (text) => expect(text.startsWith('\uFEFFdata: ')).toBe(true)],
  ['comments', (text) => expect(count(text, ': ping\n\n')).toBe(count(text, 'data: '))],
])('%s: a whole stream, oddly written', async (fault, look) => {
  const { reply } = await ask({ fault });
  look(Buffer.from(await reply.arrayBuffer()).toString());
});

test('splitUtf8: characters arrive in halves', async () => {
  // The pause keeps the kernel from joining the chunks on a busy machine.
  const { pieces } = await wireOf({ fault: 'splitUtf8', chunkMs: 20 });
  expect(pieces.filter((piece) => piece.toString().includes('\uFFFD')).length).toBeGreaterThan(5);
  const text = await (await ask({ fault: 'splitUtf8' })).reply.text();
  expect(text).toContain('"content":"世界"');
  expect(text).not.toContain('\uFFFD');
});

test('drip: one byte at a time', async () => {
  const { upstream, reply } = await ask({ fault: 'drip', dripMs: 1, text: 'ok' }, false);
  const pieces = await collect(reply.body!);
  expect(pieces.length).toBeGreaterThan(50);
  expect(JSON.parse(Buffer.concat(pieces).toString())).toHaveProperty('choices.0.message.content', 'ok');
  await upstream.requests.waitFor((request) => request.outcome === 'answered');
});

test.each([true, false])('hugeLine (stream: %s): all of it arrives', async (stream) => {
  const { reply } = await ask({ fault: 'hugeLine', lineBytes: 3_000_000 }, stream);
  const text = await reply.text();
  expect(text.length).toBeGreaterThan(3_000_000);
  expect(/x+/.exec(text.slice(text.indexOf('xxx')))?.[0]).toHaveLength(3_000_000);
});

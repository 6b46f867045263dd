import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { startUpstream, type Upstream, type UpstreamOptions } from './start-upstream.ts';

/** An upstream that stops with the test. */
export async function upstreamForTest(options: UpstreamOptions = {}): Promise<Upstream> {
  const upstream = await startUpstream(options);
  onTestFinished(() => upstream.close());
  return upstream;
}

export function chatRequest(body: object, headers: Record<string, string> = {}) {
  return {
    method: 'POST',
    headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Say hello' }], ...body }),
  };
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The raw chunks received until the other side ends the connection or `quietMs` pass. */
export function rawExchange(
  upstream: Upstream,
  body: object,
  headers: Record<string, string> = {},
  quietMs = 300,
): Promise<Buffer[]> {
  const { headers: all, body: text } = chatRequest(body, { ...headers, connection: 'close' });
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n${lines.join('')}content-length: ${Buffer.byteLength(text)}\r\n\r\n`;
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    const socket = connect(upstream.port, '127.0.0.1', () => socket.write(head + text));
    socket.setNoDelay(true);
    socket.setTimeout(quietMs, () => socket.destroy());
    socket.on('data', (piece: Buffer) => pieces.push(piece));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(pieces));
  });
}

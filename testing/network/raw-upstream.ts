import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';

/** An upstream that sends exactly the test's bytes. */
export interface RawUpstream {
  url: string;
  /** Received requests. */
  requests: { url: string; headers: IncomingHttpHeaders; body: Buffer }[];
  reply: (response: ServerResponse, body: Buffer) => void | Promise<void>;
}

export function rawUpstreamForSuite(): () => RawUpstream {
  const upstream: RawUpstream = { url: '', requests: [], reply: (response) => void response.end() };
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const body = Buffer.concat(pieces);
      upstream.requests.push({ url: request.url ?? '', headers: request.headers, body });
      void upstream.reply(response, body);
    });
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    upstream.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listening on a TCP port
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return () => upstream;
}

/** Sends a stream in separate chunks, then ends it or cuts the connection. */
export async function sendStream(
  response: ServerResponse,
  pieces: readonly (string | Buffer)[],
  ending: 'end' | 'cut' = 'end',
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  await new Promise(setImmediate);
  for (const piece of pieces) {
    await new Promise<void>((resolve) => response.write(piece, () => resolve()));
    await new Promise(setImmediate);
  }
  if (ending === 'end') response.end();
  else response.socket?.destroy();
}

export function sendJson(
  response: ServerResponse,
  json: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof json === 'string' ? json : JSON.stringify(json));
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BlockList } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import type { OutboundOptions } from '#http/outbound.ts';

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that answers as the test says, for a suite: every loopback address of this machine leads to it. */
export function answeringForSuite(): { answer: Answer; port: number; here(): string } {
  const answering = {
    answer: ((_, response) => void response.end()) as Answer,
    port: 0,
    here: () => `http://127.0.0.1:${answering.port}/`,
  };
  const server = createServer((request, response) => answering.answer(request, response));
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
    answering.port = (server.address() as AddressInfo).port; // listening on a TCP port
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return answering;
}

/** Of this machine's addresses only the first: the others stand for what must not be reached. */
const first = new BlockList();
first.addAddress('127.0.0.1');

export const outboundOptions = (more: Partial<OutboundOptions> = {}): OutboundOptions => ({
  privateNetworks: first,
  maxBytes: 1000,
  timeoutMs: 3000,
  accept: 'application/json',
  field: 'address',
  ...more,
});

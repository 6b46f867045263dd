import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import type { OutboundOptions } from '#http/outbound/outbound.ts';
import { operatorReach, type Reach } from '#http/outbound/reach.ts';
import { parseNetworks } from '#networks.ts';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** A server for a suite, reachable at every loopback address. */
export function answeringForSuite(): { answer: RequestHandler; port: number; here(): string } {
  const answering = {
    answer: ((_, response) => void response.end()) as RequestHandler,
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

/** The destinations allowed with these private networks. */
export function reachOf(networks: string): Reach {
  const OutboundPrivateNetworks = parseNetworks(networks)!; // written by a test
  const settings = { OutboundPrivateNetworks, ChatImagePrivateNetworks: OutboundPrivateNetworks };
  return operatorReach({ config: { outboundPrivate: 'setting' }, live: { settings } });
}

export const outboundOptions = (more: Partial<OutboundOptions> = {}): OutboundOptions => ({
  // Only the first loopback address is allowed; the others stand for forbidden ones.
  reach: reachOf('127.0.0.1'),
  maxBytes: 1000,
  timeoutMs: 3000,
  accept: 'application/json',
  field: 'address',
  ...more,
});

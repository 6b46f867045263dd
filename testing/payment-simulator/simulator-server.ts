import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Delivery, Faults } from './simulator.ts';

/** A request to a simulated gateway, complete. */
export interface SimulatorRequest {
  method: string;
  /** Path and query string, as received. */
  target: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface SimulatorReply {
  status?: number;
  type?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Redirects the browser. */
  location?: string;
}

type Answer = (request: SimulatorRequest) => SimulatorReply | Promise<SimulatorReply>;

/** Serves a simulated gateway on 127.0.0.1; port 0 takes a free one. An answer that throws `HangUp` gets no response. */
export async function serveSimulator(answer: Answer, port = 0): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((message, response) => void respond(message, response, answer));
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  const { port: taken } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${taken}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function respond(message: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer); // no encoding was set
  const target = message.url ?? '/';
  const url = new URL(target, 'http://127.0.0.1');
  const request: SimulatorRequest = {
    method: message.method ?? 'GET',
    target,
    path: url.pathname,
    query: url.searchParams,
    headers: message.headers,
    body: Buffer.concat(chunks).toString('utf8'),
  };
  try {
    const reply = await answer(request);
    const { status = reply.location === undefined ? 200 : 303, type = 'application/json' } = reply;
    const location = reply.location === undefined ? {} : { location: reply.location };
    response
      .writeHead(status, { 'content-type': `${type}; charset=utf-8`, ...location, ...reply.headers })
      .end(reply.body ?? '');
  } catch (error) {
    if (error instanceof HangUp) message.socket.destroy();
    else response.writeHead(500).end(`simulator: ${String(error)}`);
  }
}

/** Ends the connection without a response. */
export class HangUp extends Error {}

/** The fault of an API request, if one is left. */
export function takeFault({ api }: Faults): Faults['api'] {
  if (!api || api.times <= 0) return undefined;
  api.times--;
  return api;
}

/** The reply of an API request that is to fail before it is executed; undefined if it is to succeed. */
export function faultReply(faults: Faults): SimulatorReply | undefined {
  const fault = takeFault(faults);
  if (!fault) return undefined;
  if (fault.hangUp === true) throw new HangUp();
  return { status: fault.status ?? 500, type: 'text/plain', body: 'simulated fault' };
}

/** Sends a notification to the hub. */
export async function deliver({ url, init }: { url: string; init: RequestInit }): Promise<Delivery> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  return { status: response.status, body: await response.text() };
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Delivery, Faults } from './simulator.ts';

/** A request to a simulated gateway, complete. */
export interface SimulatorRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  body: string;
}

export interface SimulatorReply {
  status?: number;
  type?: string;
  body?: string;
  /** Redirects the browser. */
  location?: string;
}

/** Serves a simulated gateway on a free port of 127.0.0.1. */
export async function serveSimulator(
  answer: (request: SimulatorRequest) => SimulatorReply | Promise<SimulatorReply>,
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((message, response) => void respond(message, response, answer));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function respond(
  message: IncomingMessage,
  response: ServerResponse,
  answer: (request: SimulatorRequest) => SimulatorReply | Promise<SimulatorReply>,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer); // no encoding was set
  const url = new URL(message.url ?? '/', 'http://127.0.0.1');
  const body = Buffer.concat(chunks).toString('utf8');
  const request = { method: message.method ?? 'GET', path: url.pathname, query: url.searchParams, body };
  try {
    const reply = await answer(request);
    const { status = reply.location === undefined ? 200 : 303, type = 'application/json' } = reply;
    const location = reply.location === undefined ? {} : { location: reply.location };
    response.writeHead(status, { 'content-type': `${type}; charset=utf-8`, ...location }).end(reply.body ?? '');
  } catch (error) {
    if (error instanceof HangUp) message.socket.destroy();
    else response.writeHead(500).end(String(error));
  }
}

/** Ends the connection without a response. */
export class HangUp extends Error {}

/** The reply of an API request that is to fail; undefined if it is to succeed. */
export function faultReply(faults: Faults): SimulatorReply | undefined {
  const { api } = faults;
  if (!api || api.times <= 0) return undefined;
  api.times--;
  if (api.hangUp === true) throw new HangUp();
  return { status: api.status ?? 500, type: 'text/plain', body: 'simulated fault' };
}

/** Sends a notification to the hub. */
export async function deliver({ url, init }: { url: string; init: RequestInit }): Promise<Delivery> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  return { status: response.status, body: await response.text() };
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Json, objectOr, parseJson, textOr } from '#json.ts';
import type { CountedTokens } from './agent-script.ts';

export interface VendorRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Json;
}

/** A vendor's reply; `events` are sent as a stream. */
export interface VendorReply {
  status?: number;
  json?: unknown;
  events?: (string | object)[];
  usage?: CountedTokens;
}

/** A request as a vendor received it, with what it answered. */
export interface VendorCall {
  method: string;
  path: string;
  model: string;
  status: number;
  /** The error message of a refusal. */
  refusal: string;
  body: Json;
  usage: CountedTokens | undefined;
}

/** A refusal in the vendor's form. */
export class SimulatedRefusal extends Error {
  readonly status: number;
  readonly json: unknown;

  constructor(status: number, message: string, json: unknown) {
    super(message);
    this.status = status;
    this.json = json;
  }
}

export interface VendorServer {
  url: string;
  /** Oldest first. */
  calls: VendorCall[];
  close(): void;
}

/** Serves a simulated vendor on a free port of this machine. */
export async function serveVendor(answer: (request: VendorRequest) => VendorReply): Promise<VendorServer> {
  const calls: VendorCall[] = [];
  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(incoming.url ?? '/', 'http://vendor');
    const body = objectOr(parseJson(await text(incoming)));
    const { method = 'GET', headers } = incoming;
    const request = { method, path: url.pathname, query: url.searchParams, headers, body };
    const reply = answered(answer, request);
    calls.push({
      method,
      path: url.pathname,
      model: textOr(body['model'], /models\/([^:]+):/.exec(url.pathname)?.[1] ?? ''),
      status: reply.status ?? 200,
      refusal: reply.refusal ?? '',
      body,
      usage: reply.usage,
    });
    const type = reply.events ? 'text/event-stream' : 'application/json';
    response.writeHead(reply.status ?? 200, { 'content-type': type });
    for (const event of reply.events ?? []) response.write(sseText(event));
    response.end(reply.events ? undefined : JSON.stringify(reply.json));
  };
  const server = createServer((incoming, response) => void handle(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // listening on a TCP port
    calls,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function answered(
  answer: (request: VendorRequest) => VendorReply,
  request: VendorRequest,
): VendorReply & { refusal?: string } {
  try {
    return answer(request);
  } catch (error) {
    if (error instanceof SimulatedRefusal) return { status: error.status, json: error.json, refusal: error.message };
    return {
      status: 500,
      json: { error: { message: `the simulator failed: ${String(error)}` } },
      refusal: String(error),
    };
  }
}

function sseText(event: string | object): string {
  if (typeof event === 'string') return `data: ${event}\n\n`;
  const name = 'type' in event ? `event: ${String(event.type)}\n` : '';
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}

/** The first member of an object that is not on the list. */
export const unknownField = (json: Json, allowed: ReadonlySet<string>): string | undefined =>
  Object.keys(json).find((name) => !allowed.has(name));

/** Two halves of a text, as streams send it. */
export const halves = (whole: string): string[] =>
  whole.length < 2 ? [whole] : [whole.slice(0, Math.ceil(whole.length / 2)), whole.slice(Math.ceil(whole.length / 2))];

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Dispatcher, Pool } from 'undici';

/**
 * Baseline: the cost of forwarding a call in Node without looking at it. Checks no key; parses, counts, charges and
 * writes nothing.
 */
const pool = new Pool(process.argv[2]!, { connections: 512, pipelining: 1, keepAliveTimeout: 30_000 });

const hopByHop = new Set(['connection', 'keep-alive', 'transfer-encoding']);

class Passing implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  onRequestStart(): void {}

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Record<string, string | string[]>): void {
    const passed: (string | string[])[] = [];
    for (const [name, value] of Object.entries(headers)) if (!hopByHop.has(name)) passed.push(name, value);
    this.#response.writeHead(status, passed);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#response.write(chunk)) return;
    controller.pause();
    this.#response.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    this.#response.end();
  }

  onResponseError(): void {
    this.#response.destroy();
  }
}

function pass({ url, method, headers }: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const { authorization = '', 'content-type': type = '' } = headers;
  const request = { path: url!, method: method as 'POST', headers: { authorization, 'content-type': type }, body };
  pool.dispatch(request, new Passing(response));
}

const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 0 }, (request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => pass(request, response, pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`));
process.once('SIGTERM', () => process.exit(0));

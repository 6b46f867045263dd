import type { Server } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { performance } from 'node:perf_hooks';

/** How long an idle connection stays open after the listener has closed. */
const IDLE_MS = 2_000;
const ROUND_MS = 100;

/** Client connections of a server, so that a stop can wait for their calls instead of cutting them. */
export class ClientConnections {
  readonly #open = new Set<Socket>();
  readonly #busy: () => Iterable<Socket>;

  /** `busy`: connections with a request in progress. */
  constructor(server: Server, busy: () => Iterable<Socket>) {
    this.#busy = busy;
    server.on('connection', (socket) => {
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
    });
    // WebSocket sessions are ended separately.
    server.on('upgrade', (_, socket) => this.#open.delete(socket as Socket));
  }

  /** Closes each connection after two idle seconds; resolves when none is left or the time is over. */
  async quiet(withinMs: number): Promise<void> {
    const startMs = performance.now();
    const busyAt = new Map<Socket, number>();
    for (let nowMs = startMs; this.#open.size > 0 && nowMs - startMs < withinMs; nowMs = performance.now()) {
      for (const socket of this.#busy()) busyAt.set(socket, nowMs);
      for (const socket of this.#open)
        if (nowMs - (busyAt.get(socket) ?? startMs) >= IDLE_MS && !socket.writableEnded) socket.end();
      await sleep(ROUND_MS);
    }
  }
}

/** Listens on a host, or on every address of the machine; resolves with the port. */
export function listen(server: Server, port: number, host: string | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host !== undefined && { host }) }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Stops accepting connections. Open ones stay; `close()` of an HTTP server would end the idle ones. */
export function stopListening(server: Server): void {
  if (server.listening) NetServer.prototype.close.call(server);
}

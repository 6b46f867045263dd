import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy to PostgreSQL that delays each direction, and counts statements. */
export interface DelayingProxy {
  url: string;
  /** Statements executed since the start. */
  statements(): number;
  close(): Promise<void>;
}

const EXECUTE = 'E'.charCodeAt(0);
const QUERY = 'Q'.charCodeAt(0);

/**
 * Forwards to a server; what a client sends arrives `roundTripMs` later, in order. Whole milliseconds, because timers
 * cannot wait for less and a loop would take the core that is measured.
 */
export async function delayingProxy(databaseUrl: string, roundTripMs: number): Promise<DelayingProxy> {
  const to = new URL(databaseUrl);
  const open = new Set<Socket>();
  let statements = 0;
  const server = createServer({ noDelay: true }, (from) => {
    const on = connect({ port: Number(to.port), host: to.hostname, noDelay: true });
    const count = messageCounter(() => statements++);
    from.on('data', (bytes: Buffer) => {
      count(bytes);
      if (roundTripMs === 0) on.write(bytes);
      else setTimeout(() => on.write(bytes), roundTripMs);
    });
    on.on('data', (bytes) => from.write(bytes));
    for (const [socket, other] of [
      [from, on],
      [on, from],
    ] as const) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port); // it listens on TCP
  return {
    url: url.href,
    statements: () => statements,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Calls `seen` for each statement in the messages of a client, which begin after its start message. */
function messageCounter(seen: () => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let isStarted = false;
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    for (;;) {
      const head = isStarted ? 1 : 0;
      if (rest.length < head + 4) return;
      const end = head + rest.readInt32BE(head);
      if (rest.length < end) return;
      if (isStarted && (rest[0] === EXECUTE || rest[0] === QUERY)) seen();
      isStarted = true;
      rest = rest.subarray(end);
    }
  };
}

import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

/** A connection that sends exactly the test's bytes. */
export interface RawCaller {
  socket: Socket;
  /** Text received so far. */
  text(): string;
  /** Resolves with everything received, and the milliseconds until the server closed the connection. */
  closed: Promise<{ text: string; ms: number }>;
}

/** Connects from `from`, another loopback address such as 127.0.0.2. */
export function callRaw(url: string, first = '', from = '127.0.0.1'): Promise<RawCaller> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), localAddress: from });
    const start = performance.now();
    let text = '';
    socket.on('data', (piece: Buffer) => (text += piece.toString('latin1')));
    // A reset also counts as closed.
    socket.on('error', () => {});
    const closed = new Promise<{ text: string; ms: number }>((ended) => {
      socket.once('close', () => ended({ text, ms: performance.now() - start }));
    });
    socket.once('connect', () => {
      if (first !== '') socket.write(first);
      resolve({ socket, text: () => text, closed });
    });
    socket.once('close', () => reject(new Error('no connection')));
  });
}

/** Sends a byte at intervals while the connection is open. */
export function dribble({ socket }: RawCaller, bytes: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(bytes), everyMs);
  socket.once('close', () => clearInterval(timer));
}

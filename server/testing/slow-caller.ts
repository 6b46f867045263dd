import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

/** A connection whose every byte is the test's. */
export interface RawCaller {
  socket: Socket;
  /** What came until now. */
  text(): string;
  /** Resolves with all that came, and after how many milliseconds the server closed the connection. */
  closed: Promise<{ text: string; ms: number }>;
}

/** Connects; `from`: another address of this machine, such as 127.0.0.2. Resolves when the connection stands. */
export function callRaw(url: string, first = '', from = '127.0.0.1'): Promise<RawCaller> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), localAddress: from });
    const start = performance.now();
    let text = '';
    socket.on('data', (piece: Buffer) => (text += piece.toString('latin1')));
    // One that the server resets is closed, too.
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

/** Sends a byte every so often for as long as the connection stands. */
export function dribble({ socket }: RawCaller, bytes: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(bytes), everyMs);
  socket.once('close', () => clearInterval(timer));
}

import type { Socket } from 'node:net';
import type { Logger } from 'pino';

/** Why a connection is refused: too many in all, too many from its address, or no file descriptors left. */
export type RefusedFor = 'total' | 'address' | 'files';

/** Refused connections that are left open until their answer has arrived; further ones are closed at once. */
const MOST_LEAVING = 128;
/** Between two lines of the process log for the same reason. */
const QUIET_MS = 60_000;

const messages: Record<RefusedFor, string> = {
  total: 'The server has too many connections. Try again in a moment.',
  address: 'There are too many connections from your address. Close some of them, or try again in a moment.',
  files: 'The server has no file descriptors left. Try again in a moment.',
};

/** The path is not known yet, so the body is in the form of the API and of the relay at once. */
function answerFor(reason: RefusedFor): Buffer {
  const message = messages[reason];
  const code = reason === 'files' ? 'server_out_of_files' : 'too_many_connections';
  const body = JSON.stringify({
    success: false,
    message,
    code,
    error: { message, type: 'server_error', param: null, code },
  });
  return Buffer.from(
    [
      'HTTP/1.1 503 Service Unavailable',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Retry-After: 5',
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

const answers: Record<RefusedFor, Buffer> = {
  total: answerFor('total'),
  address: answerFor('address'),
  files: answerFor('files'),
};

/**
 * Answers connections that are refused: 503 with `Retry-After`, which clients understand and wait for. In a flood, those
 * that wait for their answer to arrive would be as many again, so beyond a few they are reset.
 */
export class RefusedConnections {
  readonly #log: Pick<Logger, 'warn'>;
  readonly #told = new Map<RefusedFor, number>();
  #leaving: Socket[] = [];
  /** Those of the round before. */
  #gone: Socket[] = [];

  constructor(log: Pick<Logger, 'warn'>) {
    this.#log = log;
  }

  refuse(socket: Socket, reason: RefusedFor, network: string | undefined): void {
    this.#tell(reason, network);
    socket.on('error', () => {});
    if (this.#leaving.length + this.#gone.length >= MOST_LEAVING) return void socket.resetAndDestroy();
    this.#leaving.push(socket);
    // What came meanwhile has to be read, or the system would reset the connection and the answer would be lost.
    socket.resume();
    socket.end(answers[reason]);
  }

  /** Closes those that have had a round's time to read their answer. */
  round(): void {
    for (const socket of this.#gone) socket.destroy();
    this.#gone = this.#leaving;
    this.#leaving = [];
  }

  close(): void {
    for (const socket of [...this.#gone, ...this.#leaving]) socket.destroy();
  }

  #tell(reason: RefusedFor, network: string | undefined): void {
    const now = performance.now();
    if (now - (this.#told.get(reason) ?? -Infinity) < QUIET_MS) return;
    this.#told.set(reason, now);
    const hint = reason === 'address' ? 'If this is a reverse proxy, name it in TRUSTED_PROXIES.' : undefined;
    this.#log.warn({ reason, network, hint }, 'connections are refused');
  }
}

import type { Socket } from 'node:net';
import type { Logger } from 'pino';

/** Why a connection is refused: too many in total, too many from its address, or no file descriptors left. */
export type RefusedFor = 'total' | 'address' | 'files';

/** Refused connections kept open until their response has arrived; further ones are reset. */
const MOST_LEAVING = 128;
/** Minimum time between two log lines with the same reason. */
const QUIET_MS = 60_000;

const messages: Record<RefusedFor, string> = {
  total: 'The server has too many connections. Try again in a moment.',
  address: 'There are too many connections from your address. Close some of them, or try again in a moment.',
  files: 'The server has no file descriptors left. Try again in a moment.',
};

/** The path is unknown yet, so the body has the formats of the API and the relay at once. */
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
 * Responds to refused connections with 503 and `Retry-After`, which clients understand. In a flood, connections that
 * wait for their response would double the load, so beyond a few they are reset.
 */
export class RefusedConnections {
  readonly #log: Pick<Logger, 'warn'>;
  readonly #loggedAt = new Map<RefusedFor, number>();
  #leaving: Socket[] = [];
  /** Connections of the previous round. */
  #gone: Socket[] = [];

  constructor(log: Pick<Logger, 'warn'>) {
    this.#log = log;
  }

  refuse(socket: Socket, reason: RefusedFor, network: string | undefined): void {
    this.#tell(reason, network);
    socket.on('error', () => {});
    if (this.#leaving.length + this.#gone.length >= MOST_LEAVING) return void socket.resetAndDestroy();
    this.#leaving.push(socket);
    // Read the received bytes: otherwise the system resets the connection and the response is lost.
    socket.resume();
    socket.end(answers[reason]);
  }

  /** Closes connections that had one round to read their response. */
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
    if (now - (this.#loggedAt.get(reason) ?? -Infinity) < QUIET_MS) return;
    this.#loggedAt.set(reason, now);
    const hint = reason === 'address' ? 'If this is a reverse proxy, name it in TRUSTED_PROXIES.' : undefined;
    this.#log.warn({ reason, network, hint }, 'connections are refused');
  }
}

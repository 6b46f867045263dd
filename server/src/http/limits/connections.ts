import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { BlockList, Socket } from 'node:net';
import type { Logger } from 'pino';
import { isOutOfFiles, openFilesLimit, type OutOfFiles } from '#process/out-of-files.ts';
import { isTrusted, plain } from '#http/client-ip.ts';
import { networkOf } from '#http/client-network.ts';
import type { ConnectionLimits } from './connection-limits.ts';
import { LINGER_MS } from './linger.ts';
import { RefusedConnections, type RefusedFor } from './refused-connections.ts';

/** Why a connection is closed: what the client did not send or read in time. */
export type ClosedFor = 'headers' | 'body_idle' | 'body_rate' | 'after_answer' | 'unread';

/** State of a connection. Times are those of `performance.now()`. */
interface Connection {
  readonly socket: Socket;
  /** Undefined for a trusted proxy, which has no limit per address. */
  readonly network: string | undefined;
  place: number;
  /** The last request whose body may be incomplete, and its response. */
  request: IncomingMessage | undefined;
  response: ServerResponse | undefined;
  body: BodyProgress | undefined;
  answeredAt: number;
  /** The headers of the next request are late while the last response is unfinished. */
  headersLate: boolean;
  sentBytes: number;
  /** Since when a waiting response is unread; 0: nothing waits. */
  unreadSince: number;
}

/** Progress of a body: byte counters of its connection, and when they last moved. */
interface BodyProgress {
  readonly request: IncomingMessage;
  bytes: number;
  movedAt: number;
  periodBytes: number;
  periodAt: number;
}

/** Event on a request whose body is late. The reader of the body responds with 408. */
export const LATE = 'late';

/** Descriptors kept from clients, so that calls reach upstreams and files while connections are refused. */
const headroom = (files: number): number => Math.min(32, Math.floor(files / 16));

/**
 * Client connections: limits their number and their idle time. One periodic round checks bodies and unread responses of
 * all connections, so a request costs no timer. Node watches headers and idle connections.
 */
export class Connections {
  readonly refused = new Map<RefusedFor, number>();
  readonly closed = new Map<ClosedFor, number>();
  readonly #limits: ConnectionLimits;
  readonly #trusted: BlockList;
  readonly #log: Pick<Logger, 'error'>;
  readonly #outOfFiles: OutOfFiles;
  readonly #refusals: RefusedConnections;
  readonly #open: Connection[] = [];
  readonly #bySocket = new WeakMap<Socket, Connection>();
  readonly #perNetwork = new Map<string, number>();
  readonly #highestFile: number;
  readonly #timer: NodeJS.Timeout;
  #roundAt = performance.now();

  constructor(
    limits: ConnectionLimits,
    trusted: BlockList,
    log: Pick<Logger, 'warn' | 'error'>,
    outOfFiles: OutOfFiles,
  ) {
    this.#limits = limits;
    this.#trusted = trusted;
    this.#log = log;
    this.#outOfFiles = outOfFiles;
    this.#refusals = new RefusedConnections(log);
    const files = openFilesLimit();
    this.#highestFile = files === undefined ? Infinity : files - headroom(files);
    this.#timer = setInterval(() => this.#round(performance.now()), roundMs(limits)).unref();
  }

  /**
   * Server options that leave headers and idle connections to Node. A timeout for whole requests would end slow
   * uploads.
   */
  get serverOptions() {
    const { headersMs, keepAliveMs } = this.#limits;
    return {
      requestTimeout: 0,
      // If absent, Node uses `requestTimeout`, which is off.
      headersTimeout: headersMs,
      connectionsCheckingInterval: roundMs(this.#limits),
      keepAliveTimeout: keepAliveMs,
    };
  }

  get open(): number {
    return this.#open.length;
  }

  /** Decides on each connection of a server before Node reads from it. */
  guard(server: Server): void {
    const listeners = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      if (this.#admit(socket)) for (const listener of listeners) listener.call(server, socket);
    });
    // Without a listener, a failed accept would end the process.
    server.on('error', (error) => {
      if (isOutOfFiles(error)) this.#outOfFiles.note('accept');
      else if (server.listening) this.#log.error({ err: error }, 'a connection could not be accepted');
    });
  }

  /** Registers a request whose headers have arrived. */
  asks(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#bySocket.get(request.socket);
    if (!connection) return;
    connection.request = request;
    connection.response = response;
    connection.answeredAt = 0;
    connection.headersLate = false;
  }

  /**
   * Registers late headers. Returns whether to respond: not if nothing was sent at all, as by a browser that
   * preconnects, and not during an earlier response, after which the connection ends.
   */
  headersLate(socket: Socket): boolean {
    const connection = this.#bySocket.get(socket);
    if (connection?.response && !connection.response.writableFinished) {
      connection.headersLate = true;
      return false;
    }
    this.#count(this.closed, 'headers');
    if (socket.bytesRead > 0) return true;
    socket.destroy();
    return false;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#refusals.close();
  }

  #admit(socket: Socket): boolean {
    const address = plain(socket.remoteAddress ?? '');
    const network = isTrusted(address, this.#trusted) ? undefined : networkOf(address);
    const of = network === undefined ? 0 : (this.#perNetwork.get(network) ?? 0);
    const reason = this.#reason(socket, of);
    if (reason !== undefined) {
      this.#count(this.refused, reason);
      if (reason === 'files') this.#outOfFiles.note('accept');
      this.#refusals.refuse(socket, reason, network);
      return false;
    }
    const connection: Connection = {
      socket,
      network,
      place: this.#open.length,
      request: undefined,
      response: undefined,
      body: undefined,
      answeredAt: 0,
      headersLate: false,
      sentBytes: 0,
      unreadSince: 0,
    };
    this.#open.push(connection);
    this.#bySocket.set(socket, connection);
    if (network !== undefined) this.#perNetwork.set(network, of + 1);
    socket.once('close', () => this.#forget(connection));
    return true;
  }

  #reason(socket: Socket, ofNetwork: number): RefusedFor | undefined {
    if (this.#open.length >= this.#limits.total) return 'total';
    if (ofNetwork >= this.#limits.perAddress) return 'address';
    // The system hands out the lowest free descriptor, so a high one means that nearly all are in use.
    return (handleOf(socket)?.fd ?? 0) >= this.#highestFile ? 'files' : undefined;
  }

  #forget(connection: Connection): void {
    const last = this.#open.pop();
    if (last && last !== connection) {
      this.#open[connection.place] = last;
      last.place = connection.place;
    }
    const { network } = connection;
    if (network === undefined) return;
    const left = (this.#perNetwork.get(network) ?? 0) - 1;
    if (left > 0) this.#perNetwork.set(network, left);
    else this.#perNetwork.delete(network);
  }

  #round(now: number): void {
    const passed = now - this.#roundAt;
    this.#roundAt = now;
    // A copy: a check may close its connection, which takes it off the list.
    for (const connection of this.#open.toReversed()) this.#check(connection, now, passed);
    this.#refusals.round();
  }

  #check(connection: Connection, now: number, passed: number): void {
    if (this.#isDeaf(connection, now)) return this.#end(connection, 'unread');
    const { request, response } = connection;
    if (request && response && !request.complete) this.#checkBody(connection, { request, response }, now, passed);
    else if (request) connection.request = connection.body = undefined;
    if (!response?.writableFinished) return;
    if (connection.headersLate) return this.#end(connection, 'headers');
    if (!connection.request) connection.response = undefined;
  }

  /** Whether a response has been unread for too long. A slow client still reads some now and then. */
  #isDeaf(connection: Connection, now: number): boolean {
    const { socket } = connection;
    if (socket.writableLength === 0) {
      connection.unreadSince = 0;
      return false;
    }
    const sent = sentBytes(socket);
    if (connection.unreadSince > 0 && sent === connection.sentBytes)
      return now - connection.unreadSince >= this.#limits.sendMs;
    connection.sentBytes = sent;
    connection.unreadSince = now;
    return false;
  }

  #checkBody(
    connection: Connection,
    { request, response }: { request: IncomingMessage; response: ServerResponse },
    now: number,
    passed: number,
  ): void {
    const { bodyIdleMs, bodyRate } = this.#limits;
    const answered = response.writableEnded;
    // A response in progress is not cut because of a late request body.
    if (response.headersSent && !answered) return;
    const bytes = connection.socket.bytesRead;
    const { body } = connection;
    if (body?.request !== request) {
      connection.body = { request, bytes, movedAt: now, periodBytes: bytes, periodAt: now };
      return;
    }
    if (bytes > body.bytes || request.readableLength > 0) {
      body.bytes = bytes;
      body.movedAt = now;
    }
    // Received but unread bytes: we delay the client, not the reverse.
    if (request.readableLength > 0) body.periodAt += passed;
    if (answered) {
      // Bytes after the response are discarded, for a while.
      connection.answeredAt ||= now;
      if (now - connection.answeredAt >= LINGER_MS || now - body.movedAt >= bodyIdleMs)
        this.#end(connection, 'after_answer');
      return;
    }
    if (now - body.movedAt >= bodyIdleMs) return this.#late(connection, request, 'body_idle');
    if (now - body.periodAt < bodyIdleMs * 2) return;
    if ((bytes - body.periodBytes) * 1000 < bodyRate * (now - body.periodAt))
      return this.#late(connection, request, 'body_rate');
    body.periodBytes = bytes;
    body.periodAt = now;
  }

  #late(connection: Connection, request: IncomingMessage, reason: ClosedFor): void {
    // The reader of the body responds; without a reader, just close.
    if (request.listenerCount(LATE) === 0) return this.#end(connection, reason);
    this.#count(this.closed, reason);
    connection.body = undefined;
    request.emit(LATE);
  }

  #end({ socket }: Connection, reason: ClosedFor): void {
    this.#count(this.closed, reason);
    socket.destroy();
  }

  #count<T extends string>(counts: Map<T, number>, reason: T): void {
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
}

/** Often enough to keep the shortest limit within a tenth. */
const roundMs = ({ headersMs, bodyIdleMs, sendMs }: ConnectionLimits): number =>
  Math.min(5000, Math.max(100, Math.min(headersMs, bodyIdleMs, sendMs) / 10));

/** Bytes that the system has taken. The socket counts a write only when all of it has left. */
function sentBytes(socket: Socket): number {
  const handle = handleOf(socket);
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}

interface SocketHandle {
  fd?: number;
  bytesWritten: number;
  writeQueueSize: number;
}

/** Node's handle of a socket, which has no public name; null after it has closed. */
function handleOf(socket: Socket): SocketHandle | null | undefined {
  return (socket as Socket & { _handle?: SocketHandle | null })._handle;
}

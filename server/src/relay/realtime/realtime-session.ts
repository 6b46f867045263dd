import type { RawData, WebSocket } from 'ws';
import { refusalForFault } from '#relay/reply/fault-refusal.ts';
import type { RelayError } from '#relay/reply/relay-error.ts';

/** Why a session ended. */
export type SessionEnd =
  | { by: 'caller' | 'upstream'; orderly: boolean; code: number }
  | { by: 'server'; why: 'credits' | 'refused' | 'idle' | 'too_long' | 'stopping' };

/** The two connections of a session. */
export interface SessionSides {
  caller: WebSocket;
  upstream: WebSocket;
}

export interface SessionLimits {
  idleMs: number;
  /** 0: no limit. */
  totalMs: number;
  /** A side that misses a ping for this long is considered gone. */
  pingMs: number;
}

/** Reads and filters what the sides send. */
export interface SessionFilter {
  event(event: Buffer): Buffer;
  /** A message of the caller for the upstream. Throws a `RelayError` for one that may not be sent. */
  ofCaller(message: Buffer): Buffer;
  /** The message that refuses one of the caller's; undefined: the session ends for the reason. */
  refusal(error: RelayError): string | undefined;
  /** The upstream's reason for closing, as the caller may see it. */
  closeReason(text: string): string;
}

/** Backpressure: above this, the other side is paused until half of it has been sent. */
const MAX_BUFFERED = 1024 * 1024;
const GOING_AWAY = 1001;
/** Grace period for a close handshake. */
const CLOSE_GRACE_MS = 2000;

const closeReasons = {
  credits: 'insufficient_quota',
  refused: 'no longer allowed',
  idle: 'idle for too long',
  too_long: 'maximum session duration reached',
  stopping: 'the server is stopping',
} as const;

const closeCodes = { credits: 1008, refused: 1008, idle: 1000, too_long: 1000, stopping: GOING_AWAY } as const;

/** Passes messages both ways unchanged, each side at the speed of the other. */
export class RealtimeSession {
  /** Resolves when both sides are closed. */
  readonly ended: Promise<SessionEnd>;
  readonly #caller: WebSocket;
  readonly #upstream: WebSocket;
  readonly #idleMs: number;
  readonly #pings: NodeJS.Timeout;
  readonly #limit: NodeJS.Timeout | undefined;
  #last = performance.now();
  #end: SessionEnd | undefined;
  #open = 2;
  #resolve!: (end: SessionEnd) => void;

  /** `filter` sees each upstream message first and may change it. */
  constructor({ caller, upstream }: SessionSides, limits: SessionLimits, filter: SessionFilter) {
    this.#caller = caller;
    this.#upstream = upstream;
    this.#idleMs = limits.idleMs;
    this.ended = new Promise((resolve) => (this.#resolve = resolve));
    this.#pass(caller, upstream, (message) => {
      try {
        return filter.ofCaller(message);
      } catch (error) {
        const refused = refusalForFault(error);
        const told = filter.refusal(refused);
        // A caller who does not read their refusals must not fill memory with them.
        if (told === undefined || caller.bufferedAmount > MAX_BUFFERED) this.end('refused', undefined, refused.message);
        else caller.send(told);
        return undefined;
      }
    });
    this.#pass(upstream, caller, filter.event);
    this.#watch(caller, upstream, 'caller', (reason) => reason);
    this.#watch(upstream, caller, 'upstream', filter.closeReason);
    this.#pings = this.#ping(limits.pingMs);
    if (limits.totalMs > 0) this.#limit = setTimeout(() => this.end('too_long'), limits.totalMs);
  }

  /** Ends the session; `event` is the last message to the caller, `reason` that of the close. */
  end(why: keyof typeof closeReasons, event?: string, reason: string = closeReasons[why]): void {
    if (this.#end) return;
    this.#end = { by: 'server', why };
    if (event !== undefined) this.#caller.send(event);
    this.#close(this.#caller, closeCodes[why], reason);
    this.#close(this.#upstream, 1000, '');
  }

  #pass(from: WebSocket, to: WebSocket, passed: (event: Buffer) => Buffer | undefined): void {
    const sent = () => {
      if (from.isPaused && to.bufferedAmount < MAX_BUFFERED / 2) from.resume();
    };
    from.on('message', (data: RawData, binary: boolean) => {
      if (this.#end || to.readyState !== to.OPEN) return;
      this.#last = performance.now();
      const event = data as Buffer; // its binaryType is the default
      const message = passed(event);
      if (message) to.send(message, { binary }, sent);
      if (to.bufferedAmount > MAX_BUFFERED) from.pause();
    });
  }

  #watch(side: WebSocket, other: WebSocket, by: 'caller' | 'upstream', passed: SessionFilter['closeReason']): void {
    // The 'close' event that follows reports the error.
    side.on('error', () => {});
    side.on('close', (code: number, reason: Buffer) => {
      const orderly = code !== 1006;
      this.#end ??= { by, orderly, code };
      // An abnormal close has no reason to pass on.
      const passedReason = orderly ? passed(reason.toString()) : '';
      this.#close(other, orderly ? sendable(code) : by === 'caller' ? 1000 : 1011, passedReason);
      this.#open--;
      if (this.#open > 0) return;
      clearInterval(this.#pings);
      clearTimeout(this.#limit);
      this.#resolve(this.#end);
    });
  }

  #ping(everyMs: number): NodeJS.Timeout {
    const waiting = new Set<WebSocket>();
    const sides = [this.#caller, this.#upstream];
    for (const side of sides) side.on('pong', () => waiting.delete(side));
    return setInterval(() => {
      if (performance.now() - this.#last > this.#idleMs) return this.end('idle');
      for (const side of sides) {
        // A paused side cannot deliver its pong.
        if (waiting.has(side) && !side.isPaused) side.terminate();
        else if (side.readyState === side.OPEN) {
          waiting.add(side);
          side.ping();
        }
      }
    }, everyMs);
  }

  #close(side: WebSocket, code: number, reason: string): void {
    if (side.readyState === side.CLOSED) return;
    // A paused side cannot deliver its close frame.
    if (side.isPaused) side.resume();
    side.close(code, Buffer.from(reason).subarray(0, 120));
    setTimeout(() => side.terminate(), CLOSE_GRACE_MS).unref();
  }
}

/** Reserved close codes must not be sent. */
const sendable = (code: number): number =>
  code === 1000 ||
  (code >= 1001 && code <= 1014 && ![1004, 1005, 1006].includes(code)) ||
  (code >= 3000 && code <= 4999)
    ? code
    : 1000;

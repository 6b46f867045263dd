import type { RawData, WebSocket } from 'ws';

/** Why a session ended. */
export type SessionEnd =
  | { by: 'caller' | 'upstream'; orderly: boolean; code: number }
  | { by: 'server'; why: 'credits' | 'refused' | 'idle' | 'too_long' | 'stopping' };

/** The two connections of a session. */
export interface SessionSides {
  caller: WebSocket;
  upstream: WebSocket;
}

/** How long a session may be silent, and how long it may last. */
export interface SessionLimits {
  idleMs: number;
  /** 0: as long as it likes. */
  totalMs: number;
  /** Whoever answers no ping for so long is gone. */
  pingMs: number;
}

/** What an upstream says, and what of it the caller gets. */
export interface UpstreamFilter {
  event(event: Buffer): Buffer;
  /** Why the upstream closes the session, in its words. */
  closeReason(text: string): string;
}

/** Above this, the other side is not read until half of it has left. */
const MOST_WAITING = 1024 * 1024;
const GOING_AWAY = 1001;
/** For a side that does not say goodbye. */
const LAST_WORDS_MS = 2000;

const words = {
  credits: 'insufficient_quota',
  refused: 'not allowed any more',
  idle: 'idle for too long',
  too_long: 'the session has reached its longest time',
  stopping: 'the server is stopping',
} as const;

const codes = { credits: 1008, refused: 1008, idle: 1000, too_long: 1000, stopping: GOING_AWAY } as const;

/** Passes messages on both ways as they are, each side no faster than the other one takes them. */
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

  /** `heard` gets each message of the upstream before the caller gets it, and may change what the caller gets. */
  constructor({ caller, upstream }: SessionSides, limits: SessionLimits, filter: UpstreamFilter) {
    this.#caller = caller;
    this.#upstream = upstream;
    this.#idleMs = limits.idleMs;
    this.ended = new Promise((resolve) => (this.#resolve = resolve));
    this.#pass(caller, upstream, (event) => event);
    this.#pass(upstream, caller, filter.event);
    this.#watch(caller, upstream, 'caller', (reason) => reason);
    this.#watch(upstream, caller, 'upstream', filter.closeReason);
    this.#pings = this.#ping(limits.pingMs);
    if (limits.totalMs > 0) this.#limit = setTimeout(() => this.end('too_long'), limits.totalMs);
  }

  /** Ends it for a reason of ours; `event` is the caller's last message. */
  end(why: keyof typeof words, event?: string): void {
    if (this.#end) return;
    this.#end = { by: 'server', why };
    if (event !== undefined) this.#caller.send(event);
    this.#close(this.#caller, codes[why], words[why]);
    this.#close(this.#upstream, 1000, '');
  }

  #pass(from: WebSocket, to: WebSocket, passed: UpstreamFilter['event']): void {
    const sent = () => {
      if (from.isPaused && to.bufferedAmount < MOST_WAITING / 2) from.resume();
    };
    from.on('message', (data: RawData, binary: boolean) => {
      if (this.#end || to.readyState !== to.OPEN) return;
      this.#last = performance.now();
      const event = data as Buffer; // its binaryType is the usual one
      to.send(passed(event), { binary }, sent);
      if (to.bufferedAmount > MOST_WAITING) from.pause();
    });
  }

  #watch(side: WebSocket, other: WebSocket, by: 'caller' | 'upstream', passed: UpstreamFilter['closeReason']): void {
    // What is wrong with it is told by its close.
    side.on('error', () => {});
    side.on('close', (code: number, reason: Buffer) => {
      const orderly = code !== 1006;
      this.#end ??= { by, orderly, code };
      // Whoever broke off is not quoted.
      const told = orderly ? passed(reason.toString()) : '';
      this.#close(other, orderly ? sendable(code) : by === 'caller' ? 1000 : 1011, told);
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
        // One that we do not read now cannot be heard answering.
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
    // Its goodbye can only be heard when it is read.
    if (side.isPaused) side.resume();
    side.close(code, Buffer.from(reason).subarray(0, 120));
    setTimeout(() => side.terminate(), LAST_WORDS_MS).unref();
  }
}

/** Codes that tell that there was none must not be sent. */
const sendable = (code: number): number =>
  code === 1000 ||
  (code >= 1001 && code <= 1014 && ![1004, 1005, 1006].includes(code)) ||
  (code >= 3000 && code <= 4999)
    ? code
    : 1000;

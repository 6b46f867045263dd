import { Worker } from 'node:worker_threads';
import { estimateTokens } from '#quota/estimate.ts';
import { encodingOf } from './tokenizer-encoding.ts';
import type { CountReply, CountRequest } from './tokenizer-worker.ts';

export interface TokenCount {
  tokens: number;
  /** Counted with the model's own encoding, as it stands; otherwise it is near. */
  exact: boolean;
}

interface TokenizerOptions {
  /** Texts are estimated by their length, and no thread is started. */
  approximate?: () => boolean;
  /** How long the thread stays without work. */
  idleMs?: number;
  /** How long a caller waits for a count. */
  deadlineMs?: number;
  memoryMb?: number;
}

/** Longer texts are estimated: nothing of unbounded length is copied or counted. */
const MOST_CHARACTERS = 256 * 1024;
/** So are more texts than this, which would take long to copy. */
const MOST_TEXTS = 4096;
/** Characters under way, together. */
const MOST_WAITING = 4 * MOST_CHARACTERS;
/** A thread that gives no reply for this long, nor takes any work, is ended. */
const STUCK_MS = 60_000;
/** After a thread that failed, this long none is started. */
const PAUSE_MS = 60_000;

interface Waiting {
  characters: number;
  resolve(reply: CountReply | undefined): void;
}

/**
 * Counts tokens in a thread of its own, so that no call waits for another's text. The thread starts when it is first
 * needed and ends when it has been idle, with its vocabulary; a count that would take too long is an estimate instead.
 */
export class Tokenizer {
  readonly #idleMs: number;
  readonly #deadlineMs: number;
  readonly #memoryMb: number;
  readonly #approximate: () => boolean;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #underWay = 0;
  #lastId = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor({ approximate = () => false, idleMs = 60_000, deadlineMs = 500, memoryMb = 256 }: TokenizerOptions = {}) {
    this.#approximate = approximate;
    this.#idleMs = idleMs;
    this.#deadlineMs = deadlineMs;
    this.#memoryMb = memoryMb;
  }

  /** Whether a thread, with its memory, is there. */
  get running(): boolean {
    return this.#worker !== undefined;
  }

  /** Tokens of texts together, after at most the deadline. What is no text counts nothing. Never throws. */
  async countTokens(texts: readonly unknown[], model: string): Promise<TokenCount> {
    const filled = texts.filter((text): text is string => typeof text === 'string' && text !== '');
    const characters = filled.reduce((sum, text) => sum + text.length, 0);
    const { encoding, own } = encodingOf(model);
    if (characters === 0) return { tokens: 0, exact: own };
    const refused = this.#approximate() || filled.length > MOST_TEXTS || this.#isBusy(characters);
    // A machine without room for a thread still gets its estimate.
    const reply = refused ? undefined : await this.#ask({ encoding, texts: filled }, characters).catch(() => undefined);
    if (reply) return { tokens: reply.tokens, exact: own && !reply.cut };
    return { tokens: filled.reduce((sum, text) => sum + estimateTokens(text), 0), exact: false };
  }

  /** Ends the thread; counts under way become estimates, and so does every later one. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#end();
  }

  #isBusy(characters: number): boolean {
    return (
      this.#closed ||
      characters > MOST_CHARACTERS ||
      this.#underWay + characters > MOST_WAITING ||
      performance.now() - this.#failedAt < PAUSE_MS
    );
  }

  async #ask(request: Omit<CountRequest, 'id'>, characters: number): Promise<CountReply | undefined> {
    const id = ++this.#lastId;
    const worker = (this.#worker ??= this.#start());
    this.#underWay += characters;
    return await new Promise((resolve) => {
      const late = setTimeout(() => resolve(undefined), this.#deadlineMs);
      this.#waiting.set(id, {
        characters,
        resolve: (reply) => {
          clearTimeout(late);
          resolve(reply);
        },
      });
      worker.postMessage({ ...request, id } satisfies CountRequest);
      this.#rest();
    });
  }

  #start(): Worker {
    const worker = new Worker(new URL('./tokenizer-worker.ts', import.meta.url), {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.#memoryMb },
    });
    worker.on('message', (reply: CountReply) => {
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      this.#underWay -= waiting?.characters ?? 0;
      waiting?.resolve(reply);
      this.#rest();
    });
    worker.on('error', () => {
      this.#failedAt = performance.now();
    });
    worker.on('exit', () => {
      if (this.#worker === worker) this.#forget();
    });
    worker.unref(); // after the listeners, which hold the process
    return worker;
  }

  /** A thread that still owes a reply is busy, until it has owed it for so long that it must be stuck. */
  #rest(): void {
    clearTimeout(this.#idle);
    const ms = this.#waiting.size === 0 ? this.#idleMs : STUCK_MS;
    this.#idle = setTimeout(() => void this.#end(), ms).unref();
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#forget();
    await worker?.terminate();
  }

  #forget(): void {
    clearTimeout(this.#idle);
    this.#worker = undefined;
    this.#underWay = 0;
    for (const { resolve } of this.#waiting.values()) resolve(undefined);
    this.#waiting.clear();
  }
}

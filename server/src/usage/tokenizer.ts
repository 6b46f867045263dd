import { Worker } from 'node:worker_threads';
import { estimateTokens } from '#quota/estimate.ts';
import { encodingOf } from './tokenizer-encoding.ts';
import type { CountReply, CountRequest } from './tokenizer-worker.ts';

export interface TokenCount {
  tokens: number;
  /** Counted with the model's own encoding; otherwise approximate. */
  exact: boolean;
}

interface TokenizerOptions {
  /** If it returns true, texts are estimated by length and no thread is started. */
  approximate?: () => boolean;
  /** How long an idle thread is kept. */
  idleMs?: number;
  /** How long a caller waits for a count. */
  deadlineMs?: number;
  memoryMb?: number;
}

/** Longer texts are estimated, to bound copying and counting. */
const MOST_CHARACTERS = 256 * 1024;
/** More texts are estimated as well, because copying takes long. */
const MOST_TEXTS = 4096;
/** Limit for all characters in progress. */
const MOST_WAITING = 4 * MOST_CHARACTERS;
/** A thread is ended if it is unresponsive for this long. */
const STUCK_MS = 60_000;
/** Pause before a new thread after a failure. */
const PAUSE_MS = 60_000;

interface PendingCount {
  characters: number;
  resolve(reply: CountReply | undefined): void;
}

/**
 * Counts tokens in a worker thread, so that no call waits for another's text. The thread starts on demand and ends when
 * idle, which frees its vocabulary. A count that would take too long is estimated.
 */
export class Tokenizer {
  readonly #idleMs: number;
  readonly #deadlineMs: number;
  readonly #memoryMb: number;
  readonly #approximate: () => boolean;
  readonly #waiting = new Map<number, PendingCount>();
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

  /** Whether the thread is running. */
  get running(): boolean {
    return this.#worker !== undefined;
  }

  /** Total tokens of the texts, within the deadline. Non-strings count 0. Never throws. */
  async countTokens(texts: readonly unknown[], model: string): Promise<TokenCount> {
    const filled = texts.filter((text): text is string => typeof text === 'string' && text !== '');
    const characters = filled.reduce((sum, text) => sum + text.length, 0);
    const { encoding, own } = encodingOf(model);
    if (characters === 0) return { tokens: 0, exact: own };
    const refused = this.#approximate() || filled.length > MOST_TEXTS || this.#isBusy(characters);
    // If no thread can be started, the count is estimated.
    const reply = refused ? undefined : await this.#ask({ encoding, texts: filled }, characters).catch(() => undefined);
    if (reply) return { tokens: reply.tokens, exact: own && !reply.cut };
    return { tokens: filled.reduce((sum, text) => sum + estimateTokens(text), 0), exact: false };
  }

  /** Ends the thread; pending and later counts are estimated. */
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

  /** A thread that owes a reply is busy, until it exceeds the timeout and is presumed stuck. */
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

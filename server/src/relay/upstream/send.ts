import { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { BodyClaim } from '#http/limits/body-memory.ts';
import type { LiveChannel } from '#live/routing-table.ts';
import type { Target } from '#providers/operation.ts';
import { matchesType, isCompressed, headerText } from './response-head.ts';
import { endOfDrain, MOST_DRAINS } from './drain.ts';
import { emptyResult, type AttemptResult } from './attempt-result.ts';
import { lastEventEnd } from '#relay/stream/event-ends.ts';
import type { Abortable, ShutdownState } from '#relay/call/shutdown-state.ts';
import { failureCodeOf, reasonOf, type Upstreams } from './upstreams.ts';
import type { StreamFormat, StreamTap } from '#relay/stream/types.ts';

const reasons = {
  first_token_timeout: 'nothing came within the time for the first token',
  total_timeout: 'the answer took longer than the channel allows',
  client_gone: 'the caller had left',
} as const;

const LARGEST_REFUSAL = 64 * 1024;
const LARGEST_REPLY = 128 * 1024 * 1024;
/** Up to this size, answers that are collected are not counted: most are, and do not last. */
const SMALL_REPLY = 256 * 1024;

/** Where an upstream's answer goes while it comes in. */
interface ResponseSink {
  response: ServerResponse;
  /** Sends the head of a stream; called once, before its first byte. */
  startStream(contentType: string): void;
  /** Undefined: no stream is wanted. */
  stream: StreamFormat | undefined;
  /** What an answer that is collected counts towards. */
  claim: BodyClaim | undefined;
}

/** How long a channel may take, and what becomes of its answer when the caller leaves. */
export type AttemptLimits = Pick<LiveChannel, 'timeouts' | 'onGone'>;

/**
 * Sends a request to an upstream and passes a stream on to the caller as it comes. An answer that is no stream is
 * collected: it leaves when it is charged. Never rejects. When the caller leaves, the channel says whether the upstream
 * is read to its end, where the usage stands.
 */
export function send(
  upstreams: Upstreams,
  target: Target & { proxy?: string },
  body: Buffer | Readable,
  terms: AttemptLimits,
  caller: ResponseSink,
  stopping: ShutdownState,
): Promise<AttemptResult> {
  return new Promise((resolve) => {
    const exchange = new CallExchange(target, terms, caller, stopping, resolve);
    try {
      upstreams.dispatch(target, body, terms.timeouts, exchange);
    } catch (error) {
      exchange.onResponseError(undefined, error as Error);
    }
  });
}

class CallExchange implements Dispatcher.DispatchHandler, Abortable {
  index = 0;
  readonly #target: Target & { proxy?: string };
  readonly #terms: AttemptLimits;
  readonly #caller: ResponseSink;
  readonly #resolve: (result: AttemptResult) => void;
  readonly #stopping: ShutdownState;
  readonly #start = performance.now();
  #controller: Dispatcher.DispatchController | undefined;
  #pieces: Buffer[] = [];
  #size = 0;
  #claimed = 0;
  #corked = false;
  /** Rounds of the heart in which nothing was passed on; once the caller has left, those since then. */
  #quietRounds = 0;
  #drains = false;
  /** Nothing stands between two events of what was passed on. */
  #betweenEvents = true;
  readonly #result = emptyResult();

  #finished = false;
  #firstToken: NodeJS.Timeout | undefined;
  #total: NodeJS.Timeout | undefined;
  #gone: NodeJS.Timeout | undefined;

  constructor(
    target: Target & { proxy?: string },
    terms: AttemptLimits,
    caller: ResponseSink,
    stopping: ShutdownState,
    resolve: (result: AttemptResult) => void,
  ) {
    this.#target = target;
    this.#terms = terms;
    this.#caller = caller;
    this.#stopping = stopping;
    this.#resolve = resolve;
    caller.response.on('close', this.#onClose);
    stopping.openExchanges.add(this);
    if (caller.response.destroyed) this.#drain();
    const { firstTokenMs, totalMs } = terms.timeouts;
    if (firstTokenMs > 0) this.#firstToken = setTimeout(() => this.#giveUp('first_token_timeout'), firstTokenMs);
    if (totalMs > 0) this.#total = setTimeout(() => this.#giveUp('total_timeout'), totalMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#result.requestStarted = true;
    if (this.#stopping.isStopping) this.abort();
    // It was given up while it was connecting.
    else if (this.#finished) controller.abort(new Error('given up'));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return; // an interim answer; the real one follows
    const result = this.#result;
    result.status = status;
    result.contentType = headerText(headers['content-type']);
    result.retryAfter = headerText(headers['retry-after']) || undefined;
    result.headMs = this.#elapsed();
    if (status >= 300) result.headers = headers;
    else if (isCompressed(headers['content-encoding'])) {
      result.failure = { code: 'bad_reply', message: 'the answer is packed, which nobody asked for' };
      controller.abort(new Error('packed'));
      return;
    }
    const { stream } = this.#caller;
    if (status < 300 && stream && matchesType(result.contentType, stream.type)) result.stream = stream.createTap();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const result = this.#result;
    if (result.firstByteMs === undefined) {
      result.firstByteMs = this.#elapsed();
      clearTimeout(this.#firstToken);
    }
    if (result.stream) {
      result.streamedBytes += chunk.length;
      const passed = result.stream.push(chunk);
      if (passed) this.#write(controller, passed);
      if (result.clientGone) this.#limitDrain(result.stream);
      return;
    }
    const limit = result.status < 300 ? LARGEST_REPLY : LARGEST_REFUSAL;
    if (this.#size + chunk.length > limit) {
      if (result.status >= 300) return; // the rest of a refusal tells nothing more
      result.failure = { code: 'reply_too_large', message: 'the answer is too large' };
      controller.abort(new Error('reply too large'));
      return;
    }
    this.#size += chunk.length;
    if (this.#size > SMALL_REPLY && !this.#claim()) {
      result.failure = { code: 'no_room', message: 'there is no room for further large answers' };
      this.#pieces = [];
      controller.abort(new Error('no room'));
      return;
    }
    this.#pieces.push(chunk);
  }

  onResponseEnd(): void {
    this.#finish();
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error & { code?: string }): void {
    const result = this.#result;
    result.failure ??= {
      code: failureCodeOf(error, result.status),
      message: this.#stopping.isStopping ? 'the server is stopping' : reasonOf(error),
      system: error.code,
    };
    this.#finish();
  }

  /** Whether what was collected until now may be held. */
  #claim(): boolean {
    const more = this.#size - this.#claimed;
    if (this.#caller.claim?.grow(more) === false) return false;
    this.#claimed += more;
    return true;
  }

  #write(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.#result.clientGone) return;
    const { response } = this.#caller;
    if (!response.headersSent) this.#caller.startStream(this.#result.contentType);
    this.#quietRounds = 0;
    this.#betweenEvents = this.#caller.stream?.writesWholeEvents === true || endsEvent(bytes);
    if (!this.#corked) {
      // What one read of the upstream brought in leaves in one write.
      this.#corked = true;
      response.cork();
      process.nextTick(() => {
        this.#corked = false;
        response.uncork();
      });
    }
    if (response.write(bytes) || controller.paused) return;
    controller.pause();
    response.once('drain', () => controller.resume());
  }

  /** Whoever has left is read for no longer than the channel says. */
  #limitDrain(stream: StreamTap): void {
    const { onGone } = this.#terms;
    if (onGone.policy === 'limit' && onGone.tokens > 0 && stream.estimatedOutput() >= onGone.tokens)
      this.#giveUp('client_gone');
  }

  /** Breaks the attempt off for a reason of ours. */
  #giveUp(code: keyof typeof reasons): void {
    this.#result.failure ??= { code, message: reasons[code] };
    // Still connecting: nobody waits for that.
    if (this.#controller) this.#controller.abort(new Error(code));
    else this.#finish();
  }

  readonly #onClose = (): void => {
    if (this.#caller.response.writableFinished) return;
    this.#drain();
    const { onGone } = this.#terms;
    if (onGone.policy === 'abort' || this.#stopping.drains > MOST_DRAINS) return this.#giveUp('client_gone');
    if (onGone.policy === 'limit' && onGone.ms > 0)
      this.#gone = setTimeout(() => this.#giveUp('client_gone'), onGone.ms);
    if (this.#controller?.paused) this.#controller.resume();
  };

  /** From here on the upstream is read for its usage alone. */
  #drain(): void {
    this.#result.clientGone = true;
    this.#quietRounds = 0;
    if (this.#drains) return;
    this.#drains = true;
    this.#stopping.drains++;
  }

  /**
   * Says something to a caller who has heard nothing for a while. It settles the answer's status, so it waits for the
   * upstream's, and where a channel has a time for the first token, for that token: until then another one can be asked.
   */
  onHeartbeat(): void {
    const { stream, clientGone, contentType } = this.#result;
    if (clientGone) {
      const over = endOfDrain(++this.#quietRounds, this.#result, this.#caller.stream !== undefined);
      return over && this.#giveUp(over);
    }
    if (!stream || this.#finished || ++this.#quietRounds < QUIET_ROUNDS) return;
    const { response, stream: reading, startStream } = this.#caller;
    const waitsForToken = !response.headersSent && this.#terms.timeouts.firstTokenMs > 0;
    if (!reading?.heartbeat || waitsForToken || !this.#betweenEvents || response.writableNeedDrain) return;
    if (!response.headersSent) startStream(contentType);
    this.#quietRounds = 0;
    response.write(reading.heartbeat());
  }

  abort(): void {
    this.#controller?.abort(new Error('stopping'));
  }

  #elapsed(): number {
    return Math.round(performance.now() - this.#start);
  }

  #finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    const { response } = this.#caller;
    response.off('close', this.#onClose);
    this.#stopping.openExchanges.delete(this);
    if (this.#drains) this.#stopping.drains--;
    clearTimeout(this.#firstToken);
    clearTimeout(this.#total);
    clearTimeout(this.#gone);
    this.#result.ms = this.#elapsed();
    if (!this.#result.requestStarted)
      this.#result.unreachableRoute = { baseUrl: this.#target.baseUrl, proxy: this.#target.proxy ?? '' };
    this.#result.endsMidEvent = !this.#betweenEvents;
    if (this.#result.failure) this.#caller.claim?.shrink(this.#claimed);
    this.#result.body = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    this.#resolve(this.#result);
  }
}

/** So many rounds without a word are followed by a heartbeat. */
const QUIET_ROUNDS = 3;

/** Whether bytes of a stream end with an empty line. */
const endsEvent = (bytes: Buffer): boolean => lastEventEnd(bytes) === bytes.length;

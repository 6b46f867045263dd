/**
 * The upstream step: sends a request and collects or passes on the response.
 * Streams pass through stream; after it: outcome judges the result.
 */
import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Guard } from '#guard/guard.ts';
import type { BodyClaim } from '#http/limits/body-memory.ts';
import type { LiveChannel } from '#live/routing-table.ts';
import type { CallTarget, Job } from '#providers/operation.ts';
import type { Refusal } from '#quota/book.ts';
import type { ShutdownState } from '#relay/types/shutdown-state.ts';
import type { StreamRecord } from '#relay/types/stream-record.ts';
import { lastEventEnd } from '#relay/body/event-ends.ts';
import type { OutputCredit, StreamFormat, StreamTap } from '#relay/types/stream-types.ts';
import { type AttemptResult, emptyResult } from '#relay/types/attempt-result.ts';
import { endOfDrain, MAX_DRAINS, mostDrained } from './drain.ts';
import { errorCode } from '#relay/body/error-code.ts';
import { dispatchJob } from './job-run.ts';
import { headerText, isCompressed, matchesType } from './response-head.ts';
import { tierInHeaders } from '#usage/served.ts';
import { abortReasons, UpstreamExchange } from './upstream-exchange.ts';
import { failureCodeOf, reasonOf, type Upstreams } from './upstreams.ts';

const MAX_REFUSAL_BYTES = 64 * 1024;
const MAX_REPLY_BYTES = 128 * 1024 * 1024;
/** Smaller replies are not counted towards the memory limit: most replies are, and they are short-lived. */
const UNCOUNTED_REPLY_BYTES = 256 * 1024;
/** Most bytes of a stream that are held back before its content. */
const MAX_HELD_BYTES = 1024 * 1024;
/** Heartbeat rounds without output before a heartbeat is sent. */
const QUIET_ROUNDS = 3;

/** Receives the upstream's response. */
interface ResponseSink {
  response: ServerResponse;
  /** Sends the head of a stream; called once, before the first byte. */
  startStream(contentType: string): void;
  /** Undefined: no stream is expected. */
  stream: StreamFormat | undefined;
  /** Memory accounting of a reply that is collected. */
  claim: BodyClaim | undefined;
  /** Keeps the reservation ahead of a stream; left out: it does not grow. */
  credit?: OutputCredit | undefined;
  /** Reads the stream; left out: none does. */
  guard?: Guard | undefined;
  /** Gets a copy of the stream as it is passed on; left out: none is kept. */
  record?: StreamRecord | undefined;
}

/** A channel's timeouts, and its policy for callers who leave. */
export interface AttemptLimits extends Pick<LiveChannel, 'timeouts' | 'onGone'> {
  /** The result keeps the headers of any reply. */
  keepsHeaders?: boolean | undefined;
  /** Output tokens that the call may produce; undefined: it has no such limit. */
  output?: number | undefined;
}

interface UpstreamSend {
  /** `method`: left out, POST. */
  target: CallTarget & { proxy?: string; method?: string };
  body: Buffer | Readable;
  limits: AttemptLimits;
  sink: ResponseSink;
  shutdown: ShutdownState;
  /** The vendor runs the call as a job. */
  job?: Job | undefined;
}

/**
 * Sends a request and passes a stream on as it arrives; other replies are collected and leave once they are charged.
 * When the caller leaves, the channel's policy decides whether the upstream is read to its end for the usage. Never
 * rejects.
 */
export function send(upstreams: Upstreams, request: UpstreamSend): Promise<AttemptResult> {
  return new Promise((resolve) => {
    const exchange = new CallExchange(request, resolve);
    const { target, body, limits, job, sink } = request;
    try {
      if (job)
        dispatchJob(upstreams, { job, target, body, timeouts: limits.timeouts, wantsStream: !!sink.stream }, exchange);
      else exchange.reuses = upstreams.dispatch(target, body, limits.timeouts, exchange);
    } catch (error) {
      exchange.onResponseError(undefined, error);
    }
  });
}

class CallExchange extends UpstreamExchange {
  /** Whether the request was sent on a used connection; undefined: unknown. */
  reuses: (() => boolean) | undefined;
  readonly #target: UpstreamSend['target'];
  readonly #limits: AttemptLimits;
  readonly #sink: ResponseSink;
  readonly #resolve: (result: AttemptResult) => void;
  /** Bytes counted towards the memory limit. */
  #claimed = 0;
  #corked = false;
  /** Heartbeat rounds without output; once the caller has left, rounds since then. */
  #quietRounds = 0;
  #isDraining = false;
  /** The output so far ends with a whole event, so a heartbeat may follow. */
  #betweenEvents = true;
  readonly #result = emptyResult();
  #firstTokenTimer: NodeJS.Timeout | undefined;
  #totalTimer: NodeJS.Timeout | undefined;
  #goneTimer: NodeJS.Timeout | undefined;
  /** Bytes that wait until credits are reserved for them; undefined: none do. */
  #unpaid: Buffer[] | undefined;
  /** The upstream ended while bytes waited. */
  #endsUnpaid = false;

  constructor({ target, limits, sink, shutdown }: UpstreamSend, resolve: (result: AttemptResult) => void) {
    super(sink.response, shutdown);
    this.#target = target;
    this.#limits = limits;
    this.#sink = sink;
    this.#resolve = resolve;
    if (sink.response.destroyed) this.#drain();
    const { firstTokenMs, totalMs } = limits.timeouts;
    if (firstTokenMs > 0) this.#firstTokenTimer = setTimeout(() => this.#giveUp('first_token_timeout'), firstTokenMs);
    if (totalMs > 0) this.#totalTimer = setTimeout(() => this.#giveUp('total_timeout'), totalMs);
  }

  override onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#result.requestStarted = true;
    super.onRequestStart(controller);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return; // interim response; the real one follows
    const result = this.#result;
    result.status = status;
    result.contentType = headerText(headers['content-type']);
    result.retryAfter = headerText(headers['retry-after']) || undefined;
    result.headMs = this.elapsed();
    if (status >= 300 || this.#limits.keepsHeaders) result.headers = headers;
    if (status < 300 && isCompressed(headers['content-encoding'])) {
      result.failure = { code: 'bad_reply', message: 'the reply is compressed, although identity was requested' };
      controller.abort(new Error('compressed'));
      return;
    }
    if (status < 300) result.tier = tierInHeaders(headers);
    const { stream } = this.#sink;
    if (status < 300 && stream && matchesType(result.contentType, stream.type)) result.stream = stream.createTap();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const result = this.#result;
    if (result.stream) return this.#readStream(controller, result.stream, chunk);
    this.#noteFirst();
    const limit = result.status < 300 ? MAX_REPLY_BYTES : MAX_REFUSAL_BYTES;
    if (this.size + chunk.length > limit) {
      if (result.status >= 300) return; // the first bytes contain the error
      result.failure = { code: 'reply_too_large', message: 'the reply is too large' };
      controller.abort(new Error('reply too large'));
      return;
    }
    this.size += chunk.length;
    if (this.size > UNCOUNTED_REPLY_BYTES && !this.#claim()) {
      result.failure = { code: 'no_room', message: 'no memory left for large replies' };
      this.pieces = [];
      controller.abort(new Error('no room'));
      return;
    }
    this.pieces.push(chunk);
  }

  #readStream(controller: Dispatcher.DispatchController, stream: StreamTap, chunk: Buffer): void {
    this.#result.streamedBytes += chunk.length;
    const passed = stream.push(chunk);
    if (this.#sink.guard?.refusedBy) {
      this.#result.refused = true;
      controller.abort(new Error('refused by a guardrail'));
      return;
    }
    if (stream.hasContent !== false) this.#noteFirst();
    // Until content comes, another channel can be tried.
    else if (!passed || this.#hold(passed)) return;
    const bytes = this.#released(passed);
    if (bytes) this.#passOn(controller, stream, bytes);
    // Waiting data is reserved for as well.
    else if (this.#sink.guard) this.#passOn(controller, stream, nothing);
    if (this.#result.clientGone) this.#limitDrain(stream);
  }

  #noteFirst(): void {
    if (this.#result.firstByteMs !== undefined) return;
    this.#result.firstByteMs = this.elapsed();
    clearTimeout(this.#firstTokenTimer);
  }

  /** Holds bytes without content back; false: the stream has begun for its caller, or too many wait. */
  #hold(bytes: Buffer): boolean {
    const size = this.size + bytes.length;
    if (this.response.headersSent || size > MAX_HELD_BYTES) return false;
    this.size = size;
    if (size > UNCOUNTED_REPLY_BYTES && !this.#claim()) {
      this.size -= bytes.length;
      return false;
    }
    this.pieces.push(bytes);
    return true;
  }

  /** The bytes held back, and `more`; undefined: none. */
  #released(more?: Buffer): Buffer | undefined {
    if (this.pieces.length === 0) return more;
    const held = Buffer.concat(more ? [...this.pieces, more] : this.pieces);
    this.pieces = [];
    this.size = 0;
    this.#sink.claim?.shrink(this.#claimed);
    this.#claimed = 0;
    return held;
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: unknown): void {
    const result = this.#result;
    const code = failureCodeOf(error, result.status);
    const { firstTokenMs } = this.#limits.timeouts;
    const waitsForToken = firstTokenMs > 0 && result.requestStarted && result.firstByteMs === undefined;
    // The timer of a silent connection may fire first when both are due.
    if (code === 'timeout' && waitsForToken && this.elapsed() >= firstTokenMs)
      result.failure ??= { code: 'first_token_timeout', message: abortReasons.first_token_timeout };
    result.failure ??= {
      code,
      message: this.shutdown.isStopping ? 'the server is stopping' : reasonOf(error),
      system: errorCode(error) || undefined,
    };
    this.finish();
  }

  /** Claims memory for the collected bytes; false: the memory limit is reached. */
  #claim(): boolean {
    const more = this.size - this.#claimed;
    if (this.#sink.claim?.grow(more) === false) return false;
    this.#claimed += more;
    return true;
  }

  /** Passes bytes on once credits are reserved for them. */
  #passOn(controller: Dispatcher.DispatchController, stream: StreamTap, bytes: Buffer): void {
    const { credit } = this.#sink;
    if (!credit) return this.#write(controller, bytes);
    if (this.#result.cut) return;
    if (this.#unpaid) return void this.#unpaid.push(bytes);
    const covered = credit.cover(stream.estimatedOutput());
    if (covered === true) return this.#write(controller, bytes);
    this.#unpaid = [bytes];
    controller.pause();
    void this.#passWhenCovered(controller, { stream, credit }, covered);
  }

  /** Passes the bytes on that wait for their credits, or ends the stream after them. Never rejects. */
  async #passWhenCovered(
    controller: Dispatcher.DispatchController,
    { stream, credit }: { stream: StreamTap; credit: OutputCredit },
    covered: Promise<Refusal | undefined>,
  ): Promise<void> {
    let refusal: Refusal | undefined;
    try {
      // More may come meanwhile.
      for (let next: true | typeof covered = covered; next !== true; next = credit.cover(stream.estimatedOutput())) {
        refusal = await next;
        if (refusal !== undefined) break;
      }
    } catch (error) {
      this.#unpaid = undefined;
      this.#result.failure ??= { code: 'stream_broken', message: 'credits could not be reserved' };
      if (this.#endsUnpaid) super.finish();
      else controller.abort(error instanceof Error ? error : new Error('no credits'));
      return;
    }
    const bytes = Buffer.concat(this.#unpaid ?? []);
    this.#unpaid = undefined;
    this.#write(controller, bytes);
    // A stream that has given its reason to finish only has its usage left.
    if (refusal !== undefined && !stream.done && stream.finishReason === undefined) this.#cut(controller, refusal);
    else {
      if (refusal !== undefined) credit.stop();
      this.#resume(controller);
    }
  }

  #resume(controller: Dispatcher.DispatchController): void {
    if (this.#endsUnpaid) super.finish();
    else if (this.response.writableNeedDrain && !this.#result.clientGone)
      this.response.once('drain', () => controller.resume());
    else controller.resume();
  }

  /** Ends a stream for which no more can be reserved. What has come is delivered: at most one read is not covered. */
  #cut(controller: Dispatcher.DispatchController, by: Refusal): void {
    this.#result.cut = by;
    if (this.#endsUnpaid) super.finish();
    else controller.abort(new Error('credits used up'));
  }

  protected override finish(): void {
    // The last bytes still wait for their credits.
    if (this.#unpaid) this.#endsUnpaid = true;
    else super.finish();
  }

  #write(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.#result.clientGone || bytes.length === 0) return;
    const { response } = this;
    if (!response.headersSent) this.#sink.startStream(this.#result.contentType);
    this.#quietRounds = 0;
    this.#betweenEvents = this.#sink.stream?.writesWholeEvents === true || endsEvent(bytes);
    this.#sink.record?.push(bytes);
    if (!this.#corked) {
      // All chunks of one read from the upstream leave in one write.
      this.#corked = true;
      response.cork();
      process.nextTick(() => {
        this.#corked = false;
        response.uncork();
      });
    }
    this.writePaced(controller, bytes);
  }

  /** Stops reading for a caller who left at the channel's token limit, or where the call has produced all it may. */
  #limitDrain(stream: StreamTap): void {
    const { onGone, output } = this.#limits;
    const most = Math.min(mostDrained(output), onGone.policy === 'limit' ? onGone.tokens : Infinity);
    if (stream.estimatedOutput() >= most) this.#giveUp('client_gone');
  }

  #giveUp(code: keyof typeof abortReasons): void {
    this.#result.failure ??= { code, message: abortReasons[code] };
    // While connecting there is no request to abort yet.
    if (this.controller) this.controller.abort(new Error(code));
    else this.finish();
  }

  protected override onCallerGone(): void {
    this.#drain();
    const { onGone } = this.#limits;
    if (onGone.policy === 'abort' || this.shutdown.drains > MAX_DRAINS) return this.#giveUp('client_gone');
    if (onGone.policy === 'limit' && onGone.ms > 0)
      this.#goneTimer = setTimeout(() => this.#giveUp('client_gone'), onGone.ms);
    if (this.controller?.paused) this.controller.resume();
  }

  /** From here on the upstream is read for its usage only. */
  #drain(): void {
    this.#result.clientGone = true;
    this.#quietRounds = 0;
    if (this.#isDraining) return;
    this.#isDraining = true;
    this.shutdown.drains++;
  }

  /**
   * Sends a heartbeat on a quiet stream, after the bytes held back. That commits the status, so it waits for the
   * upstream's status and, if the channel has a first-token timeout, for that token: until then another channel can be
   * tried.
   */
  onHeartbeat(): void {
    const { stream, clientGone, contentType } = this.#result;
    if (clientGone) {
      const end = endOfDrain(++this.#quietRounds, this.#result, this.#sink.stream !== undefined);
      return end && this.#giveUp(end);
    }
    if (!stream || this.isFinished || ++this.#quietRounds < QUIET_ROUNDS) return;
    const { stream: format, startStream } = this.#sink;
    const { response } = this;
    const waitsForToken = !response.headersSent && this.#limits.timeouts.firstTokenMs > 0;
    if (!format?.heartbeat || waitsForToken || !this.#betweenEvents || response.writableNeedDrain) return;
    if (!response.headersSent) startStream(contentType);
    this.#quietRounds = 0;
    const held = this.#released();
    if (held) response.write(held);
    if (held) this.#sink.record?.push(held);
    this.#betweenEvents = !held || format.writesWholeEvents === true || endsEvent(held);
    if (this.#betweenEvents) response.write(format.heartbeat());
  }

  protected override onFinish(): void {
    const result = this.#result;
    if (this.#isDraining) this.shutdown.drains--;
    clearTimeout(this.#firstTokenTimer);
    clearTimeout(this.#totalTimer);
    clearTimeout(this.#goneTimer);
    result.ms = this.elapsed();
    // Sent, and closed before a response: perhaps as it was idle.
    result.wasReused = result.failure !== undefined && result.status === 0 && this.reuses?.() === true;
    if (!result.requestStarted)
      result.unreachableRoute = { baseUrl: this.#target.baseUrl, proxy: this.#target.proxy ?? '' };
    if (result.status === 404) result.address = this.#target.baseUrl + this.#target.path;
    result.endsMidEvent = !this.#betweenEvents;
    if (result.failure) this.#sink.claim?.shrink(this.#claimed);
    result.body = this.collected();
    this.#resolve(result);
  }
}

const nothing = Buffer.alloc(0);

const endsEvent = (bytes: Buffer): boolean => lastEventEnd(bytes) === bytes.length;

import type { ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';
import { OpenAiStreamTap } from './sse-tap.ts';
import { reasonOf, type Upstreams } from './upstreams.ts';

/** How one attempt at an upstream ended, and what is still to be sent to the caller. */
export interface Sent {
  /** HTTP status of the upstream; 0 when none came. */
  status: number;
  contentType: string;
  retryAfter: string | undefined;
  /** Milliseconds from the start of the attempt until the head of the answer, and until the first piece of its body. */
  headMs: number | undefined;
  firstByteMs: number | undefined;
  ms: number;
  /** Set for a stream: what was read of it. */
  stream: OpenAiStreamTap | undefined;
  /** The answer, where it is not a stream; refusals are cut to what an error can need. */
  body: Buffer;
  /** Why the connection failed or broke; undefined when the answer came to its end. */
  failure: { code: 'connect_failed' | 'timeout' | 'stream_broken' | 'reply_too_large'; message: string } | undefined;
  /** The caller left before the end. */
  clientGone: boolean;
}

/** How the server's stop reaches calls under way: a set, because an event target is walked through for every call. */
export interface Stopping {
  now: boolean;
  open: Set<{ breakOff(): void }>;
}

const LARGEST_REFUSAL = 64 * 1024;
const LARGEST_REPLY = 128 * 1024 * 1024;

/** Where an upstream's answer goes while it comes in. */
interface Caller {
  response: ServerResponse;
  /** Sends the head of a stream; called once, before its first byte. */
  startStream(contentType: string): void;
  /** The caller asked for a stream, and whether it wants the closing usage event. */
  wantsStream: boolean;
  wantsUsage: boolean;
}

/**
 * Sends a request to an upstream and passes a stream on to the caller as it comes. An answer that is no stream is
 * collected: it leaves when it is charged. Never rejects. Whatever happens to the caller, the upstream is read to
 * its end, because that is where the usage stands.
 */
export function send(
  upstreams: Upstreams,
  target: { base: string; path: string; headers: Record<string, string>; body: Buffer },
  caller: Caller,
  stopping: Stopping,
): Promise<Sent> {
  return new Promise((resolve) => {
    const exchange = new Exchange(caller, stopping, resolve);
    try {
      upstreams.dispatch(target.base, target.path, target, exchange);
    } catch (error) {
      exchange.onResponseError(undefined, error as Error);
    }
  });
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #caller: Caller;
  readonly #resolve: (sent: Sent) => void;
  readonly #stopping: Stopping;
  readonly #start = performance.now();
  #controller: Dispatcher.DispatchController | undefined;
  #pieces: Buffer[] = [];
  #size = 0;
  #corked = false;
  readonly #sent: Sent = {
    status: 0,
    contentType: '',
    retryAfter: undefined,
    headMs: undefined,
    firstByteMs: undefined,
    ms: 0,
    stream: undefined,
    body: Buffer.alloc(0),
    failure: undefined,
    clientGone: false,
  };

  constructor(caller: Caller, stopping: Stopping, resolve: (sent: Sent) => void) {
    this.#caller = caller;
    this.#stopping = stopping;
    this.#resolve = resolve;
    if (caller.response.destroyed) this.#sent.clientGone = true;
    caller.response.on('close', this.#onClose);
    caller.response.on('drain', this.#onDrain);
    stopping.open.add(this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#stopping.now) this.breakOff();
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return; // an interim answer; the real one follows
    const sent = this.#sent;
    sent.status = status;
    sent.contentType = text(headers['content-type']);
    sent.retryAfter = text(headers['retry-after']) || undefined;
    sent.headMs = this.#elapsed();
    if (status < 300 && this.#caller.wantsStream && sent.contentType.includes('text/event-stream')) {
      sent.stream = new OpenAiStreamTap(!this.#caller.wantsUsage);
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const sent = this.#sent;
    sent.firstByteMs ??= this.#elapsed();
    if (sent.stream) {
      const passed = sent.stream.push(chunk);
      if (passed) this.#write(controller, passed);
      return;
    }
    const limit = sent.status < 300 ? LARGEST_REPLY : LARGEST_REFUSAL;
    if (this.#size + chunk.length > limit) {
      if (sent.status >= 300) return; // the rest of a refusal tells nothing more
      sent.failure = { code: 'reply_too_large', message: 'the answer is too large' };
      controller.abort(new Error('reply too large'));
      return;
    }
    this.#size += chunk.length;
    this.#pieces.push(chunk);
  }

  onResponseEnd(): void {
    this.#finish();
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error & { code?: string }): void {
    const sent = this.#sent;
    const timeout = error.code?.endsWith('_TIMEOUT') ?? false;
    const code = timeout ? 'timeout' : sent.status === 0 ? 'connect_failed' : 'stream_broken';
    sent.failure ??= { code, message: this.#stopping.now ? 'the server is stopping' : reasonOf(error) };
    this.#finish();
  }

  #write(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.#sent.clientGone) return;
    const { response } = this.#caller;
    if (!response.headersSent) this.#caller.startStream(this.#sent.contentType);
    if (!this.#corked) {
      // What one read of the upstream brought in leaves in one write.
      this.#corked = true;
      response.cork();
      process.nextTick(() => {
        this.#corked = false;
        response.uncork();
      });
    }
    if (!response.write(bytes)) controller.pause();
  }

  readonly #onDrain = (): void => this.#controller?.resume();

  readonly #onClose = (): void => {
    if (this.#caller.response.writableFinished) return;
    this.#sent.clientGone = true;
    if (this.#controller?.paused) this.#controller.resume();
  };

  breakOff(): void {
    this.#controller?.abort(new Error('stopping'));
  }

  #elapsed(): number {
    return Math.round(performance.now() - this.#start);
  }

  #finish(): void {
    const { response } = this.#caller;
    response.off('close', this.#onClose);
    response.off('drain', this.#onDrain);
    this.#stopping.open.delete(this);
    this.#sent.ms = this.#elapsed();
    this.#sent.body = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    this.#resolve(this.#sent);
  }
}

const text = (header: string | string[] | undefined): string =>
  Array.isArray(header) ? (header[0] ?? '') : (header ?? '');

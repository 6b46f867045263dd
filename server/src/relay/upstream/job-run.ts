import { Buffer } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { withUserAgent } from '#http/user-agent.ts';
import { parseJson } from '#json.ts';
import type { CallTarget, Job, JobState } from '#providers/operation.ts';
import { HEAD_TIMEOUT_MS } from './open-pool.ts';
import { headerText } from './response-head.ts';
import type { Upstreams } from './upstreams.ts';

/** Interval between polls of a job's state. */
const POLL_MS = 500;
/** Failed polls in a row before a job is given up. */
const MAX_FAILED_POLLS = 3;
/** Polls after a complete stream: its usage may arrive late. */
const POLLS_AFTER_STREAM = 3;
const MAX_STATE_BYTES = 16 * 1024 * 1024;
const CANCEL_TIMEOUT_MS = 10_000;

interface JobRequest {
  job: Job;
  target: CallTarget & { proxy?: string };
  body: Buffer | Readable;
  timeouts: { connectMs: number; idleMs: number };
  wantsStream: boolean;
}

interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/**
 * Sends a call that the vendor runs as a job, and presents it to `handler` as one response: the finished job as JSON,
 * or the job's stream followed by the finished job as the event `job`. Aborting cancels the job at the vendor. Throws
 * as `dispatch` does.
 */
export function dispatchJob(upstreams: Upstreams, request: JobRequest, handler: Dispatcher.DispatchHandler): void {
  new JobRun(upstreams, request, handler).start();
}

class JobRun implements Dispatcher.DispatchController {
  aborted = false;
  paused = false;
  reason: Error | null = null;
  readonly #upstreams: Upstreams;
  readonly #request: JobRequest;
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #deadline = performance.now() + HEAD_TIMEOUT_MS;
  #state: JobState | undefined;
  /** The connection of the job's stream. */
  #streaming: Dispatcher.DispatchController | undefined;
  #streamStarted = false;
  #timer: NodeJS.Timeout | undefined;
  #failedPolls = 0;
  #ended = false;

  constructor(upstreams: Upstreams, request: JobRequest, handler: Dispatcher.DispatchHandler) {
    this.#upstreams = upstreams;
    this.#request = request;
    this.#handler = handler;
  }

  start(): void {
    const { target, body, timeouts } = this.#request;
    const collector = collect(
      (reply) => this.#onCreated(reply),
      (error) => this.#fail(error),
    );
    this.#upstreams.dispatch(target, body, timeouts, {
      ...collector,
      onRequestStart: () => this.#handler.onRequestStart?.(this, {}),
    });
  }

  pause(): void {
    this.paused = true;
    this.#streaming?.pause();
  }

  resume(): void {
    this.paused = false;
    this.#streaming?.resume();
  }

  /** A job that is being created is cancelled as soon as its id is known. */
  abort(reason: Error): void {
    if (this.#ended) return;
    this.aborted = true;
    this.reason = reason;
    this.#streaming?.abort(reason);
    this.#cancel();
    this.#fail(reason);
  }

  #onCreated(reply: Reply): void {
    const json = reply.status < 300 ? parseJson(reply.body.toString('utf8')) : undefined;
    this.#state = this.#request.job(json, this.#request.target);
    if (this.aborted) return this.#cancel();
    if (!this.#state) return this.#replay(reply);
    if (this.#state.isDone) return this.#deliver(reply.body);
    const { stream } = this.#state;
    if (this.#request.wantsStream && stream) this.#openStream(stream);
    else this.#pollLater(POLL_MS);
  }

  #openStream({ baseUrl, path, headers }: CallTarget): void {
    const { target, timeouts } = this.#request;
    const pollAgain = () => this.#pollLater(POLL_MS);
    const from = {
      baseUrl,
      path,
      method: 'GET',
      ...(target.proxy !== undefined && { proxy: target.proxy }),
      headers: withUserAgent({ ...headers, accept: 'text/event-stream', 'accept-encoding': 'identity' }),
    };
    let isStream = false;
    try {
      this.#upstreams.dispatch(from, null, timeouts, {
        onRequestStart: (controller) => {
          if (this.aborted) return controller.abort(this.reason ?? new Error('aborted'));
          this.#streaming = controller;
        },
        onResponseStart: (controller, status, received) => {
          if (status < 200) return;
          isStream = status === 200 && headerText(received['content-type']).includes('text/event-stream');
          if (!isStream) return;
          this.#startStream();
          if (this.paused) controller.pause();
        },
        onResponseData: (_, chunk) => {
          if (isStream && !this.#ended) this.#handler.onResponseData?.(this, chunk);
        },
        onResponseEnd: () => {
          this.#streaming = undefined;
          if (isStream) this.#poll(POLLS_AFTER_STREAM);
          else pollAgain();
        },
        // The job goes on without its stream.
        onResponseError: () => {
          this.#streaming = undefined;
          pollAgain();
        },
      });
    } catch {
      pollAgain(); // an address that must not be connected to
    }
  }

  #pollLater(ms: number, left?: number): void {
    if (this.#ended) return;
    this.#timer = setTimeout(() => this.#poll(left), ms);
  }

  /** Polls the job until it is done; `left` limits the number of polls after a complete stream. */
  #poll(left?: number): void {
    const { target, timeouts } = this.#request;
    if (this.#ended || !this.#state) return;
    if (left === 0) return this.#end();
    const { path } = this.#state;
    const again = () => this.#pollLater(POLL_MS, left === undefined ? undefined : left - 1);
    const missed = (give: () => void) => {
      if (left === undefined && (++this.#failedPolls >= MAX_FAILED_POLLS || performance.now() > this.#deadline)) {
        this.#cancel();
        give();
      } else again();
    };
    const onReply = (reply: Reply): void => {
      if (this.#ended) return;
      const state =
        reply.status === 200 ? this.#request.job(parseJson(reply.body.toString('utf8')), target) : undefined;
      if (!state) return missed(() => this.#replay({ ...reply, status: Math.max(reply.status, 502) }));
      this.#failedPolls = 0;
      this.#state = state;
      if (state.isDone) return this.#deliver(reply.body);
      // A complete stream only lacks its usage.
      if (left !== undefined || performance.now() <= this.#deadline) return again();
      this.#cancel();
      this.#fail(new Error('the job took too long'));
    };
    try {
      const accept = 'application/json';
      const from = { ...target, path, method: 'GET', headers: { ...bodiless(target.headers), accept } };
      this.#upstreams.dispatch(
        from,
        null,
        timeouts,
        collect(onReply, (error) => missed(() => this.#fail(error))),
      );
    } catch (error) {
      missed(() => this.#fail(error instanceof Error ? error : new Error('the job cannot be polled')));
    }
  }

  /** Never rejects. */
  #cancel(): void {
    if (!this.#state || this.#state.isDone) return;
    const { baseUrl, headers, proxy } = this.#request.target;
    void this.#upstreams
      .ask({
        baseUrl,
        path: this.#state.cancelPath,
        method: 'POST',
        headers: bodiless(headers),
        timeoutMs: CANCEL_TIMEOUT_MS,
        maxBytes: MAX_STATE_BYTES,
        ...(proxy !== undefined && { proxy }),
      })
      .catch(() => {}); // the job then ends by its own limits
  }

  #deliver(body: Buffer): void {
    if (!this.#request.wantsStream)
      return this.#replay({ status: 200, headers: { 'content-type': 'application/json' }, body });
    this.#startStream();
    // The stream may have broken in the middle of an event, and the vendor's JSON may have several lines.
    const json = JSON.stringify(parseJson(body.toString('utf8')));
    this.#handler.onResponseData?.(this, Buffer.from(`\n\nevent: job\ndata: ${json}\n\n`));
    this.#end();
  }

  #startStream(): void {
    if (this.#streamStarted || this.#ended) return;
    this.#streamStarted = true;
    this.#handler.onResponseStart?.(this, 200, { 'content-type': 'text/event-stream' });
  }

  #replay({ status, headers, body }: Reply): void {
    if (this.#ended) return;
    if (this.#streamStarted) return this.#fail(new Error('the job cannot be polled'));
    this.#handler.onResponseStart?.(this, status, headers);
    if (body.length > 0 && !this.#ended) this.#handler.onResponseData?.(this, body);
    this.#end();
  }

  #end(): void {
    if (this.#ended) return;
    this.#finish();
    this.#handler.onResponseEnd?.(this, {});
  }

  #fail(error: Error): void {
    if (this.#ended) return;
    this.#finish();
    this.#handler.onResponseError?.(this, error);
  }

  #finish(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }
}

/** The headers of a call for requests about its job, which have no body. */
const bodiless = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'content-type' && name !== 'prefer'));

/** Collects a whole response. */
function collect(onReply: (reply: Reply) => void, onError: (error: Error) => void): Dispatcher.DispatchHandler {
  const reply = { status: 0, headers: {} };
  const pieces: Buffer[] = [];
  let size = 0;
  return {
    onRequestStart() {},
    onResponseStart(_, status, headers) {
      if (status >= 200) Object.assign(reply, { status, headers });
    },
    onResponseData(controller, chunk) {
      size += chunk.length;
      if (size > MAX_STATE_BYTES) controller.abort(new Error('reply too large'));
      else pieces.push(chunk);
    },
    onResponseEnd: () => onReply({ ...reply, body: Buffer.concat(pieces) }),
    onResponseError: (_, error) => onError(error),
  };
}

import type { ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Rate } from '#http/limits/minute-rates.ts';
import type { SetMember } from '#relay/call/swap-remove-set.ts';
import { callHeaders } from '#relay/routes/headers.ts';
import { RelayError } from '#relay/routes/relay-error.ts';
import type { ShutdownState } from '#relay/call/shutdown-state.ts';
import { failureCodeOf, reasonOf } from '#relay/upstream/upstreams.ts';
import { returnedHeaders } from './raw-headers.ts';

/** How a call that was passed on ended. Its answer has left, but for the end. */
export interface RawResult {
  /** HTTP status of the upstream; 0 when none came. */
  status: number;
  headMs: number | undefined;
  ms: number;
  /** Why the connection failed or broke; undefined when the answer came to its end. */
  failure: { code: string; message: string } | undefined;
  /** The request itself was to blame. */
  refusal: RelayError | undefined;
  /** An answer that is no success, kept back because it may hold what the caller must not see. */
  body: Buffer;
  headers: Record<string, string>;
}

/** An error body is cut behind the piece that reaches this length. */
export const LARGEST_REFUSAL = 64 * 1024;

/** Passes an upstream's answer on as it comes, no faster than the caller takes it. */
export class RawExchange implements Dispatcher.DispatchHandler, SetMember {
  index = 0;
  readonly ended: Promise<RawResult>;
  readonly #response: ServerResponse;
  readonly #requestId: string;
  readonly #rate: Rate;
  readonly #stopping: ShutdownState;
  readonly #start = performance.now();
  readonly #pieces: Buffer[] = [];
  #size = 0;
  #resolve!: (end: RawResult) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #finished = false;
  readonly #end: RawResult = {
    status: 0,
    headMs: undefined,
    ms: 0,
    failure: undefined,
    refusal: undefined,
    body: Buffer.alloc(0),
    headers: {},
  };

  constructor(response: ServerResponse, requestId: string, rate: Rate, stopping: ShutdownState) {
    this.#response = response;
    this.#requestId = requestId;
    this.#rate = rate;
    this.#stopping = stopping;
    this.ended = new Promise((resolve) => (this.#resolve = resolve));
    response.on('close', this.#onClose);
    stopping.openExchanges.add(this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#stopping.isStopping || this.#response.destroyed) this.abort();
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return; // an interim answer; the real one follows
    const end = this.#end;
    end.status = status;
    end.headMs = this.#elapsed();
    end.headers = returnedHeaders(headers);
    if (status < 300) this.#response.writeHead(status, { ...end.headers, ...callHeaders(this.#requestId, this.#rate) });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#end.status >= 300) {
      if (this.#size >= LARGEST_REFUSAL) return; // the rest of a refusal tells nothing more
      this.#size += chunk.length;
      this.#pieces.push(chunk);
      return;
    }
    if (this.#response.write(chunk) || controller.paused) return;
    controller.pause();
    this.#response.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    this.#finish();
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error & { code?: string }): void {
    const end = this.#end;
    if (error instanceof RelayError) end.refusal = error;
    end.failure ??= {
      code: failureCodeOf(error, end.status),
      message: this.#stopping.isStopping ? 'the server is stopping' : reasonOf(error),
    };
    this.#finish();
  }

  /** Nobody waits for the answer any more: unlike a chat, nothing of it is charged. */
  readonly #onClose = (): void => {
    if (this.#response.writableFinished) return;
    this.#end.failure ??= { code: 'client_gone', message: 'the caller had left' };
    if (this.#controller) this.#controller.abort(new Error('client gone'));
    else this.#finish();
  };

  abort(): void {
    this.#controller?.abort(new Error('stopping'));
  }

  #elapsed(): number {
    return Math.round(performance.now() - this.#start);
  }

  #finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#response.off('close', this.#onClose);
    this.#stopping.openExchanges.delete(this);
    this.#end.ms = this.#elapsed();
    this.#end.body = Buffer.concat(this.#pieces);
    this.#resolve(this.#end);
  }
}

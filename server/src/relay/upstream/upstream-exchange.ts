import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Dispatcher } from 'undici';
import type { Abortable, ShutdownState } from '#relay/types/shutdown-state.ts';

/** Why a whole response could not be received. */
export const abortReasons = {
  first_token_timeout: 'no first token in time',
  total_timeout: 'the reply took longer than the channel allows',
  client_gone: 'the client disconnected',
} as const;

const empty = Buffer.alloc(0);

/**
 * One request to an upstream and its response, for a caller's HTTP response: the life cycle that calls and pass-through
 * share. It is open to the server's shutdown and watches whether the caller leaves.
 */
export abstract class UpstreamExchange implements Dispatcher.DispatchHandler, Abortable {
  index = 0;
  protected readonly response: ServerResponse;
  protected readonly shutdown: ShutdownState;
  protected controller: Dispatcher.DispatchController | undefined;
  protected pieces: Buffer[] = [];
  /** Bytes received of a body that is collected. */
  protected size = 0;
  protected isFinished = false;
  readonly #start = performance.now();

  constructor(response: ServerResponse, shutdown: ShutdownState) {
    this.response = response;
    this.shutdown = shutdown;
    response.on('close', this.#onClose);
    shutdown.openExchanges.add(this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.shutdown.isStopping) this.abort();
    // It was given up while connecting.
    else if (this.isFinished) controller.abort(new Error('given up'));
  }

  onResponseEnd(): void {
    this.finish();
  }

  /** The server shuts down. */
  abort(): void {
    this.controller?.abort(new Error('stopping'));
  }

  /** The caller left before the response was complete. */
  protected abstract onCallerGone(): void;
  /** Runs once: fills in and resolves the result. */
  protected abstract onFinish(): void;

  readonly #onClose = (): void => {
    if (!this.response.writableFinished) this.onCallerGone();
  };

  protected elapsed(): number {
    return Math.round(performance.now() - this.#start);
  }

  protected collected(): Buffer {
    const [first = empty] = this.pieces;
    return this.pieces.length > 1 ? Buffer.concat(this.pieces) : first;
  }

  /** Passes bytes on no faster than the caller takes them. */
  protected writePaced(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.response.write(bytes) || controller.paused) return;
    controller.pause();
    this.response.once('drain', () => controller.resume());
  }

  protected finish(): void {
    if (this.isFinished) return;
    this.isFinished = true;
    this.response.off('close', this.#onClose);
    this.shutdown.openExchanges.delete(this);
    this.onFinish();
  }
}

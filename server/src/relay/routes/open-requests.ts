import type { Socket } from 'node:net';
import type { HttpContext } from '#relay/types/call-types.ts';
import type { ShutdownState } from '#relay/types/shutdown-state.ts';
import { type SetMember, SwapRemoveSet } from '#relay/types/swap-remove-set.ts';

/** A request from its first byte to the last byte of its response. */
export interface OpenRequest extends SetMember, HttpContext {
  /** The relay has finished with it. */
  isHandled: boolean;
  /** The last byte of the response has left. */
  isSent: boolean;
}

const HEARTBEAT_MS = 5_000;

/** Requests in progress, and what ends them when the server stops. */
export class OpenRequests {
  readonly shutdown: ShutdownState = {
    isStopping: false,
    openExchanges: new SwapRemoveSet(),
    drains: 0,
    background: new Set(),
  };
  readonly #open = new SwapRemoveSet<OpenRequest>();
  #onEmpty = () => {};
  // One timer for all streams: a timer per stream would cost each of them.
  readonly #heartbeat = setInterval(() => {
    for (const exchange of this.shutdown.openExchanges.all()) exchange.onHeartbeat?.();
  }, HEARTBEAT_MS).unref();

  add(request: OpenRequest): void {
    this.#open.add(request);
    // A slow reader can delay the last byte long after the relay has finished.
    request.response.on('close', () => {
      request.isSent = true;
      this.#closeIfDone(request);
    });
  }

  /** The relay has finished with a request. */
  handled(request: OpenRequest): void {
    request.isHandled = true;
    if (this.shutdown.isStopping) request.isSent = true;
    this.#closeIfDone(request);
  }

  #closeIfDone(request: OpenRequest): void {
    if (!request.isHandled || !request.isSent) return;
    this.#open.delete(request);
    if (this.#open.size === 0) this.#onEmpty();
  }

  *sockets(): Generator<Socket> {
    for (const { request } of this.#open.all()) yield request.socket;
  }

  /** Lets requests finish for `graceMs`, then aborts the rest. Resolves when they, `others` and the background ended. */
  async stop(graceMs: number, others: Promise<void>): Promise<void> {
    const timer = setTimeout(() => this.#abort(), graceMs);
    if (this.#open.size > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve));
    await others;
    await Promise.all(this.shutdown.background);
    clearTimeout(timer);
    clearInterval(this.#heartbeat);
  }

  #abort(): void {
    this.shutdown.isStopping = true;
    for (const exchange of this.shutdown.openExchanges.all()) exchange.abort();
    for (const { request, response, isHandled } of this.#open.all()) {
      if (response.writableEnded) response.destroy();
      // A request that is still incomplete by now is not waited for.
      if (!isHandled && !request.complete) request.destroy();
    }
  }
}

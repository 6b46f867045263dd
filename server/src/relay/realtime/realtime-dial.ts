import { createHash, randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Route } from '#live/host-health.ts';
import type { LiveChannel } from '#live/routing-table.ts';
import type { CallTarget } from '#providers/operation.ts';
import { type AttemptResult, unsentResult } from '#relay/types/attempt-result.ts';
import { errorCode } from '#relay/body/error-code.ts';
import { failureCodeOf, reasonOf, type Upstreams } from '#relay/upstream/upstreams.ts';

export interface DialledSocket {
  socket: Duplex;
  ms: number;
}

const TIMEOUT_MS = 15_000;
const MAX_REFUSAL_BYTES = 64 * 1024;
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** Opens a WebSocket by the channel's proxy and limits. Never rejects: a failure is an attempt result. */
export function dial(
  upstreams: Upstreams,
  target: CallTarget,
  channel: LiveChannel,
): Promise<DialledSocket | AttemptResult> {
  return new Promise((resolve) => {
    const key = randomBytes(16).toString('base64');
    const dialling = new DialHandler(key, { baseUrl: target.baseUrl, proxy: channel.proxy }, resolve);
    const to = {
      baseUrl: target.baseUrl.replace(/^ws/, 'http'),
      path: target.path,
      headers: { ...target.headers, 'sec-websocket-version': '13', 'sec-websocket-key': key },
      method: 'GET',
      proxy: channel.proxy,
      upgrade: 'websocket',
    };
    try {
      upstreams.dispatch(to, null, channel.timeouts, dialling);
    } catch (error) {
      dialling.onResponseError(undefined, error);
    }
  });
}

class DialHandler implements Dispatcher.DispatchHandler {
  readonly #key: string;
  readonly #route: Route;
  readonly #resolve: (end: DialledSocket | AttemptResult) => void;
  readonly #start = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #pieces: Buffer[] = [];
  #size = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #over = false;
  #sent: AttemptResult = unsentResult('connect_failed', 'the upstream did not switch to a WebSocket');

  constructor(key: string, route: Route, resolve: (end: DialledSocket | AttemptResult) => void) {
    this.#key = key;
    this.#route = route;
    this.#resolve = resolve;
    this.#timer = setTimeout(() => {
      this.#sent.failure = { code: 'timeout', message: 'no answer in time' };
      this.#controller?.abort(new Error('no answer in time'));
      this.#finish();
    }, TIMEOUT_MS);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#sent.requestStarted = true;
    if (this.#over) controller.abort(new Error('given up'));
  }

  onRequestUpgrade(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
    socket: Duplex,
  ): void {
    // An unhandled 'error' event would end the process.
    socket.on('error', () => {});
    const right = createHash('sha1')
      .update(this.#key + GUID)
      .digest('base64');
    if (this.#over || status !== 101 || headers['sec-websocket-accept'] !== right) {
      socket.destroy();
      this.#finish();
      return;
    }
    this.#over = true;
    clearTimeout(this.#timer);
    this.#resolve({ socket, ms: this.#elapsed() });
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    const retryAfter = headers['retry-after'];
    // A success status without an upgrade is still a failure.
    const failure = status < 300 ? this.#sent.failure : undefined;
    this.#sent = { ...this.#sent, status, headers, headMs: this.#elapsed(), failure };
    if (typeof retryAfter === 'string') this.#sent.retryAfter = retryAfter;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#size >= MAX_REFUSAL_BYTES) return;
    this.#size += chunk.length;
    this.#pieces.push(chunk);
  }

  onResponseEnd(): void {
    this.#finish();
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: unknown): void {
    if (!this.#over)
      this.#sent.failure = {
        code: failureCodeOf(error, 0),
        message: reasonOf(error),
        system: errorCode(error) || undefined,
      };
    this.#finish();
  }

  #elapsed(): number {
    return Math.round(performance.now() - this.#start);
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#sent.ms = this.#elapsed();
    if (!this.#sent.requestStarted) this.#sent.unreachableRoute = this.#route;
    this.#sent.body = Buffer.concat(this.#pieces);
    this.#resolve(this.#sent);
  }
}

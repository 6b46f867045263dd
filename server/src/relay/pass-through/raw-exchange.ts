import type { Dispatcher } from 'undici';
import type { Rate } from '#http/limits/minute-rates.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import { passedHeaders } from '#relay/reply/headers.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import { abortReasons, UpstreamExchange } from '#relay/upstream/upstream-exchange.ts';
import { failureCodeOf, reasonOf } from '#relay/upstream/upstreams.ts';
import { returnedHeaders } from '#relay/upstream/raw-headers.ts';

/** How a pass-through call ended. A successful response has been passed on, except for its end. */
export interface RawResult {
  /** HTTP status of the upstream; 0: none came. */
  status: number;
  headMs: number | undefined;
  ms: number;
  /** Why the connection failed or broke; undefined: the response is complete. */
  failure: { code: string; message: string } | undefined;
  /** The caller's request was at fault. */
  refusal: RelayError | undefined;
  /** The body of an error, held back because it may contain secrets; that of a success only where it is kept. */
  body: Buffer;
  headers: Record<string, string>;
}

interface RawExchangeTerms {
  rate: Rate;
  /** The start of a successful reply is kept too. */
  keepsBody?: boolean;
  /** The address at this server for the provider's address of an upload; left out: none is passed on. */
  ownUploadUrl?: ((url: string) => string) | undefined;
}

/** An error body is cut after the chunk that reaches this length. */
export const MAX_REFUSAL_BYTES = 64 * 1024;

/** Passes an upstream's response on as it arrives, no faster than the caller takes it. */
export class RawExchange extends UpstreamExchange {
  readonly result: Promise<RawResult>;
  readonly #requestId: string;
  readonly #rate: Rate;
  readonly #keepsBody: boolean;
  readonly #ownUploadUrl: RawExchangeTerms['ownUploadUrl'];
  #resolve: (result: RawResult) => void = () => {};
  readonly #result: RawResult = {
    status: 0,
    headMs: undefined,
    ms: 0,
    failure: undefined,
    refusal: undefined,
    body: Buffer.alloc(0),
    headers: {},
  };

  constructor(
    { response, shutdown, requestId }: HttpContext,
    { rate, keepsBody = false, ownUploadUrl }: RawExchangeTerms,
  ) {
    super(response, shutdown);
    this.#requestId = requestId;
    this.#rate = rate;
    this.#keepsBody = keepsBody;
    this.#ownUploadUrl = ownUploadUrl;
    this.result = new Promise((resolve) => (this.#resolve = resolve));
  }

  override onRequestStart(controller: Dispatcher.DispatchController): void {
    super.onRequestStart(controller);
    if (this.response.destroyed) controller.abort(new Error('client gone'));
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return; // interim response; the real one follows
    const result = this.#result;
    result.status = status;
    result.headMs = this.elapsed();
    result.headers = returnedHeaders(headers);
    const { 'x-goog-upload-url': uploadUrl } = headers;
    if (this.#ownUploadUrl && typeof uploadUrl === 'string')
      result.headers['x-goog-upload-url'] = this.#ownUploadUrl(uploadUrl);
    if (status < 300) this.response.writeHead(status, passedHeaders(result.headers, this.#requestId, this.#rate));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#result.status < 300) this.writePaced(controller, chunk);
    if (this.#result.status < 300 && !this.#keepsBody) return;
    if (this.size >= MAX_REFUSAL_BYTES) return; // the first bytes contain the error
    this.size += chunk.length;
    this.pieces.push(chunk);
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: unknown): void {
    const result = this.#result;
    if (error instanceof RelayError) result.refusal = error;
    result.failure ??= {
      code: failureCodeOf(error, result.status),
      message: this.shutdown.isStopping ? 'the server is stopping' : reasonOf(error),
    };
    this.finish();
  }

  /** Unlike a chat, the upstream is not read on: nothing of it is charged. */
  protected override onCallerGone(): void {
    this.#result.failure ??= { code: 'client_gone', message: abortReasons.client_gone };
    if (this.controller) this.controller.abort(new Error('client gone'));
    else this.finish();
  }

  protected override onFinish(): void {
    this.#result.ms = this.elapsed();
    this.#result.body = this.collected();
    this.#resolve(this.#result);
  }
}

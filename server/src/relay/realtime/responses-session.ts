/**
 * Responses over a WebSocket: each `response.create` is the call of a POST to the same path, and its events are messages.
 * https://platform.openai.com/docs/guides/websocket-mode
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { noUsage } from '@relay-hub/contract';
import type { WebSocket } from 'ws';
import type { ReplyContext } from '#chat/codec.ts';
import { dialects } from '#chat/codecs.ts';
import { openAiCode } from '#chat/openai/write-openai-reply.ts';
import { responseId } from '#chat/responses/write-responses-reply.ts';
import { type SseEvent, SseEvents } from '#chat/sse-events.ts';
import type { BodyClaim } from '#http/limits/body-memory.ts';
import { isObject, type Json, objectOr, parseJson, textOr } from '#json.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { spliceMembers, withoutMembers } from '#relay/body/json-splice.ts';
import { DROPPED_HEADER } from '#relay/body/routing-fields.ts';
import { readNeutral } from '#relay/dialects/caller-dialect.ts';
import { refusalForFault } from '#relay/reply/fault-refusal.ts';
import { badRequest, RelayError } from '#relay/reply/relay-error.ts';
import { requestWith, SubstituteResponse } from '#relay/reply/substitute.ts';
import { inputItems } from '#relay/types/call-state.ts';
import type { CallContext } from '#relay/types/call-types.ts';
import type { OpenSession } from './converse.ts';
import { checkHandshake } from './realtime-call.ts';
import { RESPONSES_PATH } from './realtime-path.ts';
import { loadSockets, MESSAGE_LIMIT, type Upgrade } from './realtime-sockets.ts';

/** The relay's way to answer plain requests, which a session sends its calls through. */
export interface RequestPath {
  answer(request: IncomingMessage, response: ServerResponse): void;
  newRequestId(): string;
}

/** OpenAI closes connections after an hour, too. */
const LIFETIME_MS = 3_600_000;
const IDLE_MS = 15 * 60_000;
const PING_MS = 30_000;
const MOST_SESSIONS_OF_USER = 64;
/** Messages that wait for the end of a call. */
const MOST_WAITING = 4;
const MAX_BUFFERED = 1024 * 1024;
const CLOSE_GRACE_MS = 2000;

const openOf = new Map<number, number>();

/** A session, from its upgrade request to its close. Rejects with a `RelayError` while the caller expects an HTTP response. */
export async function responsesSession(
  context: CallContext,
  { socket, head }: Upgrade,
  { onOpen, path }: { onOpen: (session: OpenSession) => void; path: RequestPath },
): Promise<void> {
  checkHandshake(context.request);
  const { caller } = await authenticate(context);
  const { userId } = caller;
  const open = openOf.get(userId) ?? 0;
  if (open >= MOST_SESSIONS_OF_USER) throw tooMany(`At most ${MOST_SESSIONS_OF_USER} connections can be open.`);
  openOf.set(userId, open + 1);
  try {
    const accepted = await (await loadSockets()).accept(context.request, socket, head);
    if (!accepted) return;
    const session = new ResponsesSession(context, accepted, path);
    onOpen(session);
    await session.closed;
  } finally {
    const left = (openOf.get(userId) ?? 1) - 1;
    if (left > 0) openOf.set(userId, left);
    else openOf.delete(userId);
  }
}

const tooMany = (message: string): RelayError =>
  new RelayError(429, message, { type: 'rate_limit_error', code: 'websocket_limit_reached' });

/** The last response, which can be continued on its connection though nothing stores it. */
interface LastResponse {
  id: string;
  items: Json[];
}

class ResponsesSession implements OpenSession {
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
  readonly #context: CallContext;
  readonly #socket: WebSocket;
  readonly #path: RequestPath;
  /** Memory of `#last`. */
  readonly #claim: BodyClaim;
  readonly #opened = performance.now();
  #active = performance.now();
  #waiting: Buffer[] = [];
  #response: MessageResponse | undefined;
  #isBusy = false;
  #isStopping = false;
  #isAlive = true;
  #last: LastResponse | undefined;

  constructor(context: CallContext, socket: WebSocket, path: RequestPath) {
    this.#context = context;
    this.#socket = socket;
    this.#path = path;
    this.#claim = context.deps.bodies.claim(context.trace.caller?.userId ?? 0);
    const timer = setInterval(() => this.#check(), PING_MS);
    socket.on('error', () => {}); // the close that follows ends the session
    socket.on('pong', () => (this.#isAlive = true));
    socket.on('message', (data) => this.#take(data as Buffer)); // its binaryType is the default
    this.closed = new Promise((resolve) =>
      socket.on('close', () => {
        clearInterval(timer);
        this.#waiting = [];
        this.#forget();
        this.#response?.destroy();
        resolve();
      }),
    );
  }

  stop(now: boolean): void {
    this.#isStopping = true;
    if (now || !this.#isBusy) this.#close(1001, 'the server is stopping');
  }

  #take(message: Buffer): void {
    this.#active = performance.now();
    if (!this.#isBusy) return this.#begin(message);
    const bytes = this.#waiting.reduce((sum, one) => sum + one.length, message.length);
    if (this.#waiting.length < MOST_WAITING && bytes <= MESSAGE_LIMIT) this.#waiting.push(message);
    else this.#refuse(tooMany('Wait for the end of the response before you send more.'));
  }

  #begin(message: Buffer): void {
    this.#isBusy = true;
    const json = objectOr(parseJson(message.toString('utf8')));
    const { type = 'response.create', generate } = json;
    if (type !== 'response.create') {
      this.#refuse(badRequest(`'type' is not valid: it must be response.create.`, 'type'));
      this.#next();
    } else if (generate === false)
      void this.#warm(json)
        .catch((error: unknown) => this.#refuse(refusalForFault(error)))
        .finally(() => this.#next());
    else this.#call(message, json);
  }

  /** The call of a POST. One that is no JSON object is refused there, and leaves its row. */
  #call(message: Buffer, json: Json): void {
    const last = this.#last?.id === json['previous_response_id'] ? this.#last : undefined;
    const body = bodyOf(message, json, last);
    const request = requestWith(this.#context.request, body);
    request.url = RESPONSES_PATH;
    const response = new MessageResponse(this.#socket, (ended) => {
      this.#forget();
      const items = [...(last?.items ?? []), ...inputItems(json['input'])];
      if (ended && json['store'] === false) this.#keep(ended, items);
    });
    this.#response = response;
    response.on('error', () => {}); // the close that follows reports it
    response.on('close', () => {
      this.#response = undefined;
      this.#next();
    });
    this.#path.answer(request, response.asResponse());
  }

  /** Answers a request that only prepares the next one, without a call. */
  async #warm(json: Json): Promise<void> {
    const { deps, request, trace } = this.#context;
    await authenticate({ deps, request, trace, requestId: '' });
    const requestId = this.#path.newRequestId();
    const chat = readNeutral('responses', json, {});
    const told: ReplyContext = { request: chat, requestId, model: chat.model, created: deps.now() };
    const writer = dialects.responses.streamWriter(told);
    const text = writer.event({ type: 'start' }) + writer.event({ type: 'finish', reason: 'stop' });
    const events = new SseEvents().push(
      Buffer.from(text + writer.event({ type: 'usage', usage: noUsage }) + writer.end()),
    );
    for (const { data } of events) this.#socket.send(data);
    this.#forget();
    this.#keep({ id: responseId(requestId), output: [] }, inputItems(json['input']));
  }

  #next(): void {
    this.#isBusy = false;
    this.#active = performance.now();
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#isStopping) return this.#close(1001, 'the server is stopping');
    if (this.#active - this.#opened > LIFETIME_MS) return this.#expire();
    const message = this.#waiting.shift();
    if (message) this.#begin(message);
  }

  #keep({ id, output }: Json, before: readonly Json[]): void {
    const items = [...before, ...inputItems(output)].flatMap(asInput);
    if (this.#claim.grow(Buffer.byteLength(JSON.stringify(items)))) this.#last = { id: textOr(id, ''), items };
  }

  #forget(): void {
    this.#last = undefined;
    this.#claim.release();
  }

  #check(): void {
    const now = performance.now();
    if (!this.#isAlive) return this.#socket.terminate();
    if (!this.#isBusy && now - this.#opened > LIFETIME_MS) return this.#expire();
    if (!this.#isBusy && now - this.#active > IDLE_MS) return this.#close(1000, 'idle for too long');
    this.#isAlive = false;
    this.#socket.ping();
  }

  #expire(): void {
    const message = 'The connection is an hour old. Open another one.';
    const code = 'websocket_connection_limit_reached';
    this.#refuse(new RelayError(400, message, { type: 'invalid_request_error', code }));
    this.#close(1000, 'maximum session duration reached');
  }

  #refuse({ status, type, code, message, param }: RelayError): void {
    // A caller who does not read their refusals must not fill memory with them.
    if (this.#socket.bufferedAmount > MAX_BUFFERED) return this.#socket.terminate();
    this.#socket.send(errorEvent(status, { type, code: openAiCode(code), message, param }));
  }

  #close(code: number, reason: string): void {
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), CLOSE_GRACE_MS).unref();
  }
}

const errorEvent = (status: number, error: Json): string => JSON.stringify({ type: 'error', status, error });

/** The body of the POST: the message without what belongs to its transport. */
function bodyOf(message: Buffer, json: Json, last: LastResponse | undefined): Buffer {
  if (Object.keys(json).length === 0) return message;
  const own = ['type', 'generate', 'stream', 'stream_options', ...(last ? ['previous_response_id'] : [])];
  const input = last && { input: JSON.stringify([...last.items, ...inputItems(json['input'])]) };
  return spliceMembers(withoutMembers(message, own), { stream: 'true', ...input });
}

/** Items whose id another provider would look for; those of hosted tools need theirs. */
const withoutId = new Set<unknown>(['message', 'function_call', 'custom_tool_call']);

/** An item as it can be sent again where nothing is stored. */
function asInput(item: Json): Json[] {
  const { type = 'message' } = item;
  if (type === 'reasoning' && textOr(item['encrypted_content'], '') === '') return [];
  if (!withoutId.has(type)) return [item];
  const { id: _, status: __, ...rest } = item;
  return [rest];
}

const terminal = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** The response to one request: its events become messages. */
class MessageResponse extends SubstituteResponse {
  readonly #socket: WebSocket;
  readonly #onEnd: (response: Json | undefined) => void;
  readonly #events = new SseEvents();
  #whole: Buffer[] | undefined;
  /** Member of the first event that names fields which the model did not get, as the header of a POST does. */
  #dropped: Record<string, string> = {};
  /** An error, which the end of the response may repeat. */
  #error: string | undefined;
  #isEnded = false;

  /** `onEnd` gets the response if it can be continued. */
  constructor(socket: WebSocket, onEnd: (response: Json | undefined) => void) {
    super({ highWaterMark: MAX_BUFFERED });
    this.#socket = socket;
    this.#onEnd = onEnd;
  }

  protected override begin(headers: Readonly<Record<string, string>>): void {
    if (!/event-stream/.test(headers['content-type'] ?? '')) this.#whole = [];
    const dropped = headers[DROPPED_HEADER];
    if (dropped) this.#dropped = { [DROPPED_HEADER]: JSON.stringify(dropped) };
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.#whole) this.#whole.push(chunk);
    else for (const event of this.#events.push(chunk)) this.#pass(event);
    if (this.#socket.bufferedAmount < MAX_BUFFERED) done();
    else this.#socket.ping(undefined, undefined, () => done()); // sent after the messages before it
  }

  override _final(done: () => void): void {
    const last = this.#whole ? undefined : this.#events.end();
    if (last) this.#pass(last);
    if (this.#whole) this.#passWhole(objectOr(parseJson(Buffer.concat(this.#whole).toString('utf8'))));
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (this.#error !== undefined) this.#send(asErrorEvent(this.#error));
    if (!this.#isEnded) {
      this.#end(undefined);
      if (this.#error === undefined) this.#send(errorEvent(502, brokenOff));
    }
    done(error);
  }

  #pass({ name, data }: SseEvent): void {
    if (data === '[DONE]') return;
    const type = name ?? textOr(objectOr(parseJson(data))['type'], '');
    if (type === 'error') {
      this.#error = data;
      return;
    }
    this.#send(type === 'response.created' ? this.#withDropped(data) : data);
    if (!terminal.has(type)) return;
    this.#error = undefined;
    this.#end(type === 'response.failed' ? undefined : objectOr(objectOr(parseJson(data))['response']));
  }

  /** A refusal, or the whole reply of an upstream that does not stream. */
  #passWhole(json: Json): void {
    const { error } = json;
    if (isObject(error)) this.#send(errorEvent(this.statusCode, error));
    else
      this.#send(this.#withDropped(JSON.stringify({ type: 'response.completed', sequence_number: 0, response: json })));
    this.#end(isObject(error) ? undefined : json);
  }

  #withDropped(event: string): string {
    return Object.keys(this.#dropped).length === 0
      ? event
      : spliceMembers(Buffer.from(event), this.#dropped).toString();
  }

  #send(text: string): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(text);
  }

  #end(response: Json | undefined): void {
    this.#isEnded = true;
    this.#onEnd(response);
  }
}

const brokenOff: Json = {
  type: 'upstream_error',
  code: 'stream_broken',
  message: 'The response broke off.',
  param: null,
};

/** An error of a stream in the form of this transport. */
function asErrorEvent(data: string): string {
  const { type: _, sequence_number: __, error, ...own } = objectOr(parseJson(data));
  return errorEvent(502, isObject(error) ? error : { type: 'upstream_error', ...own });
}

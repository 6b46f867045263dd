/** Google's Interactions: calls of generateContent whose turns are kept here. */
import type { ServerResponse } from 'node:http';
import { deleteResponse, storeResponse } from '#affinity/response-store.ts';
import { InteractionReply, readInteraction } from '#chat/gemini/interactions.ts';
import { SseEvents } from '#chat/sse-events.ts';
import { isObject, type Json, objectOr, parseJson } from '#json.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { checkRate, withRate } from '#relay/admission/call-rate.ts';
import { readChat, withBadRequests } from '#relay/dialects/caller-dialect.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import { sendJson } from '#relay/reply/send-json.ts';
import { requestWith, SubstituteResponse } from '#relay/reply/substitute.ts';
import { loadChain, loadResponses } from '#relay/state/load-stored.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import { relayCall } from './relay-call.ts';

const PREFIX = 'int_';

/** Whether an id is that of an interaction kept here. */
export const isInteraction = (id: string): boolean => id.startsWith(PREFIX);

/** Answers an interaction that was read from a body. Rejects with a `RelayError` for a refused request. */
export async function interactionCall(context: HttpContext, json: unknown, endpoint: string): Promise<void> {
  const { deps, request, response, requestId } = context;
  const { caller } = await authenticate(context, 'gemini');
  const { model, stream, keeps, previousId, contents, rest } = withBadRequests(() => readInteraction(json));
  const before = previousId === undefined ? [] : await turnsBefore(context, caller.userId, previousId);
  const hours = keeps ? (caller.responseStoreHours ?? deps.live.settings.ResponseStoreHours) : 0;
  const created = new Date(deps.now() * 1000).toISOString();
  const reply = new InteractionReply({ id: PREFIX + requestId, model, created, previousId });
  const store = async (): Promise<void> => {
    if (hours === 0) return;
    const now = deps.now();
    const stored = { response: reply.interaction, input: [...contents, reply.content], previousId: previousId ?? '' };
    await storeResponse(deps, caller, stored, { now, until: now + hours * 3600 }).catch((error: unknown) =>
      deps.log.error({ err: error, request: requestId }, 'an interaction could not be kept'),
    );
  };
  const body = Buffer.from(JSON.stringify({ contents: [...before, ...contents], ...rest }));
  const substitute = new InteractionResponse(response, reply, store);
  await relayCall(
    {
      ...context,
      request: requestWith(request, body),
      response: substitute.asResponse(),
    },
    {
      operation: 'chat',
      dialect: 'gemini',
      endpoint,
      callerPath: `/v1beta/models/${encodeURIComponent(model)}:${stream ? 'streamGenerateContent' : 'generateContent'}`,
      model,
      parse: (read) => readChat('gemini', read, { model, stream }),
    },
  );
}

async function turnsBefore({ deps }: HttpContext, userId: number, id: string): Promise<Json[]> {
  const chain = isInteraction(id) ? await loadChain(deps, userId, id) : undefined;
  if (!chain) throw notFound(id);
  return chain.flatMap(({ input }) => input);
}

const notFound = (id: string): RelayError =>
  new RelayError(404, `The interaction '${id}' is not kept here. Send the whole conversation.`, {
    type: 'invalid_request_error',
    code: 'interaction_not_found',
    param: 'previous_interaction_id',
  });

/** Answers a request for an interaction that is kept here, or deletes it. */
export async function keptInteraction(context: HttpContext, id: string, deletes: boolean): Promise<void> {
  const { deps, response, requestId } = context;
  const { caller } = await authenticate(context, 'gemini');
  const rate = await checkRate(deps, caller);
  try {
    const kept = (await loadResponses(deps, caller.userId, [id])).get(id);
    if (!kept) throw notFound(id);
    if (deletes) await deleteResponse(deps.db, caller.userId, id);
    sendJson(response, requestId, deletes ? {} : kept.response, rate);
  } catch (error) {
    throw withRate(error, rate);
  }
}

/** The response of generateContent on its way to the caller of an interaction. */
class InteractionResponse extends SubstituteResponse {
  readonly #target: ServerResponse;
  readonly #reply: InteractionReply;
  readonly #store: () => Promise<void>;
  readonly #events = new SseEvents();
  #whole: Buffer[] | undefined;
  #headers: Readonly<Record<string, string>> = {};
  #failed = false;
  #begun = false;

  /** `store` keeps the interaction once it is complete, before the caller knows its end. */
  constructor(target: ServerResponse, reply: InteractionReply, store: () => Promise<void>) {
    super();
    this.#target = target;
    this.#reply = reply;
    this.#store = store;
    target.on('close', () => this.destroy());
    this.on('error', () => {}); // the close that follows reports it
  }

  protected override begin(headers: Readonly<Record<string, string>>): void {
    this.#headers = headers;
    if (/event-stream/.test(headers['content-type'] ?? '')) this.#target.writeHead(this.statusCode, headers);
    else this.#whole = [];
  }

  override setHeader(name: string, value: string): this {
    this.#target.setHeader(name, value);
    return this;
  }

  override removeHeader(name: string): void {
    this.#target.removeHeader(name);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.#whole) {
      this.#whole.push(chunk);
      return done();
    }
    const text = this.#events.push(chunk).map(({ data }) => this.#told(data));
    // A comment of the stream keeps the connection alive here, too.
    this.#target.write(text.length > 0 ? text.join('') : ': keep-alive\n\n', () => done());
  }

  override _final(done: () => void): void {
    void this.#end().finally(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.#target.writableEnded && this.headersSent) this.#target.destroy();
    done(error);
  }

  async #end(): Promise<void> {
    if (this.#whole) {
      const body = Buffer.concat(this.#whole);
      const json = objectOr(parseJson(body.toString('utf8')));
      this.#reply.read(json);
      await this.#store();
      const text = JSON.stringify(this.#reply.interaction);
      const headers = { ...this.#headers, 'content-length': String(Buffer.byteLength(text)) };
      this.#target.writeHead(this.statusCode, headers).end(text);
      return;
    }
    const last = this.#events.end();
    if (last) this.#target.write(this.#told(last.data));
    if (!this.#failed && this.#reply.isFinished) {
      await this.#store();
      this.#target.write(this.#reply.completed().map(eventOf).join(''));
    }
    this.#target.end('event: done\ndata: [DONE]\n\n');
  }

  #told(data: string): string {
    const json = objectOr(parseJson(data));
    const { error } = json;
    if (isObject(error)) {
      this.#failed = true;
      return eventOf({ event_type: 'error', error: { code: error['status'], message: error['message'] } });
    }
    const created = this.#begun ? [] : this.#reply.created();
    this.#begun = true;
    return [...created, ...this.#reply.read(json)].map(eventOf).join('');
  }
}

const eventOf = (event: Json): string => `event: ${String(event['event_type'])}\ndata: ${JSON.stringify(event)}\n\n`;

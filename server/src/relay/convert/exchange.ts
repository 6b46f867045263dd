import { Buffer } from 'node:buffer';
import type { ChatReply, ChatRequest, Part } from '#chat/chat.ts';
import { eventsOf } from '#chat/chat-events.ts';
import type { StreamWriter, Told } from '#chat/codec.ts';
import { steeredChat } from '#chat/steering.ts';
import { dialects, anthropicWire, geminiWire, openAiWire, responsesWire } from '#chat/codecs.ts';
import type { Operation, Pictures, ProviderWire } from '#providers/operation.ts';
import { askedOf, headersFor } from '#relay/upstream/address.ts';
import type { Admitted } from '#relay/call/attempts.ts';
import { withBadRequests } from './callers-dialect.ts';
import type { Choice } from '#relay/select/choose.ts';
import { errorEvent } from '#relay/dialects/open-ai.ts';
import { geminiEmbeddingsExchange } from './embeddings-exchange.ts';
import type { Stored } from '#relay/forms/spool.ts';
import { isRepeated, spliceMembers } from './json-splice.ts';
import { convertedExchange, formSent, mediaReading } from './media-exchange.ts';
import type { ContentRead } from './media-reply.ts';
import { CallPictures, type Unseen } from '#relay/pictures/call-pictures.ts';
import { isOtherModel } from '#relay/select/offer.ts';
import { hasAddresses } from '#relay/pictures/picture-places.ts';
import { badRequest, type RelayError } from '#relay/routes/relay-error.ts';
import { ListTap } from '#relay/stream/list-tap.ts';
import type { Sent } from '#relay/upstream/sent.ts';
import { OpenAiStreamTap } from '#relay/stream/sse-tap.ts';
import { ConvertingTap, PassingTap, type StreamReading } from '#relay/stream/stream-tap.ts';

/** What is sent to an upstream for a call, and how its answer is read and told. */
export interface Exchange extends Reading {
  body: Buffer;
  /** The type of the body; left out: JSON. */
  contentType?: string | undefined;
  /** Takes the place of the body where it is too large for memory. */
  stored?: Stored;
  /** What follows the body in requests of their own, where the vendor takes less at once than was asked. */
  further?: readonly Buffer[];
  /** Pictures that have to be fetched before the body can be sent; it is made anew then. */
  unseen?: Unseen | undefined;
  /** The upstream gets the routing fields of the body too; left out: it does not. */
  passesRoutingFields?: true;
}

/** How an answer is read and told. */
export interface Reading {
  /** How a stream is read; undefined where none was asked for. */
  stream: StreamReading | undefined;
  /** The media type of the stream that the caller gets, where it is not the upstream's. */
  streamType: string | undefined;
  /** Reads an answer that is no stream; undefined: it is OpenAI's, and read where it is judged. */
  reply: ((json: unknown) => Reply) | undefined;
  /** The same for what is neither a chat nor plain JSON of OpenAI's. Throws `BadReply`. */
  content?: (sent: Sent) => ContentRead;
  /** What ends a stream that broke; undefined: there are no words for it, and the connection breaks off. */
  streamError(error: RelayError): string | undefined;
}

export interface Reply {
  reply: ChatReply;
  /** What the caller gets; undefined: the upstream's own bytes. */
  told: { body: Buffer; contentType: string } | undefined;
}

const wires = { openai: openAiWire, responses: responsesWire, anthropic: anthropicWire, gemini: geminiWire };

/** The codec of what an operation speaks. */
const wireOf = ({ wire, dialect }: Operation): ProviderWire | undefined =>
  wire ?? (dialect === 'own' ? undefined : wires[dialect]);

/** Makes ready what one channel is asked. Throws a 400 for what cannot be said in its words. */
export function exchangeFor(call: Admitted, choice: Choice, body: Buffer): Exchange {
  const { operation } = choice;
  if (call.operation === 'embeddings' && call.dialect === 'gemini') return geminiEmbeddingsExchange(call, choice, body);
  if (operation.dialect !== call.dialect && call.operation !== 'chat') return convertedExchange(call, choice);
  if (operation.pictures && givesAddresses(call, operation.dialect))
    return seeing(call, choice, operation.pictures, body);
  if (operation.dialect !== call.dialect)
    return { body: converted(call, choice), ...converting(call, operation, wireOf(operation)!) };
  if (!call.dropped || !choice.channel.passesRoutingFields) return passing(call, choice, body);
  const exchange = passing(call, choice, call.dropped.whole ?? body);
  exchange.passesRoutingFields = true;
  return exchange;
}

/** Whoever speaks Google's own words says what Google is to fetch. */
const givesAddresses = ({ dialect, request: { usesImages, chat } }: Admitted, spoken: Operation['dialect']): boolean =>
  chat !== undefined &&
  (spoken !== dialect || dialect === 'anthropic') &&
  (usesImages || dialect !== 'openai') &&
  hasAddresses(chat());

/** The same for a channel that is to be shown pictures, and not told where they are. */
function seeing(call: Admitted, choice: Choice, taken: Pictures, body: Buffer): Exchange {
  const { operation } = choice;
  call.pictures ??= new CallPictures(body);
  if (operation.dialect !== call.dialect) {
    const { asked, unseen } = call.pictures.inChat(call.request.chat!(), taken);
    return { body: converted(call, choice, asked), unseen, ...converting(call, operation, wireOf(operation)!) };
  }
  const { asked, unseen } = call.pictures.inBlocks(taken);
  return { ...passing(call, choice, asked), unseen };
}

function passing(call: Admitted, choice: Choice, body: Buffer): Exchange {
  const { operation } = choice;
  const media = mediaReading(call, operation);
  if (media && call.request.form) return { ...media, ...formSent(call, choice, call.request.form) };
  const outgoing = passedOn(call, choice, body);
  if (media) return { ...media, body: outgoing };
  if (call.dialect === 'openai') return passingOpenAi(call, operation, outgoing);
  return { ...(call.asList ? listing : passingOther)(call, operation, wireOf(operation)!), body: outgoing };
}

/** Of a call, what has to do with its bytes. */
type Passed = Pick<Admitted, 'request' | 'dialect' | 'operation' | 'callerHeaders'>;

/** The caller's bytes, with only what has to change changed. */
export function passedOn(call: Passed, choice: Choice, body: Buffer): Buffer {
  const { request, dialect, operation } = call;
  const { upstreamModel, operation: declared } = choice;
  const isOther = isOtherModel(request, upstreamModel);
  const changes: Record<string, string> = {};
  // Gemini's model stands in the address. A second "model" could be priced by one parser and served by another.
  if (dialect !== 'gemini' && (isOther || isRepeated(body, 'model'))) changes['model'] = JSON.stringify(upstreamModel);
  if (
    dialect === 'openai' &&
    (operation === 'chat' || operation === 'completions') &&
    request.stream &&
    !request.wantsUsage &&
    declared.usageInStream !== 'always'
  )
    changes['stream_options'] = '{"include_usage":true}';
  const rest = fixed(call, choice, body, changes);
  return Object.keys(changes).length === 0 ? rest : spliceMembers(rest, changes);
}

/** What a vendor needs to have changed is added to `changes`; the body without what has to go. */
function fixed(call: Passed, choice: Choice, body: Buffer, changes: Record<string, string>): Buffer {
  const { operation, steering, upstreamModel } = choice;
  const steers = steering !== undefined && call.operation === 'chat';
  if (!operation.fix && !steers) return body;
  const asked = askedOf(choice, call.request.stream);
  asked.callerHeaders = headersFor(call, choice);
  if (!steers && operation.mayFix?.(body, asked) === false) return body;
  const json = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
  const steered = steers
    ? withBadRequests(() => wireOf(operation)?.steer?.(json, steering, { model: upstreamModel }))
    : undefined;
  let shorter = false;
  for (const [name, value] of Object.entries({ ...steered, ...operation.fix?.({ ...json, ...steered }, asked) })) {
    if (value !== undefined) changes[name] = JSON.stringify(value);
    else if (name in json) shorter = delete json[name];
  }
  return shorter ? Buffer.from(JSON.stringify(json)) : body;
}

function converted({ request, dialect }: Admitted, choice: Choice, chat?: ChatRequest): Buffer {
  const { operation, upstreamModel, steering } = choice;
  const wire = wireOf(operation);
  if (!wire || !request.chat) throw badRequest('No channel takes calls of this kind for this model.');
  const json = withBadRequests(() => {
    const asked = chat ?? request.chat!();
    const steered = steering ? steeredChat(asked, steering, dialect === 'openai' || undefined) : asked;
    return wire.writeRequest(steered, { model: upstreamModel });
  });
  const changes = operation.fix?.(json, askedOf(choice, request.stream));
  try {
    return Buffer.from(JSON.stringify(changes ? { ...json, ...changes } : json));
  } catch (error) {
    if (error instanceof RangeError) throw badRequest('The request is nested too deeply.');
    throw error;
  }
}

function passingOpenAi(
  { operation, request, requestId }: Admitted,
  { usage, streamType }: Operation,
  body: Buffer,
): Exchange {
  const text = operation === 'completions' ? '"text"' : undefined;
  return {
    body,
    stream: request.stream
      ? {
          type: streamType ?? EVENTS,
          tap: () => new OpenAiStreamTap(!request.wantsUsage, usage, text),
          heartbeat: () => COMMENT,
        }
      : undefined,
    streamType: undefined,
    reply: undefined,
    streamError: (error) => errorEvent(error, requestId),
  };
}

const EVENTS = 'text/event-stream';
/** Readers of events pass over it. */
const COMMENT = ': keep-alive\n\n';

/** The same dialect on both sides, where it is not OpenAI's. */
function passingOther(call: Admitted, { usage, streamType, unframe }: Operation, wire: ProviderWire): Reading {
  return {
    stream: call.request.stream
      ? {
          type: streamType ?? EVENTS,
          tap: () => new PassingTap(wire.streamReader({ usage }), unframe?.()),
          heartbeat: () => dialects[call.dialect].streamWriter(toldOf(call)).heartbeat(),
        }
      : undefined,
    streamType: unframe ? EVENTS : undefined,
    reply: (json) => ({ reply: wire.readReply(json, { usage }), told: undefined }),
    streamError: (error) => dialects[call.dialect].streamWriter(toldOf(call)).error(error),
  };
}

/** The same of a stream that the caller wants as one list, and that the upstream tells in events. */
function listing(call: Admitted, { usage, streamType }: Operation, wire: ProviderWire): Reading {
  const { streamWriter, errorBody } = dialects[call.dialect];
  const writer = streamWriter(toldOf(call));
  const { contentType } = writer;
  const list = new ListTap(wire.streamReader({ usage }));
  return {
    stream: { type: streamType ?? EVENTS, tap: () => list, heartbeat: () => writer.heartbeat(), inWholeEvents: true },
    streamType: contentType,
    reply: (json) => ({
      reply: wire.readReply(json, { usage }),
      told: { body: Buffer.from(JSON.stringify([json])), contentType },
    }),
    streamError: (error) => list.broken(JSON.stringify(errorBody(error, call.requestId))),
  };
}

function converting(call: Admitted, { usage, streamType }: Operation, wire: ProviderWire): Reading {
  const dialect = dialects[call.dialect];
  const told = toldOf(call);
  if (!call.request.stream)
    return {
      stream: undefined,
      streamType: undefined,
      reply: (json) => {
        const reply = wire.readReply(json, { usage });
        return { reply, told: whole(dialect.writeReply(reply, told)) };
      },
      streamError: (error) => dialect.streamWriter(told).error(error),
    };
  const writer = dialect.streamWriter(told);
  return {
    stream: {
      type: streamType ?? EVENTS,
      tap: () => new ConvertingTap(wire.streamReader({ usage }), writer, call.request.inputTokens),
      heartbeat: () => writer.heartbeat(),
      inWholeEvents: true,
    },
    streamType: writer.contentType,
    reply: (json) => {
      const reply = wire.readReply(json, { usage });
      return { reply, told: streamed(reply, writer) };
    },
    streamError: (error) => writer.error(error),
  };
}

const whole = (json: unknown) => ({ body: Buffer.from(JSON.stringify(json)), contentType: 'application/json' });

/** An upstream that answers whole where a stream was asked for. */
function streamed(reply: ChatReply, writer: StreamWriter) {
  const pieces = eventsOf(reply).map((event) => writer.event(event));
  return { body: Buffer.from(pieces.join('') + writer.end()), contentType: writer.contentType };
}

function toldOf({ request, requestId, startedS, asList }: Admitted): Told {
  return {
    request: request.chat!(),
    requestId,
    model: request.model,
    created: startedS,
    inputTokens: request.inputTokens,
    asList,
  };
}

/** What an answer says, for counting it. */
export const saidIn = (parts: readonly Part[]): string =>
  parts
    .map((part) => (part.type === 'tool_call' ? part.name + part.arguments : 'text' in part ? part.text : ''))
    .join('');

import type { ChatReply, Part } from '#chat/chat.ts';
import { eventsOf } from '#chat/chat-events.ts';
import type { DialectError, StreamWriter, Told } from '#chat/codec.ts';
import { dialects, anthropicWire, geminiWire, openAiWire, responsesWire } from '#chat/codecs.ts';
import type { Operation, ProviderWire } from '#providers/operation.ts';
import { targetOf } from '#providers/target.ts';
import type { Deps } from '#deps.ts';
import type { Admitted } from './attempts.ts';
import { withBadRequests } from './callers-dialect.ts';
import type { Choice } from './choose.ts';
import { errorEvent } from './dialects/open-ai.ts';
import { isRepeated, spliceMembers } from './json-splice.ts';
import { badRequest, type RelayError } from './relay-error.ts';
import { OpenAiStreamTap } from './sse-tap.ts';
import { ConvertingTap, PassingTap, type StreamTap } from './stream-tap.ts';

/** What is sent to an upstream for a call, and how its answer is read and told. */
export interface Exchange {
  baseUrl: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
  /** How a stream is read; undefined where none was asked for. */
  stream: { type: string; tap(): StreamTap } | undefined;
  /** The media type of the stream that the caller gets, where it is not the upstream's. */
  streamType: string | undefined;
  /** Reads an answer that is no stream; undefined: it is OpenAI's, and read where it is judged. */
  reply: ((json: unknown) => Reply) | undefined;
  /** What ends a stream that broke. */
  streamError(error: RelayError): string;
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
export function readyExchange(deps: Deps, call: Admitted, choice: Choice, body: Buffer): Exchange | Promise<Exchange> {
  const { provider } = choice.channel;
  return provider.token || provider.sign ? authorized(deps, call, choice, body) : exchangeFor(call, choice, body);
}

/** With what a key was exchanged for, and signed, where the provider wants that. */
async function authorized(deps: Deps, call: Admitted, choice: Choice, body: Buffer): Promise<Exchange> {
  const { channel, key } = choice;
  const { provider } = channel;
  const token = provider.token ? await deps.upstreams.token(provider.id, provider.token, key.key) : undefined;
  const exchange = exchangeFor(call, choice, body, token);
  if (!provider.sign) return exchange;
  const unsigned = {
    method: 'POST',
    url: exchange.baseUrl + exchange.path,
    headers: exchange.headers,
    body: exchange.body,
  };
  return { ...exchange, headers: { ...exchange.headers, ...(await provider.sign(unsigned, key.key, Date.now())) } };
}

function exchangeFor(call: Admitted, choice: Choice, body: Buffer, token?: string): Exchange {
  const { channel, key, operation, upstreamModel } = choice;
  const { request, dialect } = call;
  const asked = {
    model: upstreamModel,
    baseUrl: channel.baseUrl,
    extras: { other: channel.other, plugin: channel.plugin },
    key: key.key,
    stream: request.stream,
    token,
  };
  const target = targetOf(channel.provider, operation, asked);
  const common = {
    baseUrl: target.baseUrl,
    path: target.path,
    headers: {
      ...key.headers,
      ...target.headers,
      'content-type': 'application/json',
      accept: request.stream ? 'text/event-stream' : 'application/json',
      'accept-encoding': 'identity',
    },
  };
  const changes = (json: () => Record<string, unknown>) => operation.fix?.(json(), asked) ?? {};
  if (operation.dialect === dialect) {
    const unchanged = !operation.fix || operation.mayFix?.(body, asked) === false;
    const outgoing = passedOn(call, choice, body, unchanged ? noChanges : changes);
    return {
      ...common,
      body: outgoing,
      ...(dialect === 'openai' ? passingOpenAi(call, operation) : passing(call, operation)),
    };
  }
  return { ...common, body: converted(call, choice, changes), ...converting(call, operation) };
}

const noChanges = (): Record<string, unknown> => ({});

/** The caller's bytes, with only what has to change changed. */
function passedOn(
  { request, dialect, operation }: Admitted,
  { upstreamModel, operation: { usageInStream } }: Choice,
  body: Buffer,
  fix: (json: () => Record<string, unknown>) => Record<string, unknown>,
): Buffer {
  const changes: Record<string, string> = {};
  // Gemini's model stands in the address. A second "model" could be priced by one parser and served by another.
  if (dialect !== 'gemini' && (upstreamModel !== request.model || isRepeated(body, 'model')))
    changes['model'] = JSON.stringify(upstreamModel);
  if (
    dialect === 'openai' &&
    operation === 'chat' &&
    request.stream &&
    !request.wantsUsage &&
    usageInStream !== 'always'
  )
    changes['stream_options'] = '{"include_usage":true}';
  const fixed = fix(() => JSON.parse(body.toString('utf8')) as Record<string, unknown>);
  const gone = Object.keys(fixed).filter((name) => fixed[name] === undefined);
  for (const [name, value] of Object.entries(fixed)) if (value !== undefined) changes[name] = JSON.stringify(value);
  if (gone.length > 0) {
    const json = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
    for (const name of gone) delete json[name];
    return spliceMembers(Buffer.from(JSON.stringify(json)), changes);
  }
  return Object.keys(changes).length === 0 ? body : spliceMembers(body, changes);
}

function converted(
  { request }: Admitted,
  { operation, upstreamModel, channel }: Choice,
  fix: (json: () => Record<string, unknown>) => Record<string, unknown>,
): Buffer {
  const wire = wireOf(operation);
  if (!wire || !request.chat) throw badRequest(`The channel '${channel.name}' takes no such calls.`);
  const json = withBadRequests(() => wire.writeRequest(request.chat!(), { model: upstreamModel }));
  const body = { ...json, ...fix(() => json) };
  try {
    return Buffer.from(JSON.stringify(body));
  } catch (error) {
    if (error instanceof RangeError) throw badRequest('The request is nested too deeply.');
    throw error;
  }
}

type Reading = Pick<Exchange, 'stream' | 'streamType' | 'reply' | 'streamError'>;

function passingOpenAi({ request, requestId }: Admitted, { usage, streamType }: Operation): Reading {
  return {
    stream: request.stream
      ? { type: streamType ?? 'text/event-stream', tap: () => new OpenAiStreamTap(!request.wantsUsage, usage) }
      : undefined,
    streamType: undefined,
    reply: undefined,
    streamError: (error) => errorEvent(error, requestId),
  };
}

/** The same dialect on both sides, where it is not OpenAI's. */
function passing(call: Admitted, operation: Operation): Reading {
  const { usage, streamType, unframe } = operation;
  const wire = wireOf(operation)!;
  return {
    stream: call.request.stream
      ? {
          type: streamType ?? 'text/event-stream',
          tap: () => new PassingTap(wire.streamReader({ usage }), unframe?.()),
        }
      : undefined,
    streamType: unframe ? 'text/event-stream' : undefined,
    reply: (json) => ({ reply: wire.readReply(json, { usage }), told: undefined }),
    streamError: (error) => dialects[call.dialect].streamWriter(toldOf(call)).error(errorFor(error)),
  };
}

function converting(call: Admitted, operation: Operation): Reading {
  const { usage, streamType } = operation;
  const wire = wireOf(operation)!;
  const dialect = dialects[call.dialect];
  const told = toldOf(call);
  let writer: StreamWriter | undefined;
  const newWriter = () => (writer = dialect.streamWriter(told));
  return {
    stream: call.request.stream
      ? {
          type: streamType ?? 'text/event-stream',
          tap: () => new ConvertingTap(wire.streamReader({ usage }), newWriter(), call.request.inputTokens),
        }
      : undefined,
    streamType: call.request.stream ? newWriter().contentType : undefined,
    reply: (json) => {
      const reply = wire.readReply(json, { usage });
      return {
        reply,
        told: call.request.stream ? streamed(reply, newWriter()) : whole(dialect.writeReply(reply, told)),
      };
    },
    streamError: (error) => (writer ?? newWriter()).error(errorFor(error)),
  };
}

const whole = (json: unknown) => ({ body: Buffer.from(JSON.stringify(json)), contentType: 'application/json' });

/** An upstream that answers whole where a stream was asked for. */
function streamed(reply: ChatReply, writer: StreamWriter) {
  const pieces = eventsOf(reply).map((event) => writer.event(event));
  return { body: Buffer.from(pieces.join('') + writer.end()), contentType: writer.contentType };
}

const errorFor = ({ status, type, code, message, param }: RelayError): DialectError => ({
  status,
  type,
  code,
  message,
  param,
});

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

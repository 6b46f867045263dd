/**
 * The convert step: builds the request for a channel, and the reader of its response.
 * After it: upstream sends the request.
 */
import { Buffer } from 'node:buffer';
import { eventsOf } from '#chat/chat-events.ts';
import type { ChatReply, ChatRequest } from '#chat/chat.ts';
import { lostIn } from '#chat/offered-tools.ts';
import type { StreamWriter, ReplyContext } from '#chat/codec.ts';
import { anthropicWire, dialects, geminiWire, openAiWire, responsesWire } from '#chat/codecs.ts';
import { steeredChat } from '#chat/steering.ts';
import { CallerCalls, withFittingNames } from '#chat/tool-fitting.ts';
import { hasOddNumber, isObject, listOr, objectOr, parseWithSources, type Json } from '#json.ts';
import { isOn } from '#providers/fixes.ts';
import type { Operation, Pictures, ProviderWire } from '#providers/operation.ts';
import type { ChannelChoice, RelayCall, ResponseReader, UpstreamRequest } from '#relay/types/call-types.ts';
import { errorEvent } from '#relay/dialects/open-ai.ts';
import { CallPictures } from '#relay/pictures/call-pictures.ts';
import { hasUrlPictures } from '#relay/pictures/picture-places.ts';
import { badRequest } from '#relay/reply/relay-error.ts';
import { isOtherModel } from '#relay/select/channel-offer.ts';
import { ListTap } from '#relay/stream/list-tap.ts';
import { OpenAiStreamTap } from '#relay/stream/sse-tap.ts';
import { ConvertingTap, PassingTap } from '#relay/stream/stream-tap.ts';
import { ownResponseId } from '#relay/types/call-state.ts';
import { forwardableHeaders, operationInput } from '#relay/upstream/address.ts';
import { readNeutral, withBadRequests } from '#relay/dialects/caller-dialect.ts';
import { cutterFor, geminiEndItem } from './cut-streams.ts';
import { geminiEmbeddingsRequest } from './embeddings-request.ts';
import { imageToolRequest } from './image-tool-request.ts';
import { parseObject } from '#relay/body/json-reply.ts';
import { spliceMembers, withoutMembers } from '#relay/body/json-splice.ts';
import { convertedFormRequest, convertedMediaRequest, formBody, mediaReader } from './media-request.ts';

const wires = { openai: openAiWire, responses: responsesWire, anthropic: anthropicWire, gemini: geminiWire };

/** The codec of an operation. */
const wireOf = ({ wire, dialect }: Operation): ProviderWire | undefined =>
  wire ?? (dialect === 'own' ? undefined : wires[dialect]);

/** Throws a 400 for an operation without a codec. */
function requireWire(operation: Operation): ProviderWire {
  const wire = wireOf(operation);
  if (!wire) throw noSuchCalls();
  return wire;
}

/** The request in the neutral form. Throws a 400 if it is not a chat. */
function requireChat({ chat }: RelayCall['request']): ChatRequest {
  if (!chat) throw noSuchCalls();
  return chat();
}

/** The request in the neutral form, in which numbers of tools keep their text. */
function exactChat(call: RelayCall): ChatRequest {
  const text = call.body.toString('utf8');
  const { model, stream, chat } = call.request;
  if (!chat || !hasOddNumber(text)) return requireChat(call.request);
  // Members that the body lost since it came may still be in the parsed request.
  const exact = { ...objectOr(call.json), ...objectOr(parseWithSources(text)) };
  return readNeutral(call.dialect, exact, { model, stream });
}

/** The provider of the channel keeps no state, and references to stored responses have been resolved. */
const stateNotKept = (field: string) =>
  badRequest(
    `'${field}' is not possible with this model: its provider keeps no state. Send the whole conversation.`,
    field,
  );

const noSuchCalls = () => badRequest('No channel supports this operation for this model.');

/** Builds the request for one channel. Throws a 400 for what the channel cannot express. */
export function buildUpstreamRequest(call: RelayCall, choice: ChannelChoice): UpstreamRequest {
  const { changes, removed } = choice.options ?? {};
  if (!changes) return requestFor(call, choice);
  const changed = withChanges(call, changes);
  const outgoing = requestFor(changed, choice);
  // The caller of this function fetches them.
  call.pictures = changed.pictures;
  if (removed && removed.length > 0) outgoing.unread = [...(outgoing.unread ?? []), ...removed];
  return outgoing;
}

/** The call with other top-level members in its request; undefined values remove members. */
function withChanges(call: RelayCall, changes: Readonly<Record<string, unknown>>): RelayCall {
  const gone = Object.keys(changes).filter((name) => changes[name] === undefined);
  const set = Object.entries(changes).filter(([, value]) => value !== undefined);
  const json = Object.fromEntries(
    Object.entries({ ...objectOr(call.json), ...changes }).filter(([, value]) => value !== undefined),
  );
  const values = Object.fromEntries(set.map(([name, value]) => [name, JSON.stringify(value)]));
  const patch = (bytes: Buffer): Buffer => {
    const left = gone.length > 0 ? withoutMembers(bytes, gone) : bytes;
    return set.length > 0 ? spliceMembers(left, values) : left;
  };
  const body = patch(call.body);
  const { originalBody } = call.dropped ?? {};
  const dropped = call.dropped && originalBody ? { ...call.dropped, originalBody: patch(originalBody) } : call.dropped;
  const { chat, model, stream } = call.request;
  const request = chat
    ? { ...call.request, chat: () => readNeutral(call.dialect, json, { model, stream }) }
    : call.request;
  return { ...call, json, body, dropped, request };
}

function requestFor(call: RelayCall, choice: ChannelChoice): UpstreamRequest {
  const { body } = call;
  const { operation } = choice;
  if (call.operation === 'embeddings' && call.dialect === 'gemini') return geminiEmbeddingsRequest(call, choice, body);
  if (call.operation === 'images.tools') return imageToolRequest(call, choice);
  if (operation.dialect !== call.dialect && call.operation !== 'chat') {
    const { form } = call.request;
    return form ? convertedFormRequest(call, choice, form) : convertedMediaRequest(call, choice);
  }
  if (operation.pictures && hasPictureUrls(call, operation.dialect))
    return withFetchedPictures(call, choice, operation.pictures, body);
  if (operation.dialect !== call.dialect)
    return {
      ...convertBody(call, choice, exactChat(call)),
      ...convertingReader(call, choice, requireWire(operation)),
    };
  if (call.state?.isExpanded) return passThroughRequest(call, choice, withoutOwnReasoning(call.json, body));
  if (!call.dropped || !choice.channel.passesRoutingFields) return passThroughRequest(call, choice, body);
  const outgoing = passThroughRequest(call, choice, call.dropped.originalBody ?? body);
  outgoing.passesRoutingFields = true;
  return outgoing;
}

/** Stored reasoning of other providers, which the one that keeps its own could not verify. */
function withoutOwnReasoning(json: unknown, body: Buffer): Buffer {
  const request = objectOr(json);
  const input = listOr(request['input']);
  const passed = input.filter((item) => !(isObject(item) && item['type'] === 'reasoning' && isOwnId(item['id'])));
  return passed.length === input.length ? body : Buffer.from(JSON.stringify({ ...request, input: passed }));
}

const isOwnId = (id: unknown): boolean => typeof id === 'string' && ownResponseId(id) !== undefined;

/** Callers with Google's own dialect name files that Google fetches itself. */
const hasPictureUrls = ({ dialect, request: { usesImages, chat } }: RelayCall, spoken: Operation['dialect']): boolean =>
  chat !== undefined &&
  (spoken !== dialect || dialect === 'anthropic') &&
  (usesImages || dialect !== 'openai') &&
  hasUrlPictures(chat());

/** Replaces picture URLs with bytes, for channels that do not fetch pictures. */
function withFetchedPictures(call: RelayCall, choice: ChannelChoice, taken: Pictures, body: Buffer): UpstreamRequest {
  const { operation } = choice;
  call.pictures ??= new CallPictures(body);
  if (operation.dialect !== call.dialect) {
    const { content, missing } = call.pictures.inChat(exactChat(call), taken);
    return {
      ...convertBody(call, choice, content),
      missingPictures: missing,
      ...convertingReader(call, choice, requireWire(operation)),
    };
  }
  const { content, missing } = call.pictures.inBlocks(taken, body);
  return { ...passThroughRequest(call, choice, content), missingPictures: missing };
}

function passThroughRequest(call: RelayCall, choice: ChannelChoice, body: Buffer): UpstreamRequest {
  const { operation } = choice;
  const media = mediaReader(call, operation);
  if (media && call.request.form) return { ...media, ...formBody(call, choice, call.request.form) };
  const lost: string[] = [];
  const outgoing = patchBody(call, choice, body, lost);
  if (media) return { ...media, body: outgoing };
  if (call.dialect === 'openai') return openAiRequest(call, operation, outgoing);
  const reader = (call.asList ? listReader : sameDialectReader)(call, operation, requireWire(operation));
  return { ...reader, body: outgoing, ...(lost.length > 0 && { unread: lost }) };
}

type PassedCall = Pick<RelayCall, 'request' | 'dialect' | 'operation' | 'callerHeaders'>;

/** The caller's bytes with the necessary members changed. */
export function patchBody(call: PassedCall, choice: ChannelChoice, body: Buffer, lost: string[] = []): Buffer {
  const { request, dialect, operation } = call;
  const { upstreamModel, operation: declared } = choice;
  const isOther = isOtherModel(request, upstreamModel);
  const changes: Record<string, string> = {};
  // Gemini's URL names the model.
  if (dialect !== 'gemini' && isOther) changes['model'] = JSON.stringify(upstreamModel);
  if (
    dialect === 'openai' &&
    (operation === 'chat' || operation === 'completions') &&
    request.stream &&
    !request.wantsUsage &&
    declared.usageInStream !== 'always'
  )
    changes['stream_options'] = '{"include_usage":true}';
  const rest = applyFixes(call, choice, body, { changes, lost });
  return Object.keys(changes).length === 0 ? rest : spliceMembers(rest, changes);
}

/** Adds a vendor's fixes to `changes`, and to `lost` what they take; returns the body without the members to remove. */
function applyFixes(
  call: PassedCall,
  choice: ChannelChoice,
  body: Buffer,
  { changes, lost }: { changes: Record<string, string>; lost: string[] },
): Buffer {
  const { operation, steering, upstreamModel } = choice;
  const steers = steering !== undefined && call.operation === 'chat';
  if (!operation.fix && !steers) return body;
  const input = operationInput(choice, call.request.stream);
  input.callerHeaders = forwardableHeaders(call, choice);
  if (!steers && operation.mayFix?.(body, input) === false) return body;
  const json = parseObject(body.toString('utf8')) ?? {};
  const steered = steers
    ? withBadRequests(() => wireOf(operation)?.steer?.(json, steering, { model: upstreamModel }))
    : undefined;
  lost.push(...(operation.lost?.(json, input) ?? []));
  let shorter = false;
  for (const [name, value] of Object.entries({ ...steered, ...operation.fix?.({ ...json, ...steered }, input) })) {
    if (value !== undefined) changes[name] = JSON.stringify(value);
    else if (name in json) shorter = delete json[name];
  }
  return shorter ? Buffer.from(JSON.stringify(json)) : body;
}

/** Half a character, as clients cut texts, is refused by vendors; JSON writes it as an escape. */
const wellFormed = (json: string): string =>
  json.includes('\\ud')
    ? json.replaceAll(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (escape) =>
        escape[1] === 'u' && escape[2] === 'd' ? '\ufffd' : escape,
      )
    : json;

function convertBody(
  { request, dialect }: RelayCall,
  choice: ChannelChoice,
  neutral: ChatRequest,
): Pick<UpstreamRequest, 'body' | 'unread' | 'changeHeaders'> {
  const { operation, upstreamModel, steering } = choice;
  const wire = requireWire(operation);
  const written = wire.mcp ? neutral : { ...neutral, mcpServers: undefined };
  let unread: string[] = [];
  const json = withBadRequests(() => {
    if (neutral.stateField !== undefined) throw stateNotKept(neutral.stateField);
    unread = lostIn(neutral, wire, upstreamModel);
    const steered = steering ? steeredChat(written, steering, dialect === 'openai' || undefined) : written;
    return wire.writeRequest(withFittingNames(steered, wire.toolNames), { model: upstreamModel });
  });
  const changes = operation.fix?.(json, operationInput(choice, request.stream));
  try {
    const text = JSON.stringify(changes ? { ...json, ...changes } : json);
    const headers = wire.headers?.(written);
    const changeHeaders = headers && ((all: Record<string, string>) => void Object.assign(all, headers));
    return { body: Buffer.from(wellFormed(text)), unread, ...(changeHeaders && { changeHeaders }) };
  } catch (error) {
    if (error instanceof RangeError) throw badRequest('The request is nested too deeply.');
    throw error;
  }
}

function openAiRequest(
  { operation, request, requestId }: RelayCall,
  { usage, streamType }: Operation,
  body: Buffer,
): UpstreamRequest {
  const text = operation === 'completions' ? '"text"' : undefined;
  return {
    body,
    stream: request.stream
      ? {
          type: streamType ?? EVENTS,
          createTap: () => new OpenAiStreamTap(!request.wantsUsage, usage, text),
          heartbeat: () => COMMENT,
        }
      : undefined,
    streamType: undefined,
    reply: undefined,
    streamError: (error) => errorEvent(error, requestId),
  };
}

const EVENTS = 'text/event-stream';
/** Event stream readers skip comments. */
const COMMENT = ': keep-alive\n\n';

/** Caller and channel speak the same dialect, other than OpenAI's. */
function sameDialectReader(
  call: RelayCall,
  { usage, streamType, unframe }: Operation,
  wire: ProviderWire,
): ResponseReader {
  const onReply = replyNote(call);
  const position = call.dialect === 'responses' ? { response: undefined, next: 0 } : undefined;
  return {
    stream: call.request.stream
      ? {
          type: streamType ?? EVENTS,
          createTap: () =>
            new PassingTap(
              wire.streamReader({ usage, onReply, position }),
              unframe?.(),
              cutterFor(call, () => replyContext(call)),
            ),
          heartbeat: () => dialects[call.dialect].streamWriter(replyContext(call)).heartbeat(),
        }
      : undefined,
    streamType: unframe ? EVENTS : undefined,
    reply: (json) => {
      if (isObject(json)) onReply?.(json);
      return { reply: wire.readReply(json, { usage }), converted: undefined };
    },
    ...(position && { failsInStream: true }),
    streamError: (error) =>
      dialects[call.dialect].streamWriter({ ...replyContext(call), resumes: position }).error(error),
  };
}

/** The caller wants one JSON list; the upstream sends events. */
function listReader(call: RelayCall, { usage, streamType }: Operation, wire: ProviderWire): ResponseReader {
  const { streamWriter, errorBody } = dialects[call.dialect];
  const writer = streamWriter(replyContext(call));
  const { contentType } = writer;
  const list = new ListTap(wire.streamReader({ usage }), (used) => geminiEndItem(used, replyContext(call)));
  return {
    stream: {
      type: streamType ?? EVENTS,
      createTap: () => list,
      heartbeat: () => writer.heartbeat(),
      writesWholeEvents: true,
    },
    streamType: contentType,
    reply: (json) => ({
      reply: wire.readReply(json, { usage }),
      converted: { body: Buffer.from(JSON.stringify([json])), contentType },
    }),
    streamError: (error) => list.endWith(JSON.stringify(errorBody(error, call.requestId))),
  };
}

function convertingReader(call: RelayCall, { channel, operation }: ChannelChoice, wire: ProviderWire): ResponseReader {
  const { usage, streamType } = operation;
  const dialect = dialects[call.dialect];
  const markdownImages = isOn({ extras: channel }, 'markdown_images');
  const context = { ...replyContext(call), markdownImages };
  const calls = new CallerCalls(context.request, wire.toolNames, dialect);
  if (!call.request.stream)
    return {
      stream: undefined,
      streamType: undefined,
      reply: (json) => {
        const reply = calls.reply(wire.readReply(json, { usage }));
        return { reply, converted: whole(dialect.writeReply(reply, context)) };
      },
      streamError: (error) => dialect.streamWriter(context).error(error),
    };
  const writer = withCallerCalls(dialect.streamWriter(context), calls);
  return {
    stream: {
      type: streamType ?? EVENTS,
      createTap: () => new ConvertingTap(wire.streamReader({ usage }), writer, call.request.inputTokens),
      heartbeat: () => writer.heartbeat(),
      writesWholeEvents: true,
    },
    streamType: writer.contentType,
    reply: (json) => {
      const reply = wire.readReply(json, { usage });
      return { reply, converted: asStream(reply, writer) };
    },
    streamError: (error) => writer.error(error),
  };
}

const withCallerCalls = (writer: StreamWriter, calls: CallerCalls): StreamWriter => ({
  contentType: writer.contentType,
  event: (event) => writer.event(calls.event(event)),
  heartbeat: () => writer.heartbeat(),
  end: () => writer.end(),
  error: (error) => writer.error(error),
});

const whole = (json: unknown) => ({ body: Buffer.from(JSON.stringify(json)), contentType: 'application/json' });

/** A complete reply where a stream was requested. */
function asStream(reply: ChatReply, writer: StreamWriter) {
  const pieces = eventsOf(reply).map((event) => writer.event(event));
  return { body: Buffer.from(pieces.join('') + writer.end()), contentType: writer.contentType };
}

function replyContext(call: RelayCall): ReplyContext {
  const { request, requestId, startedS, asList } = call;
  return {
    request: requireChat(request),
    requestId,
    model: request.model,
    created: startedS,
    inputTokens: request.inputTokens,
    asList,
    onReply: replyNote(call),
    ...(call.state &&
      call.state.storeHours > 0 && {
        storedAs: { store: true, previous_response_id: call.state.previousId || null },
      }),
  };
}

/** Keeps the reply of a call whose reply may be referred to later. */
const replyNote = ({ state }: RelayCall): ((reply: Json) => void) | undefined =>
  state && ((reply) => (state.reply = reply));

import { randomUUID } from 'node:crypto';
import { noUsage, type Usage } from '@relay-hub/contract';
import { listOr, objectOr, type Json } from '#json.ts';
import { ofBoundedDepth } from '#chat/chat-errors.ts';
import { inParts, joined } from '#providers/media/embeddings.ts';
import type { Content, Conversion, Operation } from '#providers/operation.ts';
import { chargedImages } from '#relay/dialects/assumed-usage.ts';
import type { ChannelChoice, RelayCall, ResponseReader, UpstreamRequest } from '#relay/types/call-types.ts';
import { errorEvent } from '#relay/dialects/open-ai.ts';
import { bodyOfFile, filesIn, type Form, formFor, formType } from '#relay/forms/form.ts';
import { badRequest } from '#relay/reply/relay-error.ts';
import { isOtherModel } from '#relay/select/channel-offer.ts';
import { MediaEventsTap } from '#relay/stream/media-events-tap.ts';
import { SoundTap } from '#relay/stream/sound-tap.ts';
import { operationInput } from '#relay/upstream/address.ts';
import { addUsage } from '#usage/add-usage.ts';
import { SoundLength } from '#usage/sound-length.ts';
import { withBadRequests } from '#relay/dialects/caller-dialect.ts';
import { isImage, noImage, readConverted, readImages, readTranscript, rejectNonAudio } from './media-reply.ts';

/** Audio: any content type that does not say otherwise. */
const AUDIO = /^(?!application\/(?:[\w.-]+\+)?json|text\/|application\/xml)/i;
const EVENTS = 'text/event-stream';

/** Reader of replies that are neither chats nor plain JSON; undefined: OpenAI's default. */
export function mediaReader(call: RelayCall, operation: Operation): ResponseReader | undefined {
  const { operation: name, request } = call;
  if (name === 'chat') return undefined;
  if (name === 'speech') return audioReader(call, operation);
  if (name === 'transcriptions' || name === 'translations')
    return { ...eventsReader(call, operation), content: (result) => readTranscript(result, operation.usage) };
  if (name.startsWith('images.'))
    return {
      ...eventsReader(call, operation),
      content: (result) => readImages(result, operation.usage, request.assumed ?? noUsage),
    };
  return undefined;
}

/** Conversion of a request, and of its reply. */
interface MediaConversion {
  convert: Conversion | undefined;
  /** The caller's body from OpenAI's form of the reply and the charged usage. */
  tell(content: Content, usage: Usage): { body: Buffer; contentType: string };
}

/**
 * The request in a vendor's own format, with a reader that converts the reply. Throws a 400 for what the vendor cannot
 * do.
 */
export function convertedMediaRequest(
  call: RelayCall,
  choice: ChannelChoice,
  { convert, tell }: MediaConversion = {
    convert: choice.operation.convert,
    tell: call.operation === 'embeddings' ? encodeEmbeddings : encodeReply,
  },
): UpstreamRequest {
  const { operation } = choice;
  const json = withBadRequests(() => call.request.toOpenAi?.() ?? call.request.json);
  if (!json || !convert) throw badRequest('No channel supports this operation for this model.');
  const input = { ...operationInput(choice, false), request: json };
  const requests = withBadRequests(() => inParts(json, convert.textsAtOnce?.(input)));
  const writeAll = ofBoundedDepth(() => requests.map((request) => encodeContent(convert.request(request, input))));
  const [first = encodeContent({ json }), ...further] = withBadRequests(writeAll);
  const reading = call.operation === 'speech' ? audioReader(call, operation) : eventsReader(call, undefined);
  return {
    ...reading,
    ...first,
    ...(further.length > 0 && { moreBodies: further.map(({ body }) => body) }),
    content: (result) => {
      const answers = result.parts ?? [result]; // one per request
      const read = answers.map((one, i) => readConverted(one, operation.usage, convert, requests[i] ?? json));
      const content = joined(read.map((one) => one.content));
      const images = imagesOf(call, content);
      const { usage, assumed } = usageOf(
        call,
        read.map((one) => one.usage),
        requests.length,
        images,
      );
      return { usage, assumed, ...(images !== undefined && { images }), converted: tell(content, usage ?? assumed) };
    },
  };
}

/**
 * A form in a vendor's own format, which takes its one file alone or in base64, with a reader that converts the reply.
 * Throws a 400 for what the vendor cannot do.
 */
export function convertedFormRequest(call: RelayCall, choice: ChannelChoice, form: Form): UpstreamRequest {
  const { operation } = choice;
  const { convert } = operation;
  const [file, ...more] = filesIn(form, 'file');
  if (!convert || !file || more.length > 0) throw badRequest('No channel supports this operation for this model.');
  const texts = form.parts.filter(({ filename }) => filename === undefined);
  // No text of the caller can be equal to it.
  const place = randomUUID();
  const json: Json = {
    ...Object.fromEntries(texts.map(({ name, kept }) => [name, kept.toString('utf8')])),
    file: place,
  };
  const content = withBadRequests(() => convert.request(json, operationInput(choice, false)));
  const [before = '', after = ''] = 'json' in content ? JSON.stringify(content.json).split(place) : [];
  const body = bodyOfFile(form, file, 'json' in content ? [before, after] : undefined);
  return {
    ...eventsReader(call, undefined),
    ...('json' in content ? {} : { contentType: content.contentType }),
    ...(Buffer.isBuffer(body) ? { body } : { body: nothing, storedBody: body }),
    content: (result) => {
      const read = readConverted(result, operation.usage, convert, json);
      const { usage, assumed } = usageOf(call, [read.usage], 1);
      return { usage, assumed, converted: encodeReply(read.content) };
    },
  };
}

/** Number of images in OpenAI's format; undefined: another operation. Throws `BadReply` for none. */
function imagesOf({ operation }: RelayCall, content: Content): number | undefined {
  if (!operation.startsWith('images.')) return undefined;
  const images = 'json' in content ? listOr(objectOr(content.json)['data']).filter(isImage).length : 0;
  if (images === 0) throw noImage();
  return images;
}

function encodeContent(content: Content): { body: Buffer; contentType: string | undefined } {
  return 'json' in content
    ? { body: Buffer.from(JSON.stringify(content.json)), contentType: undefined }
    : { body: content.bytes, contentType: content.contentType };
}

export function encodeReply(content: Content): { body: Buffer; contentType: string } {
  const { body, contentType = 'application/json' } = encodeContent(content);
  return { body, contentType };
}

/** OpenAI's embeddings with the charged usage, reported or not. */
const encodeEmbeddings = (content: Content, { input }: Usage): { body: Buffer; contentType: string } =>
  encodeReply(
    'json' in content
      ? { json: { ...objectOr(content.json), usage: { prompt_tokens: input, total_tokens: input } } }
      : content,
  );

/** Total usage of several replies, undefined if one reported none, and what is charged then. */
export function usageOf(
  { request }: RelayCall,
  reported: readonly (Usage | undefined)[],
  requests: number,
  images?: number,
): { usage: Usage | undefined; assumed: Usage } {
  const assumed = request.assumed ?? {
    ...noUsage,
    input: Math.ceil((request.inputTokens * reported.length) / requests),
  };
  const known = reported.filter((one) => one !== undefined);
  if (known.length < reported.length)
    return { usage: undefined, assumed: images === undefined ? assumed : chargedImages(undefined, images, assumed) };
  const usage = known.reduce(addUsage, noUsage);
  return { usage: images === undefined ? usage : chargedImages(usage, images, assumed), assumed };
}

/** The caller's form with the upstream's model name. */
export function formBody(
  { request, dropped }: RelayCall,
  { upstreamModel, channel }: ChannelChoice,
  form: Form,
): Omit<UpstreamRequest, keyof ResponseReader> {
  const without = dropped && !channel.passesRoutingFields ? dropped.names : [];
  const result = formFor(form, isOtherModel(request, upstreamModel) ? upstreamModel : undefined, without);
  const contentType = formType(form);
  return Buffer.isBuffer(result) ? { body: result, contentType } : { body: nothing, storedBody: result, contentType };
}

const nothing = Buffer.alloc(0);

/** Audio passes through as it arrives, even if the request was converted. */
function audioReader(call: RelayCall, operation: Operation): ResponseReader {
  if (call.request.stream) return { ...eventsReader(call, operation), content: rejectNonAudio };
  return {
    stream: { type: AUDIO, createTap: () => new SoundTap(measuring(call)) },
    streamType: undefined,
    reply: undefined,
    content: rejectNonAudio,
    // Audio has no room for an error event: the connection is closed.
    streamError: () => undefined,
  };
}

/** Undefined: the length of the audio decides nothing. */
const measuring = ({ request: { assumed, json } }: RelayCall): SoundLength | undefined =>
  assumed && assumed.outputAudio > 0 ? new SoundLength(json?.['response_format'] === 'pcm') : undefined;

function eventsReader(
  { request, requestId, operation: name }: RelayCall,
  operation: Operation | undefined,
): ResponseReader {
  const ofImages = name.startsWith('images.');
  return {
    stream:
      request.stream && operation
        ? { type: EVENTS, createTap: () => new MediaEventsTap(operation.usage, ofImages) }
        : undefined,
    streamType: undefined,
    reply: undefined,
    streamError: (error) => errorEvent(error, requestId),
  };
}

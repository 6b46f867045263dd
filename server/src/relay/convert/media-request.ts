import { noUsage, type Usage } from '@relay-hub/contract';
import { ofBoundedDepth } from '#chat/chat-errors.ts';
import { listOr, objectOr } from '#chat/fields.ts';
import { inParts, joined } from '#providers/media/embeddings.ts';
import type { Content, Conversion, Operation } from '#providers/operation.ts';
import { chargedImages } from '#relay/call/assumed-usage.ts';
import type { ChannelChoice, RelayCall, ResponseReader, UpstreamRequest } from '#relay/call/types.ts';
import { errorEvent } from '#relay/dialects/open-ai.ts';
import { type Form, formFor, formType } from '#relay/forms/form.ts';
import { badRequest } from '#relay/routes/relay-error.ts';
import { isOtherModel } from '#relay/select/channel-offer.ts';
import { MediaEventsTap } from '#relay/stream/media-events-tap.ts';
import { SoundTap } from '#relay/stream/sound-tap.ts';
import { operationInput } from '#relay/upstream/address.ts';
import { addUsage } from '#usage/add-usage.ts';
import { withBadRequests } from './caller-dialect.ts';
import { isImage, noImage, readConverted, readImages, readTranscript, rejectNonAudio } from './media-reply.ts';

/** What comes as sound: all that says it is nothing else. */
const AUDIO = /^(?!application\/(?:[\w.-]+\+)?json|text\/|application\/xml)/i;
const EVENTS = 'text/event-stream';

/** How answers are read that are neither chats nor plain JSON; undefined: as all others of OpenAI's. */
export function mediaReader(call: RelayCall, operation: Operation): ResponseReader | undefined {
  const { operation: name, request } = call;
  if (name === 'chat') return undefined;
  if (name === 'speech') return audioReader(call, operation);
  if (name === 'transcriptions' || name === 'translations')
    return { ...eventsReader(call, operation), content: (result) => readTranscript(result, operation.usage) };
  if (name.startsWith('images.'))
    return {
      ...eventsReader(call, operation),
      content: (result) => readImages(result, operation.usage, request.assumed!),
    };
  return undefined;
}

/** How a call is put into other words, and its answer into the caller's. */
interface MediaConversion {
  convert: Conversion | undefined;
  /** What the caller gets of an answer in OpenAI's form, and of the usage that he is charged. */
  tell(content: Content, usage: Usage): { body: Buffer; contentType: string };
}

/** A request in a vendor's own form, and how its answer is put into OpenAI's. Throws a 400 for what it cannot do. */
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
  if (!json || !convert) throw badRequest('No channel takes calls of this kind for this model.');
  const asked = { ...operationInput(choice, false), request: json };
  const requests = withBadRequests(() => inParts(json, convert.textsAtOnce?.(asked)));
  const writeAll = ofBoundedDepth(() => requests.map((request) => encodeContent(convert.request(request, asked))));
  const [first, ...further] = withBadRequests(writeAll);
  const reading = call.operation === 'speech' ? audioReader(call, operation) : eventsReader(call, undefined);
  return {
    ...reading,
    ...first!, // there is always one
    ...(further.length > 0 && { moreBodies: further.map(({ body }) => body) }),
    content: (result) => {
      const answers = result.parts ?? [result]; // one to each request
      const read = answers.map((one, i) => readConverted(one, operation.usage, convert, requests[i]!));
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

/** How many images an answer in OpenAI's form holds; undefined: it is none of images. Throws `BadReply` for none. */
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

/** Content as it is. */
export function encodeReply(content: Content): { body: Buffer; contentType: string } {
  const { body, contentType = 'application/json' } = encodeContent(content);
  return { body, contentType };
}

/** Embeddings as OpenAI tells them, with the usage that is charged also where the vendor told none. */
const encodeEmbeddings = (content: Content, { input }: Usage): { body: Buffer; contentType: string } =>
  encodeReply(
    'json' in content
      ? { json: { ...objectOr(content.json), usage: { prompt_tokens: input, total_tokens: input } } }
      : content,
  );

/**
 * What the answers to so many requests used, undefined where one of them told nothing; and what is charged then: as far
 * as the call was asked.
 */
export function usageOf(
  { request }: RelayCall,
  told: readonly (Usage | undefined)[],
  requests: number,
  images?: number,
): { usage: Usage | undefined; assumed: Usage } {
  const assumed = request.assumed ?? {
    ...noUsage,
    input: Math.ceil((request.inputTokens * told.length) / requests),
  };
  const known = told.filter((one) => one !== undefined);
  if (known.length < told.length)
    return { usage: undefined, assumed: images === undefined ? assumed : chargedImages(undefined, images, assumed) };
  const usage = known.reduce(addUsage, noUsage);
  return { usage: images === undefined ? usage : chargedImages(usage, images, assumed), assumed };
}

/** The caller's form, for the model that is asked for. */
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

/** Sound goes on as it comes, also where the request was put into other words. */
function audioReader(call: RelayCall, operation: Operation): ResponseReader {
  if (call.request.stream) return { ...eventsReader(call, operation), content: rejectNonAudio };
  return {
    stream: { type: AUDIO, createTap: () => new SoundTap() },
    streamType: undefined,
    reply: undefined,
    content: rejectNonAudio,
    // There is no way to say anything in the middle of a sound: the connection breaks off.
    streamError: () => undefined,
  };
}

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

import { noUsage, type Usage } from '@relay-hub/contract';
import { ofBoundedDepth } from '#chat/chat-errors.ts';
import { listOr, objectOr } from '#chat/fields.ts';
import { inParts, joined } from '#providers/media/embeddings.ts';
import type { Content, Conversion, Operation } from '#providers/operation.ts';
import { addUsage } from '#usage/add-usage.ts';
import { askedOf } from '#relay/upstream/address.ts';
import { imagesTold } from '#relay/call/assumed.ts';
import type { Admitted } from '#relay/call/attempts.ts';
import { withBadRequests } from './callers-dialect.ts';
import type { Choice } from '#relay/select/choose.ts';
import { errorEvent } from '#relay/dialects/open-ai.ts';
import type { Exchange, Reading } from './exchange.ts';
import { type Form, formFor, formType } from '#relay/forms/form.ts';
import { MediaEventsTap } from '#relay/stream/media-events-tap.ts';
import { isImage, noImage, readConverted, readImages, readNoSound, readTranscript } from './media-reply.ts';
import { isOtherModel } from '#relay/select/offer.ts';
import { badRequest } from '#relay/routes/relay-error.ts';
import { SoundTap } from '#relay/stream/sound-tap.ts';

/** What comes as sound: all that says it is nothing else. */
const SOUND = /^(?!application\/(?:[\w.-]+\+)?json|text\/|application\/xml)/i;
const EVENTS = 'text/event-stream';

/** How answers are read that are neither chats nor plain JSON; undefined: as all others of OpenAI's. */
export function mediaReading(call: Admitted, operation: Operation): Reading | undefined {
  const { operation: name, request } = call;
  if (name === 'chat') return undefined;
  if (name === 'speech') return soundReading(call, operation);
  if (name === 'transcriptions' || name === 'translations')
    return { ...events(call, operation), content: (sent) => readTranscript(sent, operation.usage) };
  if (name.startsWith('images.'))
    return { ...events(call, operation), content: (sent) => readImages(sent, operation.usage, request.assumed!) };
  return undefined;
}

/** How a call is put into other words, and its answer into the caller's. */
interface Words {
  convert: Conversion | undefined;
  /** What the caller gets of an answer in OpenAI's form, and of the usage that he is charged. */
  tell(content: Content, usage: Usage): { body: Buffer; contentType: string };
}

/** A request in a vendor's own form, and how its answer is put into OpenAI's. Throws a 400 for what it cannot do. */
export function convertedExchange(
  call: Admitted,
  choice: Choice,
  { convert, tell }: Words = {
    convert: choice.operation.convert,
    tell: call.operation === 'embeddings' ? embeddingsWith : whole,
  },
): Exchange {
  const { operation } = choice;
  const json = withBadRequests(() => call.request.inOpenAi?.() ?? call.request.json);
  if (!json || !convert) throw badRequest('No channel takes calls of this kind for this model.');
  const asked = { ...askedOf(choice, false), request: json };
  const requests = withBadRequests(() => inParts(json, convert.textsAtOnce?.(asked)));
  const writeAll = ofBoundedDepth(() => requests.map((request) => written(convert.request(request, asked))));
  const [first, ...further] = withBadRequests(writeAll);
  const reading = call.operation === 'speech' ? soundReading(call, operation) : events(call, undefined);
  return {
    ...reading,
    ...first!, // there is always one
    ...(further.length > 0 && { further: further.map(({ body }) => body) }),
    content: (sent) => {
      const answers = sent.parts ?? [sent]; // one to each request
      const read = answers.map((one, i) => readConverted(one, operation.usage, convert, requests[i]!));
      const content = joined(read.map((one) => one.content));
      const images = imagesOf(call, content);
      const { usage, assumed } = usageOf(
        call,
        read.map((one) => one.usage),
        requests.length,
        images,
      );
      return { usage, assumed, ...(images !== undefined && { images }), told: tell(content, usage ?? assumed) };
    },
  };
}

/** How many images an answer in OpenAI's form holds; undefined: it is none of images. Throws `BadReply` for none. */
function imagesOf({ operation }: Admitted, content: Content): number | undefined {
  if (!operation.startsWith('images.')) return undefined;
  const images = 'json' in content ? listOr(objectOr(content.json)['data']).filter(isImage).length : 0;
  if (images === 0) throw noImage();
  return images;
}

function written(content: Content): { body: Buffer; contentType: string | undefined } {
  return 'json' in content
    ? { body: Buffer.from(JSON.stringify(content.json)), contentType: undefined }
    : { body: content.bytes, contentType: content.contentType };
}

/** Content as it is. */
export function whole(content: Content): { body: Buffer; contentType: string } {
  const { body, contentType = 'application/json' } = written(content);
  return { body, contentType };
}

/** Embeddings as OpenAI tells them, with the usage that is charged also where the vendor told none. */
const embeddingsWith = (content: Content, { input }: Usage): { body: Buffer; contentType: string } =>
  whole(
    'json' in content
      ? { json: { ...objectOr(content.json), usage: { prompt_tokens: input, total_tokens: input } } }
      : content,
  );

/**
 * What the answers to so many requests used, undefined where one of them told nothing; and what is charged then: as far
 * as the call was asked.
 */
export function usageOf(
  { request }: Admitted,
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
    return { usage: undefined, assumed: images === undefined ? assumed : imagesTold(undefined, images, assumed) };
  const usage = known.reduce(addUsage, noUsage);
  return { usage: images === undefined ? usage : imagesTold(usage, images, assumed), assumed };
}

/** The caller's form, for the model that is asked for. */
export function formSent(
  { request, dropped }: Admitted,
  { upstreamModel, channel }: Choice,
  form: Form,
): Omit<Exchange, keyof Reading> {
  const without = dropped && !channel.passesRoutingFields ? dropped.names : [];
  const sent = formFor(form, isOtherModel(request, upstreamModel) ? upstreamModel : undefined, without);
  const contentType = formType(form);
  return Buffer.isBuffer(sent) ? { body: sent, contentType } : { body: nothing, stored: sent, contentType };
}

const nothing = Buffer.alloc(0);

/** Sound goes on as it comes, also where the request was put into other words. */
function soundReading(call: Admitted, operation: Operation): Reading {
  if (call.request.stream) return { ...events(call, operation), content: readNoSound };
  return {
    stream: { type: SOUND, tap: () => new SoundTap() },
    streamType: undefined,
    reply: undefined,
    content: readNoSound,
    // There is no way to say anything in the middle of a sound: the connection breaks off.
    streamError: () => undefined,
  };
}

function events({ request, requestId, operation: name }: Admitted, operation: Operation | undefined): Reading {
  const ofImages = name.startsWith('images.');
  return {
    stream:
      request.stream && operation
        ? { type: EVENTS, tap: () => new MediaEventsTap(operation.usage, ofImages) }
        : undefined,
    streamType: undefined,
    reply: undefined,
    streamError: (error) => errorEvent(error, requestId),
  };
}

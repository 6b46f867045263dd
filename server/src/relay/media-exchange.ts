import { objectOr } from '#chat/fields.ts';
import type { Operation } from '#providers/operation.ts';
import { askedOf } from './address.ts';
import type { Admitted } from './attempts.ts';
import { withBadRequests } from './callers-dialect.ts';
import type { Choice } from './choose.ts';
import { errorEvent } from './dialects/open-ai.ts';
import type { Exchange, Reading } from './exchange.ts';
import { formType } from './form.ts';
import { MediaEventsTap } from './media-events-tap.ts';
import { readConverted, readImages, readNoSound, readTranscript } from './media-reply.ts';
import { badRequest } from './relay-error.ts';
import { SoundTap } from './sound-tap.ts';

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

/** A request in a vendor's own form, and how its answer is put into OpenAI's. Throws a 400 for what it cannot do. */
export function convertedExchange(call: Admitted, choice: Choice): Exchange {
  const { operation } = choice;
  const { json } = call.request;
  if (!json || !operation.convert) throw badRequest(`The channel '${choice.channel.name}' takes no such calls.`);
  const asked = { ...askedOf(choice, false), request: json };
  const content = withBadRequests(() => operation.convert!.request(json, asked));
  const reading = call.operation === 'speech' ? soundReading(call, operation) : events(call, undefined);
  return {
    ...reading,
    body: 'json' in content ? Buffer.from(JSON.stringify(content.json)) : content.bytes,
    contentType: 'json' in content ? undefined : content.contentType,
    content: (sent) => readConverted(sent, choice, objectOr(json), call),
  };
}

/** The type of what is sent; undefined: JSON. */
export const typeOfBody = ({ request }: Admitted): string | undefined => request.form && formType(request.form);

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

function events({ request, requestId }: Admitted, operation: Operation | undefined): Reading {
  return {
    stream: request.stream && operation ? { type: EVENTS, tap: () => new MediaEventsTap(operation.usage) } : undefined,
    streamType: undefined,
    reply: undefined,
    streamError: (error) => errorEvent(error, requestId),
  };
}

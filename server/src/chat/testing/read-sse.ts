import type { ChatEvent } from '../chat.ts';
import type { WireId } from '../codec.ts';
import { inPieces, readStream } from './bridge.ts';

/** Events as lines of a stream: a text stands as it is, an object as the data of an event, named by its type. */
export const sse = (...events: (string | object)[]): string =>
  events
    .map((event) => {
      if (typeof event === 'string') return event;
      const name = 'type' in event ? `event: ${String(event.type)}\n` : '';
      return `${name}data: ${JSON.stringify(event)}\n\n`;
    })
    .join('');

/** What a vendor's stream means, whether it comes in one piece or in many. */
export function eventsIn(wire: WireId, stream: string): ChatEvent[] {
  const whole = readStream(wire, [Buffer.from(stream)]);
  const inParts = readStream(wire, inPieces(stream, 5));
  if (withoutMadeIds(inParts) !== withoutMadeIds(whole))
    throw new Error('the pieces mean something else than the whole');
  return whole;
}

/** Ids that we make are new each time. */
const withoutMadeIds = (events: ChatEvent[]): string => JSON.stringify(events).replaceAll(/call_\w{24}/g, 'call');

import type { ChatEvent } from '../chat.ts';
import type { WireId } from '../codec.ts';
import { inPieces, readStream } from './bridge.ts';

/** Formats events: strings unchanged, objects as data named by their type. */
export const sse = (...events: (string | object)[]): string =>
  events
    .map((event) => {
      if (typeof event === 'string') return event;
      const name = 'type' in event ? `event: ${String(event.type)}\n` : '';
      return `${name}data: ${JSON.stringify(event)}\n\n`;
    })
    .join('');

/** The events of a vendor's stream, checked to be independent of its chunking. */
export function eventsIn(wire: WireId, stream: string): ChatEvent[] {
  const whole = readStream(wire, [Buffer.from(stream)]);
  const inParts = readStream(wire, inPieces(stream, 5));
  if (withoutMadeIds(inParts) !== withoutMadeIds(whole))
    throw new Error('the pieces mean something else than the whole');
  return whole;
}

/** Generated ids differ each time. */
const withoutMadeIds = (events: ChatEvent[]): string => JSON.stringify(events).replaceAll(/call_\w{24}/g, 'call');

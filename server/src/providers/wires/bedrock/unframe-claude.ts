import { isObject, objectOr, parseJson, textOr } from '#json.ts';
import type { ChatFault } from '#chat/chat.ts';
import type { Unframer } from '#providers/operation.ts';
import { FrameError } from '../chat-frames-reader.ts';
import { faultIn } from './bedrock-exceptions.ts';
import { type EventFrame, EventStream } from './event-stream.ts';

const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  429: 'rate_limit_error',
  503: 'overloaded_error',
};

/** Unwraps Anthropic's own events from InvokeModel's messages. */
export class ClaudeUnframer implements Unframer {
  readonly #frames = new EventStream();
  #broken = false;

  push(chunk: Buffer): Buffer {
    if (this.#broken) return Buffer.alloc(0);
    try {
      const frames = this.#frames.push(chunk);
      return Buffer.from(frames.map((frame) => this.#eventOf(frame)).join(''));
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      return Buffer.from(this.#broke({ code: 'stream_broken', message: error.message }));
    }
  }

  /** Empty: the consumer detects a truncated stream by its missing end event. */
  end(): Buffer {
    return Buffer.alloc(0);
  }

  #eventOf(frame: EventFrame): string {
    if (this.#broken) return '';
    const fault = faultIn(frame);
    if (fault) return this.#broke(fault);
    const bytes = textOr(objectOr(parseJson(frame.payload.toString('utf8')))['bytes'], '');
    const text = Buffer.from(bytes, 'base64').toString('utf8');
    const event = parseJson(text);
    if (!isObject(event))
      return this.#broke({ code: 'stream_broken', message: 'an event of the stream is no JSON object' });
    // Serialised again, because line breaks would split the event.
    return sse(textOr(event['type'], 'message'), event);
  }

  #broke({ message, status }: ChatFault): string {
    this.#broken = true;
    const type = types[status ?? 0] ?? 'api_error';
    return sse('error', { type: 'error', error: { type, message } });
  }
}

const sse = (type: string, event: object): string =>
  `event: ${type.replace(/\s/g, '')}\ndata: ${JSON.stringify(event)}\n\n`;

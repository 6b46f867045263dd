import type { Usage } from '@relay-hub/contract';
import { objectOr, parseJson, textOr } from '#json.ts';
import type { ChatEvent, ChatFault } from '#chat/chat.ts';
import type { ReadOptions, StreamReader } from '#chat/codec.ts';
import { type SseEvent, SseEvents, SseTooLarge } from '#chat/sse-events.ts';
import { faultOfPrediction, outputOf } from './prediction.ts';

/**
 * Reads the events of a prediction, whose data is text, and behind them the finished prediction as the event `job`:
 * it holds the usage, and the rest of a text whose stream broke. https://replicate.com/docs/topics/predictions/streaming
 */
export class ReplicateStreamReader implements StreamReader {
  done = false;
  usageAt: number | undefined;
  readonly #options: ReadOptions;
  readonly #sse: SseEvents;
  #out: ChatEvent[] = [];
  #usage: Usage | undefined;
  #text = '';
  #started = false;
  #failed = false;
  #complete = false;

  constructor(options: ReadOptions) {
    this.#options = options;
    this.#sse = new SseEvents(options.largestEventBytes);
  }

  push(chunk: Buffer): ChatEvent[] {
    this.usageAt = undefined;
    try {
      for (const event of this.#sse.push(chunk)) this.#read(event);
    } catch (error) {
      if (!(error instanceof SseTooLarge)) throw error;
      this.#fail({ code: 'stream_broken', message: error.message });
    }
    return this.#taken();
  }

  end(): ChatEvent[] {
    this.usageAt = undefined;
    const last = this.#sse.end();
    if (last) this.#read(last);
    if (this.#usage) this.#emit({ type: 'usage', usage: this.#usage });
    if (!this.#complete) this.#fail({ code: 'stream_broken', message: 'the stream ended before its end' });
    else if (this.#text === '') this.#fail({ code: 'bad_reply', message: 'the stream holds no answer' });
    else this.#emit({ type: 'finish', reason: 'stop' });
    return this.#taken();
  }

  usage(): Usage | undefined {
    return this.#usage;
  }

  #read({ name, data }: SseEvent): void {
    if (name === 'output') this.#say(data);
    else if (name === 'error') this.#fail({ code: 'error_in_stream', message: messageIn(data) });
    else if (name === 'done') this.#readDone(objectOr(parseJson(data))['reason']);
    else if (name === 'job') this.#readPrediction(parseJson(data));
  }

  #readDone(reason: unknown): void {
    if (reason === 'error' || reason === 'canceled')
      this.#fail({
        code: 'error_in_stream',
        message: reason === 'error' ? 'the prediction failed' : 'the prediction was canceled',
      });
    else this.#complete = true;
  }

  #readPrediction(json: unknown): void {
    const { usage } = this.#options;
    const fault = faultOfPrediction(json);
    this.#usage = usage.read(usage.find(json));
    if (fault) return this.#fail({ ...fault, code: 'error_in_stream' });
    const whole = outputOf(json);
    if (!this.#complete && objectOr(json)['status'] === 'succeeded' && whole.startsWith(this.#text)) {
      this.#say(whole.slice(this.#text.length));
      this.#complete = true;
    }
    if (this.#usage) this.usageAt = this.#out.length;
  }

  #say(text: string): void {
    if (!this.#started) this.#emit({ type: 'start' });
    this.#started = true;
    if (text === '') return;
    this.#text += text;
    this.#emit({ type: 'text', text });
  }

  #emit(event: ChatEvent): void {
    if (!this.#failed) this.#out.push(event);
  }

  #fail(error: ChatFault): void {
    this.#emit({ type: 'error', error });
    this.#failed = true;
  }

  #taken(): ChatEvent[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }
}

/** An error's text, which is plain or in `detail`. */
const messageIn = (data: string): string =>
  textOr(objectOr(parseJson(data))['detail'], '') || data || 'the prediction failed';

import { isObject, objectOr, textOr, type Json } from '#json.ts';
import type { FinishReason } from '../chat.ts';
import type { ReadOptions, StreamPosition } from '../codec.ts';
import { SseStreamReader } from '../sse-stream-reader.ts';
import { faultOf, vendorErrorIn } from '../vendor-errors.ts';
import { finishOf, imageMime, signatureOf } from './read-responses-reply.ts';

/** Events before the first content, besides those of an empty message. */
const preamble = new Set(['response.created', 'response.queued', 'response.in_progress', 'response.failed']);

/** Reasoning that has begun is content: it may stay silent for minutes. */
function isContent({ type, item, part, delta }: Json): boolean {
  if (typeof type !== 'string' || !type.startsWith('response.') || preamble.has(type)) return false;
  if (type === 'response.output_item.added') return objectOr(item)['type'] !== 'message';
  if (type === 'response.content_part.added') return textOr(objectOr(part)['text'], '') !== '';
  return delta !== '';
}

/** Reads a Responses stream. A completed response, or one cut at a limit, completes it. */
export class ResponsesStreamReader extends SseStreamReader {
  readonly #position: StreamPosition | undefined;
  #finish: FinishReason | undefined;
  #calls = 0;
  /** Open calls by output index, and whether their arguments were emitted. */
  readonly #open = new Map<unknown, { index: number; emitted: boolean }>();

  constructor(options: ReadOptions) {
    super(options);
    this.#position = options.position;
  }

  protected override read(json: Json): void {
    if (this.#position) this.#notePosition(this.#position, json);
    this.begun ||= isContent(json);
    switch (json['type']) {
      case 'response.created': {
        const response = objectOr(json['response']);
        this.noteReply(response);
        this.emit({
          type: 'start',
          id: textOr(response['id'], undefined),
          model: textOr(response['model'], undefined),
        });
        break;
      }
      case 'response.output_text.delta':
        this.emit({ type: 'text', text: textOr(json['delta'], '') });
        break;
      case 'response.refusal.delta':
        this.emit({ type: 'refusal', text: textOr(json['delta'], '') });
        break;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.emit({ type: 'thinking', text: textOr(json['delta'], '') });
        break;
      case 'response.reasoning_summary_part.added':
        if (json['summary_index'] !== 0) this.emit({ type: 'thinking', text: '\n\n' });
        break;
      case 'response.function_call_arguments.delta':
        this.#addArguments(json['output_index'], textOr(json['delta'], ''));
        break;
      case 'response.output_item.added':
        this.#startItem(json['output_index'], objectOr(json['item']));
        break;
      case 'response.output_item.done':
        this.#endItem(json['output_index'], objectOr(json['item']));
        break;
      case 'response.completed':
      case 'response.incomplete':
        this.#complete(objectOr(json['response']));
        break;
      case 'response.failed': {
        const { error } = objectOr(json['response']);
        this.fail(faultOf(vendorErrorIn({ error: error ?? 'failed' })!, 'stream'));
        break;
      }
    }
  }

  /** A failure is not passed on: the event that ends the stream takes its number. */
  #notePosition(position: StreamPosition, { type, sequence_number: number, response }: Json): void {
    const at = typeof number === 'number' ? number : position.next;
    position.next = type === 'response.failed' ? at : at + 1;
    if (isObject(response)) position.response = response;
  }

  protected override finished(): boolean {
    if (this.#finish === undefined) return false;
    this.emit({ type: 'finish', reason: this.#finish });
    return true;
  }

  #complete(response: Json): void {
    this.noteReply(response);
    this.#finish = finishOf(response, this.#calls > 0);
    this.done = true;
  }

  #startItem(at: unknown, item: Json): void {
    if (item['type'] !== 'function_call') return;
    const index = this.#calls++;
    this.#open.set(at, { index, emitted: false });
    this.emit({ type: 'tool_start', index, id: textOr(item['call_id'], ''), name: textOr(item['name'], '') });
  }

  #addArguments(at: unknown, json: string): void {
    const call = this.#open.get(at);
    if (!call || json === '') return;
    call.emitted = true;
    this.emit({ type: 'tool_arguments', index: call.index, json });
  }

  #endItem(at: unknown, item: Json): void {
    if (item['type'] === 'reasoning') this.emit({ type: 'thinking_end', signature: signatureOf(item) });
    else if (item['type'] === 'image_generation_call' && typeof item['result'] === 'string')
      this.emit({ type: 'image', mime: imageMime(item), base64: item['result'] });
    const call = this.#open.get(at);
    if (!call) return;
    if (!call.emitted) this.#addArguments(at, textOr(item['arguments'], ''));
    this.#open.delete(at);
    this.emit({ type: 'tool_end', index: call.index });
  }
}

import { objectOr, textOr, type Json } from '#json.ts';
import type { FinishReason } from '#chat/chat.ts';
import { SseStreamReader } from '#chat/sse-stream-reader.ts';
import { newCallId } from '#chat/tool-calls.ts';
import { finishOf, readPiece } from './read-cohere-reply.ts';

/** Reads a stream of Cohere v2. `message-end` completes it. */
export class CohereStreamReader extends SseStreamReader {
  #finish: FinishReason | undefined;
  #calls = 0;
  /** Open calls by the vendor's index, and whether any arguments were received. */
  readonly #open = new Map<unknown, { index: number; pieces: boolean }>();

  protected override read(json: Json): void {
    const delta = objectOr(json['delta']);
    const message = objectOr(delta['message']);
    switch (json['type']) {
      case 'message-start':
        this.emit({ type: 'start', id: textOr(json['id'], undefined) });
        break;
      case 'content-start':
      case 'content-delta': {
        const piece = readPiece(objectOr(message['content']));
        if (piece) this.emit(piece);
        break;
      }
      case 'tool-plan-delta': {
        const text = textOr(message['tool_plan'], '');
        if (text !== '') this.emit({ type: 'thinking', text });
        break;
      }
      case 'tool-call-start':
        this.#startCall(json['index'], objectOr(message['tool_calls']));
        break;
      case 'tool-call-delta':
        this.#addArguments(json['index'], objectOr(message['tool_calls']));
        break;
      case 'tool-call-end':
        this.#endCall(json['index']);
        break;
      case 'message-end':
        this.#endMessage(delta);
        break;
    }
  }

  protected override finished(): boolean {
    if (this.#finish === undefined) return false;
    this.emit({ type: 'finish', reason: this.#finish });
    return true;
  }

  #startCall(at: unknown, call: Json): void {
    const index = this.#calls++;
    this.#open.set(at, { index, pieces: false });
    const name = textOr(objectOr(call['function'])['name'], '');
    this.emit({ type: 'tool_start', index, id: textOr(call['id'], '') || newCallId(), name });
    this.#addArguments(at, call);
  }

  #addArguments(at: unknown, call: Json): void {
    const open = this.#open.get(at);
    const json = textOr(objectOr(call['function'])['arguments'], '');
    if (!open || json === '') return;
    open.pieces = true;
    this.emit({ type: 'tool_arguments', index: open.index, json });
  }

  #endCall(at: unknown): void {
    const open = this.#open.get(at);
    this.#open.delete(at);
    if (!open) return;
    if (!open.pieces) this.emit({ type: 'tool_arguments', index: open.index, json: '{}' });
    this.emit({ type: 'tool_end', index: open.index });
  }

  #endMessage(delta: Json): void {
    const finish = finishOf(delta['finish_reason']);
    if (finish === 'error') {
      const message = textOr(delta['error'], String(delta['finish_reason']));
      return this.fail({ code: 'error_in_stream', message });
    }
    this.#finish = finish;
    this.done = true;
  }
}

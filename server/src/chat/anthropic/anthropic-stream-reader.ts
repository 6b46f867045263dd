import { listOr, objectOr, sourcesOrNone, textOr, type Json } from '#json.ts';
import type { FinishReason } from '../chat.ts';
import { SseStreamReader } from '../sse-stream-reader.ts';
import { finishOf } from './read-anthropic-reply.ts';

interface OpenBlock {
  type: 'text' | 'thinking' | 'tool_use' | 'other';
  signature: string;
  /** For a tool call: its index, its initial input, and whether further pieces were received. */
  index: number;
  input: Json;
  pieces: boolean;
}

/** Reads a Messages stream. `message_stop` completes it. */
export class AnthropicStreamReader extends SseStreamReader {
  #started = false;
  #finish: FinishReason | undefined;
  #stopSequence: string | undefined;
  #calls = 0;
  /** The noted reply: its container, and results of tools that ran at the provider. */
  #message: Json = {};
  readonly #open = new Map<unknown, OpenBlock>();

  protected override parse(data: string): unknown {
    return sourcesOrNone(data);
  }

  protected override read(json: Json): void {
    switch (json['type']) {
      case 'message_start': {
        this.#started = true;
        const message = (this.#message = objectOr(json['message']));
        this.noteReply(message);
        this.emit({ type: 'start', id: textOr(message['id'], undefined), model: textOr(message['model'], undefined) });
        break;
      }
      case 'content_block_start':
        this.#startBlock(json['index'], objectOr(json['content_block']));
        break;
      case 'content_block_delta':
        this.#addDelta(this.#open.get(json['index']), objectOr(json['delta']));
        break;
      case 'content_block_stop':
        this.#endBlock(json['index']);
        break;
      case 'message_delta': {
        const delta = objectOr(json['delta']);
        this.#finish = finishOf(delta['stop_reason']) ?? this.#finish;
        this.#stopSequence = textOr(delta['stop_sequence'], this.#stopSequence);
        this.begun = true;
        if (delta['container'] != null) this.#message['container'] = delta['container'];
        break;
      }
      case 'message_stop':
        this.done = true;
        break;
    }
  }

  protected override finished(): boolean {
    if (!this.done) return false;
    if (!this.#started) return this.failEmpty();
    this.emit({ type: 'finish', reason: this.#finish ?? 'stop', stopSequence: this.#stopSequence });
    return true;
  }

  #startBlock(at: unknown, block: Json): void {
    this.#started = true;
    const { type } = block;
    // An open block of thinking may stay silent for minutes, and a server's tool is at work.
    if (type !== 'text') this.begun = true;
    if (textOr(type, '').endsWith('code_execution_tool_result')) listOr(this.#message['content']).push(block);
    const open: OpenBlock = { type: 'other', signature: '', index: -1, input: objectOr(block['input']), pieces: false };
    if (type === 'redacted_thinking') {
      const value = textOr(block['data'], '');
      this.emit({ type: 'thinking_end', signature: { kind: 'anthropic-redacted', value } });
    } else if (type === 'tool_use') {
      open.type = type;
      open.index = this.#calls++;
      this.emit({
        type: 'tool_start',
        index: open.index,
        id: textOr(block['id'], ''),
        name: textOr(block['name'], ''),
      });
    } else if (type === 'text' || type === 'thinking') {
      open.type = type;
      open.signature = textOr(block['signature'], '');
      const text = textOr(block[type], '');
      if (text !== '') this.emit({ type, text });
    }
    this.#open.set(at, open);
  }

  #addDelta(open: OpenBlock | undefined, delta: Json): void {
    if (!open) return;
    if (delta['type'] === 'text_delta') this.emit({ type: 'text', text: textOr(delta['text'], '') });
    else if (delta['type'] === 'thinking_delta') this.emit({ type: 'thinking', text: textOr(delta['thinking'], '') });
    else if (delta['type'] === 'signature_delta') open.signature += textOr(delta['signature'], '');
    else if (delta['type'] === 'input_json_delta' && open.type === 'tool_use') {
      const json = textOr(delta['partial_json'], '');
      if (json === '') return;
      open.pieces = true;
      this.emit({ type: 'tool_arguments', index: open.index, json });
    }
  }

  #endBlock(at: unknown): void {
    const open = this.#open.get(at);
    this.#open.delete(at);
    if (open?.type === 'thinking') {
      const signature = open.signature === '' ? undefined : { kind: 'anthropic' as const, value: open.signature };
      this.emit({ type: 'thinking_end', signature });
    } else if (open?.type === 'tool_use') {
      // Without further pieces, the input is the one of the start event.
      if (!open.pieces) this.emit({ type: 'tool_arguments', index: open.index, json: JSON.stringify(open.input) });
      this.emit({ type: 'tool_end', index: open.index });
    }
  }
}

import type { ProviderWire } from '#providers/operation.ts';
import { type Json, objectOr, textOr } from '#json.ts';
import type { FinishReason } from '#chat/chat.ts';
import type { ReadOptions } from '#chat/codec.ts';
import { faultOf, vendorErrorIn } from '#chat/vendor-errors.ts';
import { ChatFramesReader } from '../chat-frames-reader.ts';
import { JsonLines } from '../json-lines.ts';
import { finishOf, readMessage, readOllamaReply } from './read-ollama-reply.ts';
import { writeOllamaRequest } from './write-ollama-request.ts';

/** Reads Ollama's stream of JSON lines. A line with `done` completes it. */
class OllamaStreamReader extends ChatFramesReader<Json> {
  #started = false;
  #calls = 0;
  #finish: FinishReason | undefined;

  constructor(options: ReadOptions) {
    super(options, new JsonLines(options.largestEventBytes));
  }

  protected override read(json: Json): void {
    const error = vendorErrorIn(json);
    if (error) return this.fail(faultOf(error, 'stream'));
    if (!this.#started) {
      this.#started = true;
      this.emit({ type: 'start', model: textOr(json['model'], undefined) });
    }
    this.noteUsage(json);
    for (const part of readMessage(objectOr(json['message']))) {
      if (part.type !== 'tool_call') this.emit(part);
      else {
        const { id, name, arguments: text } = part;
        const index = this.#calls++;
        this.emit({ type: 'tool_start', index, id, name });
        this.emit({ type: 'tool_arguments', index, json: text });
        this.emit({ type: 'tool_end', index });
      }
    }
    if (json['done'] !== true) return;
    this.#finish = finishOf(json['done_reason'], this.#calls > 0);
    this.done = true;
  }

  protected override finished(): boolean {
    if (this.#finish === undefined) return false;
    this.emit({ type: 'finish', reason: this.#finish });
    return true;
  }
}

/** Ollama's own API. Pictures as bytes only. */
export const ollamaWire: ProviderWire = {
  id: 'ollama',
  writeRequest: writeOllamaRequest,
  readReply: readOllamaReply,
  streamReader: (options) => new OllamaStreamReader(options),
  dropped: [
    ...['user', 'cacheKey', 'verbosity', 'modalities', 'serviceTier', 'parallelToolCalls', 'messages.name'].map(
      (field) => ({ field, why: 'the wire has no such field' }),
    ),
    { field: 'toolChoice (required)', why: 'a tool cannot be demanded' },
    { field: 'messages.parts.cache', why: 'the vendor has no such marks' },
    { field: 'messages.parts.thinking', why: 'only what led to calls comes back' },
    { field: 'messages.parts.image.detail', why: 'the wire has no such field' },
    { field: 'tools.strict', why: 'the wire has no such field' },
  ],
};

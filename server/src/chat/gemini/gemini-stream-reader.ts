import { listOr, objectOr, sourcesOrNone, textOr, type Json } from '#json.ts';
import type { ChatEvent, FinishReason, Part } from '../chat.ts';
import { SseStreamReader } from '../sse-stream-reader.ts';
import { blockIn, finishIn, firstCandidate, readPart, reasonIn } from './read-gemini-reply.ts';

/** Whether a member of a part holds content. */
const isFilled = ([name, value]: [string, unknown]): boolean => name !== 'thought' && value !== '' && value != null;

/** Reads a generateContent stream with `alt=sse`. It has no end marker; a finish reason completes it. */
export class GeminiStreamReader extends SseStreamReader {
  #started = false;
  #finish: FinishReason | undefined;
  #calls = 0;

  protected override parse(data: string): unknown {
    return sourcesOrNone(data);
  }

  protected override read(json: Json): void {
    const blocked = this.#started ? undefined : blockIn(json);
    if (blocked) return this.fail(blocked);
    if (!this.#started && (firstCandidate(json) || finishIn(json))) {
      this.#started = true;
      const model = textOr(json['modelVersion'], undefined);
      this.emit({ type: 'start', id: textOr(json['responseId'], undefined), model });
    }
    const parts = listOr(objectOr(firstCandidate(json)?.['content'])['parts']);
    this.begun ||= parts.some((part) => Object.entries(objectOr(part)).some(isFilled));
    for (const part of parts) for (const read of readPart(objectOr(part))) this.#tell(read);
    const finish = finishIn(json);
    if (finish === 'error') this.fail({ code: 'error_in_stream', message: reasonIn(json) });
    else this.#finish = finish ?? this.#finish;
  }

  protected override finished(): boolean {
    if (this.#finish === undefined) return false;
    const called = this.#finish === 'stop' && this.#calls > 0;
    this.emit({ type: 'finish', reason: called ? 'tool_calls' : this.#finish });
    return true;
  }

  #tell(part: Part): void {
    for (const event of this.#eventsOf(part)) this.emit(event);
  }

  #eventsOf(part: Part): ChatEvent[] {
    if (part.type === 'text') return [part];
    if (part.type === 'audio') return [{ type: 'audio', mime: part.mime, base64: part.base64 }];
    if (part.type === 'image') return 'base64' in part.source ? [{ type: 'image', ...part.source }] : [];
    if (part.type === 'thinking') {
      const text: ChatEvent[] = part.text === '' ? [] : [{ type: 'thinking', text: part.text }];
      return part.signature ? [...text, { type: 'thinking_end', signature: part.signature }] : text;
    }
    if (part.type !== 'tool_call') return [];
    const index = this.#calls++;
    const { id, name, arguments: json, signature } = part;
    return [
      { type: 'tool_start', index, id, name, signature },
      { type: 'tool_arguments', index, json },
      { type: 'tool_end', index },
    ];
  }
}

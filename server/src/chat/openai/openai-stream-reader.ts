import { listOr, objectOr, textOr, type Json } from '#json.ts';
import type { FinishReason, Signature } from '../chat.ts';
import { SseStreamReader } from '../sse-stream-reader.ts';
import { CallsInTurn } from './calls-in-turn.ts';
import { fieldSignature, type ReasoningField, readDetails, readGoogleExtra } from './openai-reasoning.ts';
import { argumentsText, contentOf, finishOf, imagesIn, reasoningIn, spokenIn } from './read-openai-reply.ts';

/** Reads a Chat Completions stream. `[DONE]`, or at least a finish reason, completes it. */
export class OpenAiStreamReader extends SseStreamReader {
  protected override readonly endMark = '[DONE]';
  #started = false;
  #finish: FinishReason | undefined;
  readonly #calls = new CallsInTurn((event) => this.emit(event));
  readonly #signatures = new Map<string, Signature>();
  /** Field of the reasoning that is not signed yet. */
  #field: ReasoningField | undefined;

  protected override read(json: Json): void {
    const choice = listOr(json['choices'])
      .map(objectOr)
      .find((one) => (one['index'] ?? 0) === 0);
    if (!choice) return;
    if (!this.#started) {
      this.#started = true;
      this.emit({ type: 'start', id: textOr(json['id'], undefined), model: textOr(json['model'], undefined) });
    }
    this.#readChoice(choice);
  }

  protected override finished(): boolean {
    if (this.#finish === undefined && !this.done) return false;
    if (!this.#started) return this.failEmpty();
    this.#endReasoning();
    this.#calls.end();
    const called = this.#calls.count > 0 && (this.#finish ?? 'stop') === 'stop';
    this.emit({ type: 'finish', reason: called ? 'tool_calls' : (this.#finish ?? 'stop') });
    return true;
  }

  #readChoice(choice: Json): void {
    const delta = objectOr(choice['delta']);
    this.#readReasoning(delta);
    const spoken = spokenIn(delta);
    const text = contentOf(delta['content']).text + spoken.text;
    const refusal = textOr(delta['refusal'], '');
    const images = imagesIn(delta);
    const calls = listOr(delta['tool_calls']);
    if (text !== '' || refusal !== '' || images.length > 0 || spoken.audio || calls.length > 0) this.#endReasoning();
    if (text !== '') this.emit({ type: 'text', text });
    if (refusal !== '') this.emit({ type: 'refusal', text: refusal });
    for (const image of images) this.emit({ type: 'image', ...image });
    if (spoken.audio) this.emit({ type: 'audio', mime: spoken.audio.mime, base64: spoken.audio.base64 });
    for (const call of calls) this.#readCall(objectOr(call));
    if (delta['function_call']) this.#readCall({ index: 0, function: delta['function_call'] });
    const finish = finishOf(choice['finish_reason']);
    if (finish === 'error') this.fail({ code: 'error_in_stream', message: String(choice['finish_reason']) });
    else this.#finish = finish ?? this.#finish;
  }

  #readReasoning(delta: Json): void {
    const reasoning = reasoningIn(delta);
    if (reasoning) {
      this.#field = reasoning.field;
      this.emit({ type: 'thinking', text: reasoning.text });
    }
    if (delta['reasoning_details'] === undefined) return;
    const { thinking, calls } = readDetails(delta['reasoning_details']);
    for (const [id, signature] of calls) this.#signatures.set(id, signature);
    for (const { signature } of thinking)
      if (signature) {
        this.#field = undefined;
        this.emit({ type: 'thinking_end', signature });
      }
  }

  #endReasoning(): void {
    if (this.#field) this.emit({ type: 'thinking_end', signature: fieldSignature(this.#field) });
    this.#field = undefined;
  }

  /** Most vendors number calls; some send index 0 for all and distinct ids, some neither. */
  #readCall(call: Json): void {
    const called = objectOr(call['function']);
    const name = textOr(called['name'], '');
    const id = textOr(call['id'], '');
    const given = typeof call['index'] === 'number' ? call['index'] : undefined;
    const last = this.#calls.last();
    const meant = (given === undefined ? undefined : this.#calls.last(given)) ?? last;
    const another = meant !== undefined && id !== '' && id !== meant.id;
    const at = given ?? (last?.at ?? 0) + (another ? 1 : 0);
    if (name !== '' && (!last || at > last.at || another))
      this.#calls.begin(at, id, name, readGoogleExtra(call) ?? this.#signatures.get(id));
    const json = argumentsText(called['arguments']);
    if (json !== '' && !this.#calls.add(at, json))
      this.fail({ code: 'stream_broken', message: 'the pieces of the tool calls are mixed up' });
  }
}

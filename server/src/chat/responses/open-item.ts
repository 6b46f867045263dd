import type { Json } from '#json.ts';
import type { Signature } from '../chat.ts';
import { customInput } from '../tool-calls.ts';
import {
  type CallItem,
  customItem,
  functionItem,
  messageItem,
  reasoningItem,
  refusalPart,
  summaryPart,
  textPart,
} from './write-responses-items.ts';

/** Writes an event of the current item; the stream writer adds its position. */
export type WriteEvent = (type: string, fields: Json) => string;

/** An item of a streamed reply in progress. */
export interface OpenItem {
  /** The item in its first event, and when complete. */
  readonly first: Json;
  whole(): Json;
  /** The closing events. */
  close(write: WriteEvent): string;
}

/** A message of texts and refusals. */
export class MessageItem implements OpenItem {
  readonly first: Json;
  readonly #id: string;
  readonly #content: Json[] = [];
  #type: 'text' | 'refusal' | undefined;
  #text = '';

  constructor(id: string) {
    this.#id = id;
    this.first = messageItem(id, [], 'in_progress');
  }

  add(type: 'text' | 'refusal', piece: string, write: WriteEvent): string {
    const before = this.#type === type ? '' : this.close(write) + this.#open(type, write);
    this.#text += piece;
    return before + write(`response.${field(type)}.delta`, { ...this.#at(), delta: piece, ...logprobs(type) });
  }

  close(write: WriteEvent): string {
    const type = this.#type;
    if (!type) return '';
    const at = this.#at();
    const content = type === 'text' ? { text: this.#text } : { refusal: this.#text };
    const part = makePart(type, this.#text);
    this.#content.push(part);
    this.#type = undefined;
    return (
      write(`response.${field(type)}.done`, { ...at, ...content, ...logprobs(type) }) +
      write('response.content_part.done', { ...at, part })
    );
  }

  whole(): Json {
    return messageItem(this.#id, this.#content, 'completed');
  }

  #open(type: 'text' | 'refusal', write: WriteEvent): string {
    this.#type = type;
    this.#text = '';
    return write('response.content_part.added', { ...this.#at(), part: makePart(type, '') });
  }

  #at(): Json {
    return { item_id: this.#id, content_index: this.#content.length };
  }
}

const field = (type: 'text' | 'refusal'): string => (type === 'text' ? 'output_text' : 'refusal');
const logprobs = (type: 'text' | 'refusal'): Json => (type === 'text' ? { logprobs: [] } : {});
const makePart = (type: 'text' | 'refusal', text: string): Json =>
  type === 'text' ? textPart(text) : refusalPart(text);

/** Reasoning, as a summary of one part. */
export class ReasoningItem implements OpenItem {
  readonly first: Json;
  readonly #id: string;
  #text = '';
  #signature: Signature | undefined;

  constructor(id: string) {
    this.#id = id;
    this.first = reasoningItem(id, '', undefined);
  }

  add(piece: string, write: WriteEvent): string {
    const at = this.#at();
    const before =
      this.#text === '' ? write('response.reasoning_summary_part.added', { ...at, part: summaryPart('') }) : '';
    this.#text += piece;
    return before + write('response.reasoning_summary_text.delta', { ...at, delta: piece });
  }

  sign(signature: Signature | undefined): void {
    this.#signature = signature;
  }

  close(write: WriteEvent): string {
    const at = this.#at();
    if (this.#text === '') return '';
    return (
      write('response.reasoning_summary_text.done', { ...at, text: this.#text }) +
      write('response.reasoning_summary_part.done', { ...at, part: summaryPart(this.#text) })
    );
  }

  whole(): Json {
    return reasoningItem(this.#id, this.#text, this.#signature);
  }

  #at(): Json {
    return { item_id: this.#id, summary_index: 0 };
  }
}

export class FunctionItem implements OpenItem {
  readonly first: Json;
  readonly #call: CallItem;
  #json = '';

  constructor(id: string, call: Omit<CallItem, 'id'>) {
    this.#call = { id, ...call };
    this.first = functionItem(this.#call, '', 'in_progress');
  }

  add(json: string, write: WriteEvent): string {
    this.#json += json;
    return write('response.function_call_arguments.delta', { item_id: this.#call.id, delta: json });
  }

  close(write: WriteEvent): string {
    // Clients parse arguments, and an empty string is not JSON.
    const before = this.#json === '' ? this.add('{}', write) : '';
    const { id, name } = this.#call;
    return before + write('response.function_call_arguments.done', { item_id: id, name, arguments: this.#json });
  }

  whole(): Json {
    return functionItem(this.#call, this.#json, 'completed');
  }
}

/** A custom tool's call. Its input is part of its arguments, so they are buffered until complete. */
export class CustomItem implements OpenItem {
  readonly first: Json;
  readonly #call: CallItem;
  #json = '';

  constructor(id: string, call: Omit<CallItem, 'id'>) {
    this.#call = { id, ...call };
    this.first = customItem(this.#call, '', 'in_progress');
  }

  add(json: string): string {
    this.#json += json;
    return '';
  }

  close(write: WriteEvent): string {
    const input = customInput(this.#json);
    const at = { item_id: this.#call.id };
    return (
      write('response.custom_tool_call_input.delta', { ...at, delta: input }) +
      write('response.custom_tool_call_input.done', { ...at, input })
    );
  }

  whole(): Json {
    return customItem(this.#call, customInput(this.#json), 'completed');
  }
}

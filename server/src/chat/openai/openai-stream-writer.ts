import type { Usage } from '@relay-hub/contract';
import type { Json } from '#json.ts';
import type { ChatEvent, FinishReason, Signature } from '../chat.ts';
import type { DialectError, StreamWriter, ReplyContext } from '../codec.ts';
import { brokenStream } from '../broken-stream.ts';
import { dataUrl } from '../sources.ts';
import { customInput } from '../tool-calls.ts';
import { callDetail, detailOf, googleExtra } from './openai-reasoning.ts';
import {
  completionId,
  finishReason,
  isCustom,
  openAiErrorBody,
  markdownImage,
  soundShell,
  writeImage,
} from './write-openai-reply.ts';
import { writeOpenAiUsage } from './write-openai-usage.ts';

/** Writes a stream of Chat Completion chunks: role, content, finish reason, usage on request, `[DONE]`. */
export class OpenAiStreamWriter implements StreamWriter {
  readonly contentType = 'text/event-stream';
  readonly #told: ReplyContext;
  /** The constant text before and after the delta of a chunk. */
  readonly #head: string;
  readonly #tail: string;
  #started = false;
  #finish: FinishReason | undefined;
  #usage: Usage | undefined;
  #details = 0;
  #images = 0;
  #hasText = false;
  /** Buffered so that it can be sent along with its signature. */
  #thinking = '';
  #hasArguments = false;
  /** A custom tool's input is part of its arguments, so they are buffered until complete. */
  #custom: string | undefined;

  constructor(context: ReplyContext) {
    this.#told = context;
    const { requestId, created, model, request } = context;
    const common = JSON.stringify({ id: completionId(requestId), object: 'chat.completion.chunk', created, model });
    this.#head = `data: ${common.slice(0, -1)},"choices":[`;
    this.#tail = request.includeUsage ? '],"usage":null}\n\n' : ']}\n\n';
  }

  event(event: ChatEvent): string {
    switch (event.type) {
      case 'start':
        return this.#start();
      case 'text':
        this.#hasText = true;
        return this.#delta({ content: event.text });
      case 'refusal':
        return this.#delta({ refusal: event.text });
      case 'thinking':
        this.#thinking += event.text;
        return this.#delta({ reasoning_content: event.text });
      case 'thinking_end':
        return this.#endThinking(event.signature);
      case 'image':
        return this.#image(dataUrl(event));
      case 'audio':
        return this.#delta({ audio: { ...soundShell(this.#told), data: event.base64, transcript: '' } });
      case 'tool_start':
        return this.#startCall(event);
      case 'tool_arguments':
        return this.#addArguments(event.index, event.json);
      case 'tool_end':
        return this.#endCall(event.index);
      case 'finish':
        this.#finish = event.reason;
        return '';
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'error':
        return '';
    }
  }

  #image(url: string): string {
    const images = [writeImage(url, this.#images++)];
    if (!this.#told.markdownImages) return this.#delta({ images });
    const content = `${this.#hasText ? '\n\n' : ''}${markdownImage(url)}`;
    this.#hasText = true;
    return this.#delta({ content, images });
  }

  heartbeat(): string {
    return ': keep-alive\n\n';
  }

  end(): string {
    if (this.#finish === undefined) return this.error(brokenStream);
    const reason = finishReason(this.#finish, this.#told.request);
    const usage =
      this.#told.request.includeUsage && this.#usage
        ? `${this.#head}],"usage":${JSON.stringify(writeOpenAiUsage(this.#usage))}}\n\n`
        : '';
    return `${this.#start()}${this.#chunk({}, reason)}${usage}data: [DONE]\n\n`;
  }

  error(error: DialectError): string {
    return `data: ${JSON.stringify(openAiErrorBody(error, this.#told.requestId))}\n\n`;
  }

  #start(): string {
    if (this.#started) return '';
    this.#started = true;
    return this.#chunk({ role: 'assistant', content: '' });
  }

  #delta(delta: Json): string {
    return this.#start() + this.#chunk(delta);
  }

  #chunk(delta: Json, finish?: string): string {
    const reason = finish === undefined ? 'null' : `"${finish}"`;
    return `${this.#head}{"index":0,"delta":${JSON.stringify(delta)},"logprobs":null,"finish_reason":${reason}}${this.#tail}`;
  }

  #endThinking(signature: Signature | undefined): string {
    const text = this.#thinking;
    this.#thinking = '';
    const detail = signature && detailOf(text, signature, this.#details);
    if (!detail) return '';
    this.#details++;
    return this.#delta({ reasoning_details: [detail] });
  }

  #startCall({ index, id, name, signature }: Extract<ChatEvent, { type: 'tool_start' }>): string {
    const { request } = this.#told;
    this.#hasArguments = false;
    if (request.legacyFunctions) return index === 0 ? this.#delta({ function_call: { name, arguments: '' } }) : '';
    if (isCustom(request, name)) {
      this.#custom = '';
      return this.#delta({ tool_calls: [{ index, id, type: 'custom', custom: { name, input: '' } }] });
    }
    const call = { index, id, type: 'function', function: { name, arguments: '' } };
    if (!signature) return this.#delta({ tool_calls: [call] });
    return this.#delta({
      tool_calls: [{ ...call, extra_content: googleExtra(signature) }],
      reasoning_details: [callDetail(id, signature, this.#details++)],
    });
  }

  #addArguments(index: number, json: string): string {
    this.#hasArguments = true;
    if (this.#told.request.legacyFunctions)
      return index === 0 ? this.#delta({ function_call: { arguments: json } }) : '';
    if (this.#custom === undefined) return this.#delta({ tool_calls: [{ index, function: { arguments: json } }] });
    this.#custom += json;
    return '';
  }

  #endCall(index: number): string {
    // Clients parse arguments, and an empty string is not JSON.
    if (!this.#hasArguments && this.#custom === undefined) return this.#addArguments(index, '{}');
    if (this.#custom === undefined) return '';
    const input = customInput(this.#custom);
    this.#custom = undefined;
    return this.#delta({ tool_calls: [{ index, custom: { input } }] });
  }
}

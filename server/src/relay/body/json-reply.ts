import { isObject } from '#json.ts';
import { contentOf } from '#chat/openai/read-openai-reply.ts';
import type { UsageFormat } from '#usage/usage-format.ts';

/** Facts read from a JSON reply that passes through. */
export interface ReplyFacts {
  usage: unknown;
  /** Undefined: not parsed. */
  json: unknown;
  finishReason: string | undefined;
  /** Message of an error with a success status. */
  error: string | undefined;
  /** Text of the reply, needed only when usage is missing or implausible. */
  text(): string;
  /** False: not JSON, or cut short. */
  isComplete: boolean;
}

/** Larger bodies (long embeddings) are only searched for their usage. */
export const PARSED_BYTES = 256 * 1024;

/** Whether a reply is JSON by its content type; a missing one counts as JSON. */
export const isJson = ({ contentType }: { contentType: string }): boolean =>
  contentType === '' || /json/i.test(contentType);

export function readReply(body: Buffer, format: UsageFormat, usageName = 'usage'): ReplyFacts {
  if (body.length > PARSED_BYTES) {
    const usage = usageIn(body, usageName);
    // Embeddings have no text to count.
    const text = () => (body.includes('"choices"') ? textOf(parseObject(body.toString('utf8'))) : '');
    const whole = endsWithBrace(body);
    return { usage, json: undefined, finishReason: undefined, error: undefined, text, isComplete: whole };
  }
  const json = parseObject(body.toString('utf8'));
  if (!json)
    return { usage: undefined, json, finishReason: undefined, error: undefined, text: () => '', isComplete: false };
  return {
    usage: format.find(json),
    json,
    finishReason: textIn(choicesOf(json)[0]?.finish_reason),
    error: errorIn(json),
    text: () => textOf(json),
    isComplete: true,
  };
}

interface ReplyChoice {
  finish_reason?: unknown;
  message?: {
    content?: unknown;
    reasoning_content?: unknown;
    reasoning?: unknown;
    refusal?: unknown;
    tool_calls?: unknown;
    function_call?: unknown;
  } | null;
  /** Legacy completions. */
  text?: unknown;
}

function choicesOf(json: Record<string, unknown>): ReplyChoice[] {
  const { choices } = json;
  return Array.isArray(choices)
    ? choices.filter((choice): choice is ReplyChoice => typeof choice === 'object' && choice !== null)
    : [];
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Content, reasoning and tool calls of all choices. */
function textOf(json: Record<string, unknown> | undefined): string {
  const texts = (json ? choicesOf(json) : []).map(({ message, text }) => [
    textIn(text),
    ...Object.values(contentOf(message?.content)),
    textIn(message?.reasoning_content) ?? textIn(message?.reasoning),
    textIn(message?.refusal),
    Array.isArray(message?.tool_calls) && message.tool_calls.length > 0 ? JSON.stringify(message.tool_calls) : '',
    message?.function_call && JSON.stringify(message.function_call),
  ]);
  return texts.flat().join('');
}

/** `error.message`, or `error` if it is a string; undefined: no error. */
export function errorIn(json: Record<string, unknown>): string | undefined {
  const { error } = json;
  if (typeof error === 'string' && error !== '') return error;
  if (!isObject(error)) return Array.isArray(error) ? 'error' : undefined;
  const { message } = error;
  return typeof message === 'string' && message !== '' ? message : 'error';
}

export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** The last `"usage": {…}` of a body. Quotes inside a text would be escaped, so it is a member. */
export function usageIn(body: Buffer, name = 'usage'): unknown {
  const member = `"${name}"`;
  for (let at = body.lastIndexOf(member); at >= 0; at = at === 0 ? -1 : body.lastIndexOf(member, at - 1)) {
    const tail = body.toString('utf8', at + member.length, Math.min(body.length, at + 4096));
    const open = /^\s*:\s*\{/.exec(tail)?.[0].length;
    if (open !== undefined) return objectAt(tail, open - 1);
  }
  return undefined;
}

/** The object at brace `open`. Usage contains no strings, so braces can be counted. */
function objectAt(text: string, open: number): unknown {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === '{') depth++;
    else if (text[i] === '}' && --depth === 0) return parseObject(text.slice(open, i + 1));
  }
  return undefined;
}

function endsWithBrace(body: Buffer): boolean {
  let last = body.length - 1;
  while (last > 0 && (body[last] ?? 0) <= 0x20) last--;
  return body[last] === 0x7d;
}

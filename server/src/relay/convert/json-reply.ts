import { contentOf } from '#chat/openai/read-openai-reply.ts';
import type { UsageFormat } from '#usage/usage-format.ts';

/** Reads what matters of a JSON answer whose bytes pass through, without parsing what does not. */
export interface ReplyFacts {
  usage: unknown;
  /** The whole of it; undefined where it was not parsed. */
  json: unknown;
  finishReason: string | undefined;
  /** The message of an error that came with a success status. */
  error: string | undefined;
  /** The text of the answer, asked for only when usage is missing, or contradicts it. */
  text(): string;
  /** False when the body is no JSON, or was cut short. */
  isComplete: boolean;
}

/** Bodies up to here are parsed; in larger ones (long embeddings) only the usage is looked for. */
export const PARSED_BYTES = 256 * 1024;

export function readReply(body: Buffer, format: UsageFormat, usageName = 'usage'): ReplyFacts {
  if (body.length > PARSED_BYTES) {
    const usage = usageIn(body, usageName);
    // Parsed only for its text. One of embeddings has no text to count.
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
  /** What a completion of old says. */
  text?: unknown;
}

function choicesOf(json: Record<string, unknown>): ReplyChoice[] {
  const { choices } = json;
  return Array.isArray(choices)
    ? choices.filter((choice): choice is ReplyChoice => typeof choice === 'object' && choice !== null)
    : [];
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** What the choices say: content, reasoning and tool calls. */
function textOf(json: Record<string, unknown> | undefined): string {
  const said = (json ? choicesOf(json) : []).map(({ message, text }) => [
    textIn(text),
    ...Object.values(contentOf(message?.content)),
    textIn(message?.reasoning_content) ?? textIn(message?.reasoning),
    textIn(message?.refusal),
    Array.isArray(message?.tool_calls) && message.tool_calls.length > 0 ? JSON.stringify(message.tool_calls) : '',
    message?.function_call && JSON.stringify(message.function_call),
  ]);
  return said.flat().join('');
}

/** `error.message`, or `error` itself where it is a text; undefined when there is none. */
export function errorIn(json: Record<string, unknown>): string | undefined {
  const { error } = json;
  if (typeof error === 'string' && error !== '') return error;
  if (typeof error !== 'object' || error === null) return undefined;
  const { message } = error as { message?: unknown };
  return typeof message === 'string' && message !== '' ? message : 'error';
}

export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null && !Array.isArray(json)
      ? (json as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The last `"usage": {…}` of a body. Inside of a text its quotes would be escaped, so it is a member. */
export function usageIn(body: Buffer, name = 'usage'): unknown {
  const member = `"${name}"`;
  for (let at = body.lastIndexOf(member); at >= 0; at = at === 0 ? -1 : body.lastIndexOf(member, at - 1)) {
    const tail = body.toString('utf8', at + member.length, Math.min(body.length, at + 4096));
    const open = /^\s*:\s*\{/.exec(tail)?.[0].length;
    if (open !== undefined) return objectAt(tail, open - 1);
  }
  return undefined;
}

/** The object whose brace opens at `open`. A usage holds no texts, so its braces can be counted. */
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
  while (last > 0 && body[last]! <= 0x20) last--;
  return body[last] === 0x7d;
}

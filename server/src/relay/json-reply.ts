/** Reads what matters of a JSON answer whose bytes pass through, without parsing what does not. */
export interface ReplyFacts {
  usage: unknown;
  finishReason: string | undefined;
  /** The message of an error that came with a success status. */
  error: string | undefined;
  /** The text of the answer, asked for only when usage is missing. */
  text(): string;
  /** False when the body is no JSON, or was cut short. */
  whole: boolean;
}

/** Bodies up to here are parsed; in larger ones (long embeddings) only the usage is looked for. */
const PARSED_BYTES = 256 * 1024;

export function readReply(body: Buffer): ReplyFacts {
  if (body.length > PARSED_BYTES) {
    const usage = usageIn(body);
    return { usage, finishReason: undefined, error: undefined, text: () => '', whole: endsWithBrace(body) };
  }
  const json = parseObject(body.toString('utf8'));
  if (!json) return { usage: undefined, finishReason: undefined, error: undefined, text: () => '', whole: false };
  const choices = Array.isArray(json['choices']) ? (json['choices'] as Choice[]) : [];
  return {
    usage: json['usage'],
    finishReason: choices[0]?.finish_reason ?? undefined,
    error: errorIn(json),
    text: () => choices.map(({ message }) => [message?.content, message?.reasoning_content, message?.tool_calls && JSON.stringify(message.tool_calls)].join('')).join(''),
    whole: true,
  };
}

interface Choice {
  finish_reason?: string | null;
  message?: { content?: unknown; reasoning_content?: unknown; tool_calls?: unknown };
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
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The last `"usage": {…}` of a body. Inside of a text its quotes would be escaped, so it is a member. */
function usageIn(body: Buffer): unknown {
  const at = body.lastIndexOf('"usage"');
  if (at < 0) return undefined;
  const tail = body.toString('utf8', at + 7, Math.min(body.length, at + 4096));
  const open = tail.indexOf('{');
  let depth = 0;
  for (let i = open; i >= 0 && i < tail.length; i++) {
    if (tail[i] === '{') depth++;
    else if (tail[i] === '}' && --depth === 0) return parseObject(tail.slice(open, i + 1));
  }
  return undefined;
}

function endsWithBrace(body: Buffer): boolean {
  let last = body.length - 1;
  while (last > 0 && body[last]! <= 0x20) last--;
  return body[last] === 0x7d;
}

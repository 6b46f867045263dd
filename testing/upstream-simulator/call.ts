import type { JsonObject } from './behaviour.ts';
import { refusal } from './errors.ts';
import type { SimulatedReply } from './reply.ts';
import { countWords } from './text.ts';

/** The parsed body of a request. */
export interface SimulatedCall {
  model: string;
  stream: boolean;
  /** Whether the caller requested a stream's usage. */
  includeUsage: boolean;
  /** Words of the messages or inputs. */
  promptTokens: number;
  body: JsonObject;
}

/** Parses a body with a model and `required`; returns a reply if it is invalid. */
export function readCall(text: string, required: string): SimulatedCall | SimulatedReply {
  return callOf(parseObject(text), required);
}

/** Like `readCall` for a form; of files only the size is kept. */
export function readFormCall(raw: Buffer, required: string): SimulatedCall | SimulatedReply {
  const body: JsonObject = {};
  const part = /name="([^"]*)"(; filename=)?[^]*?\r\n\r\n([^]*?)\r\n--/g;
  for (const [, name = '', file, value = ''] of raw.toString('latin1').matchAll(part)) {
    const text = Buffer.from(value, 'latin1').toString('utf8');
    body[name] = file ? value.length : name === 'stream' ? text === 'true' : text;
  }
  return callOf(body, required);
}

function callOf(body: JsonObject | undefined, required: string): SimulatedCall | SimulatedReply {
  if (!body) {
    return refusal(
      400,
      'We could not parse the JSON body of your request. The OpenAI API expects a JSON payload.',
      null,
    );
  }
  const { model, stream, stream_options: options } = body;
  if (typeof model !== 'string' || model === '') return refusal(400, 'you must provide a model parameter', null);
  if (body[required] === undefined) {
    return refusal(400, `Missing required parameter: '${required}'.`, 'missing_required_parameter', required);
  }
  if (options !== undefined && options !== null && stream !== true) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    return refusal(400, message, null, 'stream_options');
  }
  return {
    model,
    stream: stream === true,
    includeUsage: isObject(options) && options['include_usage'] === true,
    promptTokens: Math.max(1, wordsIn(body[required])),
    body,
  };
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Words in messages, parts or inputs; a number is one token. */
function wordsIn(value: unknown, depth = 0): number {
  if (typeof value === 'string') return countWords(value);
  if (typeof value === 'number') return 1;
  if (depth > 8) return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + wordsIn(item, depth + 1), 0);
  return isObject(value) ? wordsIn(value['content'] ?? value['text'], depth + 1) : 0;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import type { FilePart, ImagePart, Message, Part, Role, TextPart, ToolCallPart, ToolResultPart } from '../chat.ts';
import type { Fields } from '../fields.ts';
import { typeOfBase64 } from '../media-type.ts';
import { mimeOf } from '../sources.ts';
import { readSignature } from './gemini-signatures.ts';

/** Matches results to calls by function name in order, because Gemini's calls may have no ids. */
export class CallIds {
  readonly #waiting: { id: string; name: string }[] = [];
  #count = 0;

  called(given: string | undefined, name: string): string {
    const id = given || `call_${this.#count++}_${name.replaceAll(/[^\w-]/g, '_')}`.slice(0, 40);
    this.#waiting.push({ id, name });
    return id;
  }

  answered(given: string | undefined, name: string): string {
    const at = this.#waiting.findIndex((call) => (given ? call.id === given : call.name === name));
    const [call] = at < 0 ? [] : this.#waiting.splice(at, 1);
    return call?.id ?? given ?? name;
  }
}

/** The messages of a request; function results become separate messages before the user's other parts. */
export function readContents(request: Fields): Message[] {
  const list = request.oneOrMore('contents') ?? request.missing('contents');
  if (list.length === 0) request.fail('contents', 'a list with at least one content');
  const ids = new CallIds();
  const messages: Message[] = [];
  for (const message of list.flatMap((content) => readContent(content, ids))) {
    const last = messages.at(-1);
    // Google's clients keep a streamed answer as one content per chunk.
    if (last?.role === 'assistant' && message.role === 'assistant')
      last.parts = joined([...last.parts, ...message.parts]);
    else messages.push(message);
  }
  return messages;
}

function readContent(content: Fields, ids: CallIds): Message[] {
  const role: Role = content.oneOf('role', ['user', 'model', 'function']) === 'model' ? 'assistant' : 'user';
  const parts = readParts(content, ids);
  const results = parts.filter((part) => part.type === 'tool_result');
  if (results.length === 0) return [{ role, parts: role === 'assistant' ? joined(parts) : parts }];
  // For older models, a result's pictures are sent next to it.
  const rest = parts.filter((part) => part.type !== 'tool_result');
  return [{ role: 'tool', parts: results }, ...(rest.length > 0 ? [{ role, parts: rest }] : [])];
}

export const readParts = (content: Fields, ids: CallIds): Part[] =>
  (content.oneOrMore('parts') ?? []).flatMap((part) => readPart(part, ids) ?? []);

/** Merges consecutive text parts, and reasoning with a following signature. */
function joined(parts: readonly Part[]): Part[] {
  const whole: Part[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (part.type === 'text' && last?.type === 'text') last.text += part.text;
    else if (part.type === 'thinking' && last?.type === 'thinking' && !last.signature) {
      last.text += part.text;
      last.signature = part.signature;
    } else whole.push({ ...part });
  }
  return whole;
}

function readPart(part: Fields, ids: CallIds): Part | undefined {
  const signed = part.text('thoughtSignature');
  const signature = signed ? readSignature(signed) : undefined;
  const text = part.text('text');
  if (part.flag('thought')) return { type: 'thinking', text: text ?? '', signature };
  if (text !== undefined) return text === '' ? undefined : { type: 'text', text };
  const blob = part.object('inlineData');
  if (blob) return readBlob(blob.text('mimeType') ?? '', blob.needText('data'));
  const file = part.object('fileData');
  if (file) return readFile(file);
  const call = part.object('functionCall');
  if (call) return { ...readCall(call, ids), signature };
  const response = part.object('functionResponse');
  return response && readResult(response, ids); // otherwise code that Google ran
}

function readBlob(declared: string, base64: string, name?: string): Part {
  const mime = typeOfBase64(base64, declared);
  if (mime.startsWith('image/')) return { type: 'image', source: { mime, base64 } };
  if (mime.startsWith('audio/')) return { type: 'audio', mime, base64 };
  return { type: 'file', source: { mime, base64 }, mime, name };
}

function readFile(file: Fields): ImagePart | FilePart {
  const url = file.needText('fileUri');
  const mime = file.text('mimeType') ?? mimeOf(url);
  if (mime?.startsWith('image/')) return { type: 'image', source: { url } };
  return { type: 'file', source: { url }, mime, name: file.text('displayName') };
}

function readCall(call: Fields, ids: CallIds): ToolCallPart {
  const name = call.needText('name');
  const json = JSON.stringify(call.map('args') ?? {});
  return { type: 'tool_call', id: ids.called(call.text('id'), name), name, arguments: json };
}

function readResult(response: Fields, ids: CallIds): ToolResultPart {
  const name = response.needText('name');
  const result = response.map('response') ?? {};
  const isError = result['error'] !== undefined && result['output'] === undefined;
  const content: ToolResultPart['content'] = readResultText(result);
  for (const part of response.objects('parts') ?? []) {
    const blob = part.object('inlineData');
    const read = blob && readBlob(blob.text('mimeType') ?? '', blob.needText('data'), blob.text('displayName'));
    if (read?.type === 'image' || read?.type === 'file') content.push(read);
  }
  return {
    type: 'tool_result',
    id: ids.answered(response.text('id'), name),
    name,
    content,
    isError: isError || undefined,
  };
}

/** By convention the result is in `output` or `result`, an error in `error`. */
function readResultText(result: Record<string, unknown>): TextPart[] {
  const [key, ...others] = Object.keys(result);
  if (key === undefined) return [];
  const only = others.length === 0 && ['output', 'result', 'error'].includes(key) ? result[key] : result;
  return [{ type: 'text', text: typeof only === 'string' ? only : JSON.stringify(only ?? result) }];
}

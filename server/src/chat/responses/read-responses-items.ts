import type { FilePart, ImagePart, Message, Part, Role, ThinkingPart, ToolCallPart, ToolResultPart } from '../chat.ts';
import type { Json } from '#json.ts';
import type { Fields } from '../fields.ts';
import { readCacheMark } from '#chat/openai/read-openai-parts.ts';
import { unsealed } from '../signatures.ts';
import { typeOfBase64 } from '../media-type.ts';
import { mimeOf, ofItsType, pictureOf, sourceOf } from '../sources.ts';
import { customArguments } from '../tool-calls.ts';

/** Items of server-side tools and of the vendor's state. */
const hosted =
  /^(.+_call|.+_call_output|mcp_.+|compaction.*|program.*|tool_search.*|additional_tools|configuration_update)$/;

/** Whether an input item stands for one that is kept elsewhere. It may leave out its type: an id alone says it. */
export const isItemReference = ({ type, role, id }: Json): boolean =>
  type === 'item_reference' || (type == null && role == null && id != null);

/** The conversation in a request. */
interface ReadInput {
  messages: Message[];
  /** Path of the first item that the provider keeps; undefined: all items are complete. */
  referenceAt: string | undefined;
}

/** The input: a string or items; consecutive items of one role become one message. */
export function readInput(request: Fields, mayBeMissing: boolean): ReadInput {
  const input = request.any('input') ?? (mayBeMissing ? [] : request.missing('input'));
  if (typeof input === 'string')
    return { messages: [{ role: 'user', parts: [{ type: 'text', text: input }] }], referenceAt: undefined };
  const items = request.objects('input') ?? [];
  if (items.length === 0 && !mayBeMissing) request.fail('input', 'a text or a list with at least one item');
  const messages: Message[] = [];
  let referenceAt: string | undefined;
  for (const item of items) {
    if (isItemReference(item.json)) {
      item.needText('id');
      referenceAt ??= item.path;
      continue;
    }
    const read = readItem(item);
    const last = messages.at(-1);
    if (!read) continue;
    const joins = last?.role === read.role && (read.role === 'assistant' || read.role === 'tool');
    if (joins) last.parts.push(...read.parts);
    else messages.push(read);
  }
  return { messages, referenceAt };
}

function readItem(item: Fields): Message | undefined {
  const type = item.text('type') ?? 'message';
  switch (type) {
    case 'message': {
      const role: Role = item.oneOf('role', ['user', 'assistant', 'system', 'developer']) ?? item.missing('role');
      return { role, parts: readContent(item, 'content') };
    }
    case 'function_call':
      return { role: 'assistant', parts: [readCall(item, item.text('arguments') ?? '')] };
    case 'custom_tool_call':
      return { role: 'assistant', parts: [readCall(item, customArguments(item.text('input') ?? ''))] };
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { role: 'tool', parts: [readResult(item)] };
    case 'reasoning':
      return { role: 'assistant', parts: [readReasoning(item)] };
    default:
      return hosted.test(type) ? undefined : item.fail('type', 'a kind of item that is known here');
  }
}

const readCall = (item: Fields, json: string): ToolCallPart => ({
  type: 'tool_call',
  id: item.needText('call_id'),
  name: calledName(item),
  arguments: json,
});

/** The name of a tool in a group, for vendors without groups. */
export const joinedName = (group: string, name: string): string => `${group}${group.endsWith('__') ? '' : '__'}${name}`;

/** The name of a tool that may be in a group. */
export function calledName(item: Fields): string {
  const name = item.needText('name');
  const group = item.text('namespace');
  return group ? joinedName(group, name) : name;
}

function readResult(item: Fields): ToolResultPart {
  const content = readContent(item, 'output').filter(
    (part) => part.type === 'text' || part.type === 'image' || part.type === 'file',
  );
  return { type: 'tool_result', id: item.needText('call_id'), content };
}

function readReasoning(item: Fields): ThinkingPart {
  const summary = (item.objects('summary') ?? []).map((part) => part.text('text') ?? '');
  const content = (item.objects('content') ?? []).map((part) => part.text('text') ?? '');
  const text = (content.length > 0 ? content : summary).join('\n\n');
  const sealedText = item.text('encrypted_content');
  if (!sealedText) return { type: 'thinking', text };
  const signature = unsealed(sealedText, 'openai');
  // OpenAI accepts an encrypted item only with its original id.
  if (signature.kind !== 'openai' || signature.value.includes('.')) return { type: 'thinking', text, signature };
  const value = `${item.text('id') ?? ''}.${signature.value}`;
  return { type: 'thinking', text, signature: { kind: 'openai', value } };
}

function readContent(of: Fields, name: string): Part[] {
  const value = of.any(name);
  if (value === undefined || value === '') return [];
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  if (!Array.isArray(value)) return of.fail(name, 'a text or a list of parts');
  return (of.objects(name) ?? []).map(readPart);
}

function readPart(part: Fields): Part {
  switch (part.needText('type')) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { type: 'text', text: part.text('text') ?? part.missing('text'), cache: readCacheMark(part) };
    case 'refusal':
      return { type: 'refusal', text: part.text('refusal') ?? '' };
    case 'input_image':
      return readImage(part);
    case 'input_file':
      return readFile(part);
    case 'input_audio': {
      const audio = part.object('input_audio') ?? part.missing('input_audio');
      const base64 = audio.needText('data');
      return { type: 'audio', mime: typeOfBase64(base64, `audio/${audio.text('format') ?? 'wav'}`), base64 };
    }
    default:
      return part.fail('type', 'one of input_text, input_image, input_file, output_text, refusal');
  }
}

function readImage(part: Fields): ImagePart | FilePart {
  const url = part.text('image_url');
  const source = url ? sourceOf(url, 'image/png') : { fileId: part.needText('file_id') };
  return pictureOf(source, { detail: part.text('detail'), cache: readCacheMark(part) });
}

function readFile(part: Fields): FilePart {
  const name = part.text('filename');
  const cache = readCacheMark(part);
  const fileId = part.text('file_id');
  if (fileId) return { type: 'file', source: { fileId }, name, cache };
  const url = part.text('file_url');
  if (url) return { type: 'file', source: { url }, name, mime: mimeOf(url) ?? 'application/pdf', cache };
  const mime = (name && mimeOf(name)) ?? 'application/pdf';
  const data = part.needText('file_data');
  const source = ofItsType(data.startsWith('data:') ? sourceOf(data, mime) : { mime, base64: data });
  return { type: 'file', source, name, mime: 'mime' in source ? source.mime : mime, cache };
}

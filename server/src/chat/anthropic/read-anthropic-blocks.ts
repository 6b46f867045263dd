import type { CacheMark, FilePart, ImagePart, Message, Part, ByteSource, TextPart, ToolResultPart } from '../chat.ts';
import { type Fields, lookUp } from '../fields.ts';
import { unsealed } from '../signatures.ts';
import { mimeOf, ofItsType, pictureOf } from '../sources.ts';

/** Blocks of server-side tools, which have no equivalent at other vendors. */
const hosted =
  /^(server_tool_use|mcp_tool_use|container_upload|compaction|fallback|browser_state|tool_reference|.+_tool_result)$/;

/** The blocks of a message or a tool result. A string is one text block. */
export function readBlocks(of: Fields, name: string): Part[] {
  const content = of.any(name);
  if (content === undefined || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return of.fail(name, 'a text or a list of blocks');
  return (of.objects(name) ?? []).flatMap(readBlock);
}

function readBlock(block: Fields): Part[] {
  const type = block.needText('type');
  const read = lookUp(readers, type);
  if (read) return read(block);
  return hosted.test(type) ? [] : block.fail('type', `one of ${Object.keys(readers).join(', ')}`);
}

const readers: Record<string, (block: Fields) => Part[]> = {
  text: (block) => [{ type: 'text', text: block.text('text') ?? block.missing('text'), cache: readMark(block) }],
  image: (block) => [readImage(block)],
  document: (block) => [readDocument(block)],
  search_result: (block) => readSearchResult(block),
  tool_use: (block) => [
    {
      type: 'tool_call',
      id: block.needText('id'),
      name: block.needText('name'),
      arguments: JSON.stringify(block.any('input') ?? {}),
      cache: readMark(block),
    },
  ],
  tool_result: (block) => [readResult(block)],
  thinking: (block) => {
    const signature = block.text('signature');
    const text = block.text('thinking') ?? '';
    return [{ type: 'thinking', text, signature: signature ? unsealed(signature, 'anthropic') : undefined }];
  },
  redacted_thinking: (block) => [
    { type: 'thinking', text: '', signature: { kind: 'anthropic-redacted', value: block.needText('data') } },
  ],
};

export function readMark(of: Fields): CacheMark | undefined {
  const mark = of.object('cache_control');
  return mark && { ttl: mark.text('ttl') };
}

function readSource(source: Fields): ByteSource {
  const type = source.needText('type');
  if (type === 'url') return { url: source.needText('url') };
  if (type === 'file') return { fileId: source.needText('file_id') };
  if (type !== 'base64') return source.fail('type', 'one of base64, url, file');
  return { mime: source.needText('media_type'), base64: source.needText('data') };
}

function readImage(block: Fields): ImagePart | FilePart {
  const source = block.object('source') ?? block.missing('source');
  return pictureOf(readSource(source), { cache: readMark(block) });
}

function readDocument(block: Fields): FilePart {
  const source = block.object('source') ?? block.missing('source');
  const name = block.text('title');
  const type = source.text('type');
  const cache = readMark(block);
  if (type === 'text')
    return { type: 'file', source: { text: source.needText('data') }, name, mime: 'text/plain', cache };
  if (type === 'content') return { type: 'file', source: { text: textsIn(source, 'content') }, name, cache };
  const read = ofItsType(readSource(source));
  const mime = 'mime' in read ? read.mime : ('url' in read && mimeOf(read.url)) || 'application/pdf';
  return { type: 'file', source: read, name, mime, cache };
}

const textsIn = (of: Fields, name: string): string =>
  readBlocks(of, name)
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('\n');

function readSearchResult(block: Fields): TextPart[] {
  const text = [block.text('title'), block.text('source'), textsIn(block, 'content')].filter(Boolean).join('\n');
  return [{ type: 'text', text, cache: readMark(block) }];
}

function readResult(block: Fields): ToolResultPart {
  const content = readBlocks(block, 'content').filter(
    (part) => part.type === 'text' || part.type === 'image' || part.type === 'file',
  );
  const id = block.needText('tool_use_id');
  return { type: 'tool_result', id, content, isError: block.flag('is_error'), cache: readMark(block) };
}

/** The messages; tool results become separate messages before the user's other parts. */
export function readMessages(request: Fields): Message[] {
  const list = request.objects('messages') ?? request.missing('messages');
  if (list.length === 0) request.fail('messages', 'a list with at least one message');
  return list.flatMap((message): Message[] => {
    const role = message.oneOf('role', ['user', 'assistant', 'system']) ?? message.missing('role');
    if (!message.has('content')) message.missing('content');
    const parts = readBlocks(message, 'content');
    const results = parts.filter((part) => part.type === 'tool_result');
    if (results.length === 0) return [{ role, parts }];
    const rest = parts.filter((part) => part.type !== 'tool_result');
    return [{ role: 'tool', parts: results }, ...(rest.length > 0 ? [{ role, parts: rest }] : [])];
  });
}

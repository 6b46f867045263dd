import type { Json } from '#json.ts';
import type { CacheMark, FilePart, ImagePart, Part, ByteSource, ToolCallPart, ToolResultPart } from '../chat.ts';
import { BadChatRequest } from '../chat-errors.ts';
import { argumentsObject, claudeCallIds, fittingId } from '../tool-calls.ts';

/** Cache marks last five minutes by default; any longer duration becomes one hour. */
const writeMark = (mark: CacheMark | undefined): Json =>
  mark
    ? {
        cache_control: {
          type: 'ephemeral',
          ...(mark.ttl && mark.ttl !== '5m' && mark.ttl !== 'in_memory' && { ttl: '1h' }),
        },
      }
    : {};

export const toolMark = writeMark;

/** Blank texts are refused. */
const writeText = (text: string, cache?: CacheMark): Json[] =>
  text.trim() === '' ? [] : [{ type: 'text', text, ...writeMark(cache) }];

/** The blocks of one part; none if Anthropic has no equivalent. */
export function writeBlocks(part: Part): Json[] {
  switch (part.type) {
    case 'text':
      return writeText(part.text, part.cache);
    case 'refusal':
      return writeText(part.text);
    case 'image':
      return [writeImage(part)];
    case 'file':
      return writeFile(part);
    case 'audio':
      throw new BadChatRequest('The model behind this name takes no sound.', 'messages');
    case 'thinking':
      return writeThinking(part);
    case 'tool_call':
      return [writeCall(part)];
    case 'tool_result':
      return [writeResult(part)];
  }
}

/** For assistant messages, which cannot contain pictures. */
export const writeAnswerBlocks = (part: Part): Json[] => (part.type === 'image' ? [] : writeBlocks(part));

/** Only Claude's own signatures can be sent back; others are refused as altered. */
function writeThinking({ text, signature }: Extract<Part, { type: 'thinking' }>): Json[] {
  if (signature?.kind === 'anthropic') return [{ type: 'thinking', thinking: text, signature: signature.value }];
  if (signature?.kind === 'anthropic-redacted') return [{ type: 'redacted_thinking', data: signature.value }];
  return [];
}

function writeSource(source: ByteSource): Json {
  if ('url' in source) return { type: 'url', url: source.url };
  if ('fileId' in source) return { type: 'file', file_id: source.fileId };
  return { type: 'base64', media_type: source.mime, data: source.base64 };
}

const writeImage = ({ source, cache }: ImagePart): Json => ({
  type: 'image',
  source: writeSource(source),
  ...writeMark(cache),
});

function writeFile({ source, name, mime, cache }: FilePart): Json[] {
  const more = { ...(name && { title: name }), ...writeMark(cache) };
  if ('text' in source)
    return [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: source.text }, ...more }];
  if ('base64' in source) {
    const type = mime ?? source.mime;
    if (type.startsWith('image/')) return [{ type: 'image', source: writeSource(source), ...writeMark(cache) }];
    if (/^text\/|json|xml/.test(type)) {
      const data = Buffer.from(source.base64, 'base64').toString('utf8');
      return [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data }, ...more }];
    }
    if (type !== 'application/pdf')
      throw new BadChatRequest(`The model behind this name takes no files of the type ${type}.`, 'messages');
  }
  return [{ type: 'document', source: writeSource(source), ...more }];
}

const claudeId = (id: string): string => fittingId(id, claudeCallIds);

const writeCall = ({ id, name, arguments: json, cache }: ToolCallPart): Json => ({
  type: 'tool_use',
  id: claudeId(id),
  name,
  input: argumentsObject(json),
  ...writeMark(cache),
});

function writeResult({ id, content, isError, cache }: ToolResultPart): Json {
  const blocks = content.flatMap(writeBlocks);
  return {
    type: 'tool_result',
    tool_use_id: claudeId(id),
    ...(blocks.length > 0 && { content: blocks }),
    ...(isError && { is_error: true }),
    ...writeMark(cache),
  };
}

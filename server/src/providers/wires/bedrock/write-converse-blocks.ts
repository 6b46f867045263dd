import type { Json } from '#json.ts';
import type { AudioPart, CacheMark, FilePart, ImagePart, Part, ToolCallPart, ToolResultPart } from '#chat/chat.ts';
import { BadChatRequest } from '#chat/chat-errors.ts';
import { lookup } from '#providers/lookup.ts';
import { argumentsObject, fittingId } from '#chat/tool-calls.ts';

/** A cache mark is a separate block behind the marked one. */
export const cachePoint = (mark: CacheMark | undefined): Json[] =>
  mark ? [{ cachePoint: { type: 'default', ...(/^(1h|30m|24h)$/.test(mark.ttl ?? '') && { ttl: '1h' }) } }] : [];

/** Blank texts are refused. */
const writeText = (text: string): Json[] => (text.trim() === '' ? [] : [{ text }]);

/** The blocks of one part; none if Converse has no equivalent. */
export function writeBlocks(part: Part): Json[] {
  switch (part.type) {
    case 'text':
      return [...writeText(part.text), ...(part.text.trim() === '' ? [] : cachePoint(part.cache))];
    case 'refusal':
      return writeText(part.text);
    case 'image':
      return [writeImage(part), ...cachePoint(part.cache)];
    case 'audio':
      return [writeAudio(part), ...cachePoint(part.cache)];
    case 'file':
      return [writeFile(part), ...cachePoint(part.cache)];
    case 'thinking':
      return writeThinking(part);
    case 'tool_call':
      return [writeCall(part), ...cachePoint(part.cache)];
    case 'tool_result':
      return [writeResult(part), ...cachePoint(part.cache)];
  }
}

/** For assistant messages, which cannot contain pictures. */
export const writeAnswerBlocks = (part: Part): Json[] => (part.type === 'image' ? [] : writeBlocks(part));

function writeThinking({ text, signature }: Extract<Part, { type: 'thinking' }>): Json[] {
  if (signature?.kind === 'anthropic')
    return [{ reasoningContent: { reasoningText: { text, signature: signature.value } } }];
  if (signature?.kind === 'anthropic-redacted') return [{ reasoningContent: { redactedContent: signature.value } }];
  return [];
}

/** Bytes, or an S3 object. */
function writeSource(source: ImagePart['source']): Json {
  if ('base64' in source) return { bytes: source.base64 };
  if ('url' in source && source.url.startsWith('s3://')) return { s3Location: { uri: source.url } };
  throw new BadChatRequest('The model behind this name takes files as bytes only.', 'messages');
}

const mimeIn = (source: ImagePart['source'], declared: string | undefined): string =>
  declared ?? ('mime' in source ? source.mime : 'url' in source ? typeByEnd(source.url) : '');

const typeByEnd = (url: string): string => `application/${/\.(\w+)$/.exec(url)?.[1]?.toLowerCase() ?? ''}`;

const images = ['png', 'jpeg', 'gif', 'webp'];
const videos = ['mp4', 'mov', 'mkv', 'webm', 'flv', 'mpeg', 'mpg', 'wmv'];
const documentFormat = lookup({
  pdf: 'pdf',
  csv: 'csv',
  html: 'html',
  plain: 'txt',
  txt: 'txt',
  json: 'txt',
  xml: 'txt',
  markdown: 'md',
  md: 'md',
  msword: 'doc',
  doc: 'doc',
  docx: 'docx',
  'vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'vnd.ms-excel': 'xls',
  xls: 'xls',
  xlsx: 'xlsx',
  'vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
});

const subtypeOf = (mime: string): string =>
  (mime.split(/[/;]/)[1] ?? '').trim().toLowerCase().replace('jpg', 'jpeg').replace('quicktime', 'mov');

function writeImage({ source }: ImagePart): Json {
  const format = subtypeOf(mimeIn(source, undefined));
  if (!images.includes(format))
    throw new BadChatRequest(`The model behind this name takes no pictures of the type '${format}'.`, 'messages');
  return { image: { format, source: writeSource(source) } };
}

const writeAudio = ({ mime, base64 }: AudioPart): Json => ({
  audio: { format: subtypeOf(mime).replace(/^x-/, ''), source: { bytes: base64 } },
});

function writeFile({ source, name, mime }: FilePart): Json {
  if ('text' in source) return documentOf('txt', name, { bytes: Buffer.from(source.text).toString('base64') });
  const subtype = subtypeOf(mimeIn(source, mime));
  if (images.includes(subtype)) return { image: { format: subtype, source: writeSource(source) } };
  if (videos.includes(subtype)) return { video: { format: subtype, source: writeSource(source) } };
  const format = documentFormat(subtype);
  if (format === undefined)
    throw new BadChatRequest(`The model behind this name takes no files of the type '${subtype}'.`, 'messages');
  return documentOf(format, name, writeSource(source));
}

/** Document names allow few characters and no consecutive spaces. */
function documentOf(format: string, name: string | undefined, source: Json): Json {
  const fitting = (name ?? 'document')
    .replace(/\.\w+$/, '')
    .replace(/[^a-zA-Z0-9\s\-()[\]]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return { document: { format, name: fitting.slice(0, 200) || 'document', source } };
}

const converseId = (id: string): string => fittingId(id, /^[a-zA-Z0-9_-]{1,64}$/);

const writeCall = ({ id, name, arguments: json }: ToolCallPart): Json => ({
  toolUse: { toolUseId: converseId(id), name, input: argumentsObject(json) },
});

/** Results must have content. */
function writeResult({ id, content, isError }: ToolResultPart): Json {
  const blocks = content.flatMap((part) => writeBlocks({ ...part, cache: undefined }));
  return {
    toolResult: {
      toolUseId: converseId(id),
      content: blocks.length > 0 ? blocks : [{ text: '(no output)' }],
      ...(isError && { status: 'error' }),
    },
  };
}

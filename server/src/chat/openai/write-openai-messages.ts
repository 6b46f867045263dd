import type { Json } from '#json.ts';
import type { ChatRequest, FilePart, ImagePart, Message, Part, ToolCallPart, ToolResultPart } from '../chat.ts';
import { BadChatRequest } from '../chat-errors.ts';
import { dataUrl } from '../sources.ts';
import { fittingId, openAiCallIds } from '../tool-calls.ts';
import { detailsOf, googleExtra, type ReasoningField } from './openai-reasoning.ts';

export interface MessageOptions {
  /** Field for all earlier reasoning; absent: each returns in the field in which it came, but not to OpenAI's models. */
  reasoningAs?: ReasoningField | 'reasoning_details' | 'none' | undefined;
  /** The vendor refuses other fields of reasoning. */
  onlyReasoningIn?: ReasoningField | undefined;
  /** Calls without reasoning need the field nevertheless. */
  needsReasoning?: boolean | undefined;
  /** Google's OpenAI-compatible API accepts call signatures. */
  googleSignatures?: boolean | undefined;
  /** Anthropic's cache marks are supported. */
  cacheControl?: boolean | undefined;
  /** Converts call ids to the vendor's format. */
  toolId?: ((id: string) => string) | undefined;
}

const openAiId = (id: string): string => fittingId(id, openAiCallIds);

export function writeMessages({ messages }: ChatRequest, options: MessageOptions): Json[] {
  const toolId = options.toolId ?? openAiId;
  return messages.flatMap((message) => {
    if (message.role === 'tool') return writeResults(message.parts, toolId);
    if (message.role === 'assistant') return [writeAssistant(message, options, toolId)];
    // Only OpenAI distinguishes them, and it accepts `system` everywhere.
    const role = message.role === 'developer' ? 'system' : message.role;
    return [{ role, content: writeContent(message.parts, options), name: message.name }];
  });
}

/** A string where possible, since not every vendor accepts lists. */
function writeContent(parts: readonly Part[], options: MessageOptions, separator = '\n'): string | Json[] {
  const marked = options.cacheControl === true && parts.some((part) => 'cache' in part && part.cache);
  if (!marked && parts.every((part) => part.type === 'text')) return parts.map((part) => part.text).join(separator);
  return parts.flatMap((part) => writePart(part, options));
}

function writePart(part: Part, { cacheControl }: MessageOptions): Json[] {
  switch (part.type) {
    case 'text': {
      const mark = cacheControl && part.cache ? { cache_control: { type: 'ephemeral', ...part.cache } } : {};
      return [{ type: 'text', text: part.text, ...mark }];
    }
    case 'image':
      return [writeImage(part)];
    case 'audio':
      return [{ type: 'input_audio', input_audio: { data: part.base64, format: audioFormat(part.mime) } }];
    case 'file':
      return [writeFile(part)];
    default:
      return [];
  }
}

const audioFormat = (mime: string): string => mime.replace(/^audio\/(x-)?/, '').replace('mpeg', 'mp3');

function writeImage({ source, detail }: ImagePart): Json {
  if ('fileId' in source) throw new BadChatRequest('A picture cannot be given by a file id here.', 'messages');
  return { type: 'image_url', image_url: { url: 'url' in source ? source.url : dataUrl(source), detail } };
}

function writeFile({ source, name, mime }: FilePart): Json {
  if ('text' in source) return { type: 'text', text: source.text };
  if ('fileId' in source) return { type: 'file', file: { file_id: source.fileId } };
  if ('url' in source) throw new BadChatRequest('A file cannot be given by its address here.', 'messages');
  if (source.mime.startsWith('video/')) return { type: 'video_url', video_url: { url: dataUrl(source) } };
  const file_data = dataUrl({ mime: mime ?? source.mime, base64: source.base64 });
  return { type: 'file', file: { filename: name ?? 'file.pdf', file_data } };
}

function writeAssistant({ parts, name }: Message, options: MessageOptions, toolId: (id: string) => string): Json {
  const calls = parts.filter((part) => part.type === 'tool_call');
  const texts = parts.filter((part) => part.type === 'text');
  const refusal = parts.filter((part) => part.type === 'refusal').map((part) => part.text);
  const content = texts.length > 0 ? writeContent(texts, options, '') : '';
  const { content: thinking, ...reasoning } = writeReasoning(parts, options);
  return {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    refusal: refusal.length > 0 ? refusal.join('') : undefined,
    ...(thinking !== undefined && { content: [thinkingPiece(thinking), ...asPieces(content)] }),
    ...reasoning,
    tool_calls: calls.length > 0 ? calls.map((call) => writeCall(call, toolId, options.googleSignatures)) : undefined,
    name,
  };
}

/** Earlier reasoning by field. */
function writeReasoning(parts: readonly Part[], options: MessageOptions): Json {
  const { reasoningAs, onlyReasoningIn, needsReasoning } = options;
  const thinking = parts.filter((part) => part.type === 'thinking');
  const text = thinking.map((part) => part.text).join('');
  if (reasoningAs === 'reasoning_details') {
    const details = detailsOf(parts);
    return { reasoning: text === '' ? undefined : text, reasoning_details: details.length > 0 ? details : undefined };
  }
  const written: Record<string, string> = {};
  for (const { text: piece, signature } of thinking) {
    const field = reasoningAs ?? (signature?.kind === 'chat' ? signature.value : undefined);
    if (onlyReasoningIn !== undefined && field !== onlyReasoningIn) continue;
    if (isReasoningField(field) && piece !== '') written[field] = (written[field] ?? '') + piece;
  }
  const calls = parts.some((part) => part.type === 'tool_call');
  return needsReasoning && calls && Object.keys(written).length === 0 ? { reasoning_content: '' } : written;
}

/** Signatures come back from callers, who may have altered them. */
const isReasoningField = (field: string | undefined): field is ReasoningField =>
  field === 'reasoning_content' || field === 'reasoning' || field === 'content';

/** https://docs.mistral.ai/capabilities/reasoning */
const thinkingPiece = (text: unknown): Json => ({ type: 'thinking', thinking: [{ type: 'text', text }] });

const asPieces = (content: string | Json[]): Json[] =>
  typeof content !== 'string' ? content : content === '' ? [] : [{ type: 'text', text: content }];

const writeCall = (call: ToolCallPart, toolId: (id: string) => string, signed: boolean | undefined): Json => ({
  id: toolId(call.id),
  type: 'function',
  function: { name: call.name, arguments: call.arguments === '' ? '{}' : call.arguments },
  extra_content: signed && call.signature && googleExtra(call.signature),
});

/** Results are strings; pictures follow in a user message. */
function writeResults(parts: readonly Part[], toolId: (id: string) => string): Json[] {
  const results = parts.filter((part) => part.type === 'tool_result');
  const pictures = results.flatMap(picturesOf);
  return [
    ...results.map((result) => ({ role: 'tool', tool_call_id: toolId(result.id), content: resultText(result) })),
    ...(pictures.length > 0 ? [{ role: 'user', content: pictures }] : []),
  ];
}

const resultText = ({ content }: ToolResultPart): string =>
  content
    .flatMap((part) => {
      if (part.type === 'text') return [part.text];
      return part.type === 'file' && 'text' in part.source ? [part.source.text] : [];
    })
    .join('\n');

function picturesOf({ id, name, content }: ToolResultPart): Json[] {
  const found = content.filter((part) => part.type === 'image' || (part.type === 'file' && !('text' in part.source)));
  if (found.length === 0) return [];
  return [{ type: 'text', text: `Result of ${name ?? id}:` }, ...found.flatMap((part) => writePart(part, {}))];
}

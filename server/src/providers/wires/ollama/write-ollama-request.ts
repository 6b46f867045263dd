import type { Json } from '#json.ts';
import type { ChatRequest, FilePart, ImagePart, Message, Part, Reasoning, ToolResultPart } from '#chat/chat.ts';
import { BadChatRequest } from '#chat/chat-errors.ts';
import type { WireOptions } from '#chat/codec.ts';
import { offeredTools, refuseChoices } from '#chat/offered-tools.ts';
import { effortOf } from '#chat/reasoning.ts';
import { argumentsObject } from '#chat/tool-calls.ts';

/** Throws `BadChatRequest`. https://docs.ollama.com/api/chat */
export function writeOllamaRequest(request: ChatRequest, { model }: WireOptions): Json {
  refuseChoices(request);
  const names = namesOfCalls(request.messages);
  const options = writeOptions(request);
  return {
    model,
    messages: request.messages.flatMap((message) => writeMessage(message, names)),
    ...writeTools(request),
    ...writeFormat(request),
    ...writeThink(request.reasoning, model),
    ...(Object.keys(options).length > 0 && { options }),
    // The default is a stream.
    stream: request.stream,
  };
}

function writeOptions(request: ChatRequest): Json {
  const { maxOutput, temperature, topP, topK, seed, frequencyPenalty, presencePenalty, stop } = request;
  return {
    ...(maxOutput !== undefined && { num_predict: maxOutput }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
    ...(seed !== undefined && { seed }),
    ...(frequencyPenalty !== undefined && { frequency_penalty: frequencyPenalty }),
    ...(presencePenalty !== undefined && { presence_penalty: presencePenalty }),
    ...(stop.length > 0 && { stop }),
  };
}

/** Tool choice is not supported. */
function writeTools(request: ChatRequest): Json {
  const { tools, mode } = offeredTools(request);
  if (tools.length === 0 || mode === 'none') return {};
  return {
    tools: tools.map(({ name, description, schema }) => ({
      type: 'function',
      function: { name, description: description ?? '', parameters: schema ?? { type: 'object', properties: {} } },
    })),
  };
}

function writeFormat({ format }: ChatRequest): Json {
  if (!format || format.type === 'text') return {};
  return { format: format.type === 'json_schema' ? format.schema : 'json' };
}

/** Only one family knows levels; models without reasoning refuse the field. */
function writeThink(reasoning: Reasoning | undefined, model: string): Json {
  const effort = reasoning && effortOf(reasoning);
  if (effort === undefined) return reasoning?.dynamic ? { think: true } : {};
  if (effort === 'none') return model.includes('gpt-oss') ? {} : { think: false };
  if (!model.includes('gpt-oss')) return { think: true };
  return { think: effort === 'minimal' || effort === 'low' ? 'low' : effort === 'medium' ? 'medium' : 'high' };
}

/** Results refer to calls by tool name. */
const namesOfCalls = (messages: readonly Message[]): ReadonlyMap<string, string> =>
  new Map(
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'tool_call' ? [[part.id, part.name] as const] : [])),
    ),
  );

function writeMessage({ role, parts }: Message, names: ReadonlyMap<string, string>): Json[] {
  if (role === 'tool')
    return parts.filter((part) => part.type === 'tool_result').flatMap((one) => writeResult(one, names));
  const content = parts.map(textIn).filter(Boolean).join('\n');
  const images = role === 'assistant' ? [] : parts.flatMap(imagesIn);
  const calls = parts.filter((part) => part.type === 'tool_call');
  const thinking = parts.map((part) => (part.type === 'thinking' ? part.text : '')).join('');
  if (content === '' && images.length === 0 && calls.length === 0) return [];
  return [
    {
      role: role === 'developer' ? 'system' : role,
      content,
      ...(images.length > 0 && { images }),
      ...(calls.length > 0 && thinking !== '' && { thinking }),
      ...(calls.length > 0 && {
        tool_calls: calls.map(({ id, name, arguments: json }) => ({
          id,
          function: { name, arguments: argumentsObject(json) },
        })),
      }),
    },
  ];
}

function textIn(part: Part): string {
  if (part.type === 'text' || part.type === 'refusal') return part.text;
  return part.type === 'file' && 'text' in part.source ? part.source.text : '';
}

function imagesIn(part: Part): string[] {
  if (part.type === 'image') return [bytesOf(part)];
  if (part.type === 'audio') throw new BadChatRequest('The model behind this name takes no sound.', 'messages');
  if (part.type !== 'file' || 'text' in part.source) return [];
  if ('mime' in part.source && part.source.mime.startsWith('image/')) return [bytesOf(part)];
  throw new BadChatRequest('The model behind this name takes no files but pictures.', 'messages');
}

function bytesOf({ source }: ImagePart | FilePart): string {
  if ('base64' in source) return source.base64;
  throw new BadChatRequest('The model behind this name takes pictures as bytes only.', 'messages');
}

/** A result's pictures go into a following user message. */
function writeResult(result: ToolResultPart, names: ReadonlyMap<string, string>): Json[] {
  const { id, content } = result;
  const name = result.name ?? names.get(id);
  const images = content.flatMap(imagesIn);
  return [
    {
      role: 'tool',
      content: content.map(textIn).filter(Boolean).join('\n'),
      ...(name !== undefined && { tool_name: name }),
      tool_call_id: id,
    },
    ...(images.length > 0 ? [{ role: 'user', content: `Result of ${name ?? id}:`, images }] : []),
  ];
}

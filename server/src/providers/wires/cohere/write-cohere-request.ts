import type { Json } from '#json.ts';
import type { ChatRequest, ImagePart, Message, Part, Reasoning, ToolResultPart } from '#chat/chat.ts';
import { BadChatRequest } from '#chat/chat-errors.ts';
import type { WireOptions } from '#chat/codec.ts';
import { offeredTools, refuseChoices } from '#chat/offered-tools.ts';
import { budgetOf, effortOf } from '#chat/reasoning.ts';
import { dataUrl } from '#chat/sources.ts';

/** More stop sequences are refused. */
const MOST_STOPS = 5;

/** Writes a request of Cohere v2. Throws `BadChatRequest`. https://docs.cohere.com/reference/chat */
export function writeCohereRequest(request: ChatRequest, { model }: WireOptions): Json {
  refuseChoices(request);
  const { maxOutput, temperature, topP, topK, seed, frequencyPenalty, presencePenalty, stop } = request;
  return {
    model,
    messages: request.messages.flatMap(writeMessage),
    ...writeTools(request),
    ...(maxOutput !== undefined && { max_tokens: maxOutput }),
    // Other vendors' range goes to 2.
    ...(temperature !== undefined && { temperature: Math.min(temperature, 1) }),
    ...(topP !== undefined && { p: Math.min(0.99, Math.max(0.01, topP)) }),
    ...(topK !== undefined && { k: Math.min(500, topK) }),
    ...(seed !== undefined && { seed }),
    ...(frequencyPenalty !== undefined && { frequency_penalty: unit(frequencyPenalty) }),
    ...(presencePenalty !== undefined && { presence_penalty: unit(presencePenalty) }),
    ...(stop.length > 0 && { stop_sequences: stop.slice(0, MOST_STOPS) }),
    ...writeFormat(request),
    ...writeThinking(request.reasoning, model),
    stream: request.stream,
  };
}

const unit = (value: number): number => Math.min(1, Math.max(0, value));

function writeTools(request: ChatRequest): Json {
  const { tools, mode } = offeredTools(request);
  if (tools.length === 0) return {};
  const choice = mode === 'required' ? 'REQUIRED' : mode === 'none' ? 'NONE' : undefined;
  return {
    tools: tools.map(({ name, description, schema }) => ({
      type: 'function',
      function: {
        name,
        ...(description !== undefined && { description }),
        parameters: schema ?? { type: 'object', properties: {} },
      },
    })),
    ...(choice && { tool_choice: choice }),
    ...(tools.every(({ strict }) => strict === true) && { strict_tools: true }),
  };
}

/** Refused together with tools. */
function writeFormat({ format, tools }: ChatRequest): Json {
  if (!format || format.type === 'text' || tools.length > 0) return {};
  const schema = format.type === 'json_schema' ? { json_schema: format.schema } : {};
  return { response_format: { type: 'json_object', ...schema } };
}

function writeThinking(reasoning: Reasoning | undefined, model: string): Json {
  if (!reasoning || !model.includes('reasoning')) return {};
  const effort = effortOf(reasoning);
  if (effort === 'none') return { thinking: { type: 'disabled' } };
  const budget = reasoning.budget ?? (reasoning.effort && budgetOf(reasoning.effort));
  return { thinking: { type: 'enabled', ...(budget !== undefined && { token_budget: budget }) } };
}

function writeMessage({ role, parts }: Message): Json[] {
  if (role === 'tool') return parts.filter((part) => part.type === 'tool_result').map(writeResult);
  if (role === 'assistant') return writeAssistant(parts);
  const content = writeContent(parts);
  if (content.length === 0) return [];
  return [{ role: role === 'developer' ? 'system' : role, content }];
}

/** A single string where possible. */
function writeContent(parts: readonly Part[]): string | Json[] {
  if (parts.every((part) => part.type === 'text')) return parts.map((part) => part.text).join('\n');
  return parts.flatMap(writePart);
}

function writePart(part: Part): Json[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
  if (part.type === 'image') return [writeImage(part)];
  if (part.type === 'file' && 'text' in part.source) return [{ type: 'text', text: part.source.text }];
  if (part.type === 'file' || part.type === 'audio')
    throw new BadChatRequest('The model behind this name takes texts and pictures only.', 'messages');
  return [];
}

function writeImage({ source, detail }: ImagePart): Json {
  if ('fileId' in source) throw new BadChatRequest('A picture cannot be given by a file id here.', 'messages');
  return {
    type: 'image_url',
    image_url: { url: 'url' in source ? source.url : dataUrl(source), ...(detail && { detail }) },
  };
}

/** Reasoning before calls is sent as a plan; other reasoning is not accepted. */
function writeAssistant(parts: readonly Part[]): Json[] {
  const calls = parts.filter((part) => part.type === 'tool_call');
  const text = parts.map((part) => (part.type === 'text' || part.type === 'refusal' ? part.text : '')).join('');
  if (calls.length === 0) return text === '' ? [] : [{ role: 'assistant', content: text }];
  const plan = parts.map((part) => (part.type === 'thinking' ? part.text : '')).join('') || text;
  return [
    {
      role: 'assistant',
      ...(plan !== '' && { tool_plan: plan }),
      tool_calls: calls.map(({ id, name, arguments: json }) => ({
        id,
        type: 'function',
        function: { name, arguments: json === '' ? '{}' : json },
      })),
    },
  ];
}

function writeResult({ id, content }: ToolResultPart): Json {
  const texts = content.flatMap((part) => {
    if (part.type === 'text') return [part.text];
    return part.type === 'file' && 'text' in part.source ? [part.source.text] : [];
  });
  return { role: 'tool', tool_call_id: id, content: texts.join('\n') || '(no output)' };
}

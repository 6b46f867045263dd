import { objectOr, type Json } from '#json.ts';
import type { ChatRequest, FilePart, McpServer, Message, Part, ResponseFormat, ToolResultPart } from '../chat.ts';
import { BadChatRequest } from '../chat-errors.ts';
import type { WireOptions } from '../codec.ts';
import { offeredTools, refuseChoices } from '../offered-tools.ts';
import { openAiTraits } from '#chat/openai/openai-traits.ts';
import { effortOf } from '../reasoning.ts';
import { dataUrl } from '../sources.ts';
import { steered, type Steering, unlessSet } from '../steering.ts';
import { fittingId, responsesCallIds } from '../tool-calls.ts';

/** Writes a Responses request with `store: false`. Throws `BadChatRequest`. */
export function writeResponsesRequest(request: ChatRequest, { model }: WireOptions): Json {
  refuseChoices(request);
  const { maxOutput, temperature, topP, format, verbosity, user, serviceTier, cacheKey, stream } = request;
  const { reasoningOnly, effort } = openAiTraits(model);
  const text = {
    ...(format && { format: writeFormat(format) }),
    ...(verbosity !== undefined && reasoningOnly && { verbosity }),
  };
  return {
    model,
    input: request.messages.flatMap(writeMessage),
    ...writeTools(request),
    max_output_tokens: maxOutput,
    ...(!reasoningOnly && { temperature, top_p: topP }),
    ...((effort || request.reasoning?.insisted) && {
      reasoning: writeReasoning(request),
      include: ['reasoning.encrypted_content'],
    }),
    ...(Object.keys(text).length > 0 && { text }),
    user,
    service_tier: serviceTier,
    prompt_cache_key: cacheKey,
    store: false,
    ...(stream && { stream: true }),
  };
}

/** Changes to a passed-through request for the reasoning suffix of the model name. */
export function steerResponses(body: Json, steering: Steering): Json {
  const own = objectOr(body['reasoning']);
  return { reasoning: { ...own, ...unlessSet(own, steering, { effort: steered(undefined, steering).effort }) } };
}

function writeTools(request: ChatRequest): Json {
  const { tools, mode, only } = offeredTools(request);
  const hosted = mode === 'none' ? [] : [...writeWebSearch(request), ...(request.mcpServers ?? []).map(writeMcp)];
  if (tools.length === 0 && hosted.length === 0) return {};
  return {
    tools: [
      ...tools.map(({ name, description, schema, strict }) => ({
        type: 'function',
        name,
        description,
        parameters: schema ?? { type: 'object', properties: {} },
        // The default, strict, refuses schemas not written for it.
        strict: strict ?? false,
      })),
      ...hosted,
    ],
    tool_choice:
      request.toolChoice?.hosted === undefined
        ? only === undefined
          ? mode
          : { type: 'function', name: only }
        : { type: 'web_search' },
    parallel_tool_calls: request.parallelToolCalls,
  };
}

/** https://platform.openai.com/docs/guides/tools-connectors-mcp */
const writeMcp = ({ name, url, token, allowed }: McpServer): Json => ({
  type: 'mcp',
  server_label: name,
  server_url: url,
  authorization: token,
  allowed_tools: allowed,
  require_approval: 'never',
});

/** https://platform.openai.com/docs/guides/tools-web-search */
function writeWebSearch({ webSearch }: ChatRequest): Json[] {
  if (!webSearch) return [];
  const place = Object.entries(webSearch).filter(([, value]) => value !== undefined);
  const location = place.length > 0 && { user_location: { type: 'approximate', ...Object.fromEntries(place) } };
  return [{ type: 'web_search', ...location }];
}

function writeReasoning({ reasoning }: ChatRequest): Json | undefined {
  return reasoning && { effort: effortOf(reasoning), ...(reasoning.show && { summary: 'auto' }) };
}

function writeFormat(format: ResponseFormat): Json {
  if (format.type === 'text') return { type: 'text' };
  if (format.type === 'json') return { type: 'json_object' };
  const { name = 'answer', description, schema, strict } = format;
  return { type: 'json_schema', name, description, schema, strict: strict ?? false };
}

function writeMessage({ role, parts }: Message): Json[] {
  if (role === 'tool') return parts.filter((part) => part.type === 'tool_result').map(writeResult);
  if (role === 'assistant') return writeAnswer(parts);
  return [{ role, content: parts.flatMap(writeInput) }];
}

/** An earlier answer as its items. */
function writeAnswer(parts: readonly Part[]): Json[] {
  return parts.flatMap((part): Json[] => {
    if (part.type === 'text' && part.text !== '')
      return [{ role: 'assistant', content: [{ type: 'output_text', text: part.text }] }];
    if (part.type === 'refusal') return [{ role: 'assistant', content: [{ type: 'refusal', refusal: part.text }] }];
    if (part.type === 'thinking') return writeThinking(part);
    if (part.type !== 'tool_call') return [];
    const { id, name, arguments: json } = part;
    return [{ type: 'function_call', call_id: callId(id), name, arguments: json || '{}' }];
  });
}

/** Only content that OpenAI encrypted can be sent back. */
function writeThinking({ text, signature }: Extract<Part, { type: 'thinking' }>): Json[] {
  if (signature?.kind !== 'openai') return [];
  const dot = signature.value.indexOf('.');
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  const [id, encrypted_content] = [signature.value.slice(0, dot), signature.value.slice(dot + 1)];
  return [{ type: 'reasoning', id, summary, encrypted_content }];
}

const callId = (id: string): string => fittingId(id, responsesCallIds);

function writeResult({ id, content }: ToolResultPart): Json {
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  const output = content.every((part) => part.type === 'text') ? text : content.flatMap(writeInput);
  return { type: 'function_call_output', call_id: callId(id), output };
}

function writeInput(part: Part): Json[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return [{ type: 'input_text', text: part.text }];
    case 'image': {
      const { source, detail = 'auto' } = part;
      if ('fileId' in source) return [{ type: 'input_image', file_id: source.fileId, detail }];
      return [{ type: 'input_image', image_url: 'url' in source ? source.url : dataUrl(source), detail }];
    }
    case 'file':
      return [writeFile(part)];
    case 'audio':
      throw new BadChatRequest('The model behind this name takes no sound.', 'messages');
    default:
      return [];
  }
}

function writeFile({ source, name, mime }: FilePart): Json {
  if ('text' in source) return { type: 'input_text', text: source.text };
  if ('fileId' in source) return { type: 'input_file', file_id: source.fileId };
  if ('url' in source) return { type: 'input_file', file_url: source.url };
  const file_data = dataUrl({ mime: mime ?? source.mime, base64: source.base64 });
  return { type: 'input_file', filename: name ?? 'file.pdf', file_data };
}

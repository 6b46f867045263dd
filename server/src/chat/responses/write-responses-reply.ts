import type { Usage } from '@relay-hub/contract';
import { completionTokens } from '@relay-hub/contract';
import { listOr, objectOr, type Json } from '#json.ts';
import type { ChatReply, ChatRequest, FinishReason, Part } from '../chat.ts';
import type { ReplyContext } from '../codec.ts';
import { isCustom } from '#chat/openai/write-openai-reply.ts';
import { customInput } from '../tool-calls.ts';
import { cacheRead, cacheWritten, wholePrompt } from '../usage-totals.ts';
import {
  customItem,
  declaredAs,
  functionItem,
  imageItem,
  isMessagePart,
  itemIds,
  type ItemIds,
  messageItem,
  reasoningItem,
  refusalPart,
  textPart,
} from './write-responses-items.ts';

/** https://platform.openai.com/docs/api-reference/responses/object */
export function writeResponsesReply({ parts, finish, usage }: ChatReply, context: ReplyContext): Json {
  const output = writeItems(parts, context.request, itemIds(context.requestId));
  const response = responseShell(context, {
    ...ending(finish, context),
    output,
    usage: usage ? writeResponsesUsage(usage) : null,
  });
  context.onReply?.(response);
  return response;
}

export const responseId = (requestId: string): string => `resp_${requestId}`;

/** A response without output, for the start of a stream; `more` overrides members. */
export const responseShell = ({ request, requestId, model, created, storedAs }: ReplyContext, more: Json): Json => ({
  id: responseId(requestId),
  object: 'response',
  created_at: created,
  completed_at: null,
  status: 'in_progress',
  background: false,
  frequency_penalty: 0,
  max_tool_calls: null,
  presence_penalty: 0,
  prompt_cache_key: null,
  safety_identifier: null,
  service_tier: 'default',
  top_logprobs: 0,
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  store: false,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  truncation: 'disabled',
  ...echoOf(request.echo),
  ...storedAs,
  model,
  output: [],
  usage: null,
  ...more,
});

/** Members of the request in its response. Defaults replace null and complete objects, as OpenAI does. */
const echoOf = (echo: Json = {}): Json =>
  Object.fromEntries(
    Object.entries(echo).flatMap(([name, value]) =>
      value === null ? [] : [[name, completed[name]?.(value) ?? value]],
    ),
  );

const completed: Readonly<Record<string, (value: unknown) => unknown>> = {
  reasoning: (reasoning) => withDefaults({ effort: null, summary: null }, reasoning),
  text: (text) => {
    const { format, ...more } = withDefaults({ format: { type: 'text' } }, text);
    return { ...more, format: ofType('json_schema', { description: null, strict: false }, format) };
  },
  tool_choice: (choice) => ofType('allowed_tools', { mode: 'auto' }, choice),
  tools: (tools) =>
    listOr(tools).map((tool) => ofType('function', { description: null, parameters: null, strict: false }, tool)),
};

/** Adds defaults to an object of that type; other values stay. */
const ofType = (type: string, defaults: Json, value: unknown): unknown =>
  objectOr(value)['type'] === type ? withDefaults(defaults, value) : value;

const withDefaults = (defaults: Json, value: unknown): Json => ({
  ...defaults,
  ...Object.fromEntries(Object.entries(objectOr(value)).filter(([, member]) => member !== null)),
});

const cut: Partial<Record<FinishReason, string>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
  refusal: 'content_filter',
};

export function ending(finish: FinishReason, { created }: ReplyContext): Json {
  const reason = cut[finish];
  return reason
    ? { status: 'incomplete', incomplete_details: { reason } }
    : { status: 'completed', completed_at: created };
}

/** Consecutive texts form one item; each reasoning part and call is an item. */
function writeItems(parts: readonly Part[], request: ChatRequest, id: ItemIds): Json[] {
  const items: Json[] = [];
  let content: Json[] | undefined;
  for (const part of parts) {
    if (isMessagePart(part)) {
      const written = part.type === 'text' ? textPart(part.text) : refusalPart(part.text);
      if (content) content.push(written);
      else items.push(messageItem(id('msg'), (content = [written]), 'completed'));
      continue;
    }
    content = undefined;
    items.push(...writeItem(part, request, id));
  }
  return items;
}

function writeItem(part: Part, request: ChatRequest, id: ItemIds): Json[] {
  if (part.type === 'thinking') return [reasoningItem(id('rs'), part.text, part.signature)];
  if (part.type === 'image')
    return 'base64' in part.source ? [imageItem(id('ig'), part.source.base64, 'completed')] : [];
  if (part.type !== 'tool_call') return [];
  const { id: callId, name, arguments: json, signature } = part;
  // Calls have no signatures here, so one becomes a reasoning item before the call.
  const before = signature ? [reasoningItem(id('rs'), '', signature)] : [];
  const declared = { callId, ...declaredAs(request, name) };
  const call = isCustom(request, name)
    ? customItem({ id: id('ctc'), ...declared }, customInput(json), 'completed')
    : functionItem({ id: id('fc'), ...declared }, json || '{}', 'completed');
  return [...before, call];
}

export function writeResponsesUsage(usage: Usage): Json {
  const input = wholePrompt(usage);
  const output = completionTokens(usage);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead(usage), cache_write_tokens: cacheWritten(usage) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + output,
  };
}

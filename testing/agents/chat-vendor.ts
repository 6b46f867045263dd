import { officialFields } from '#chat/testing/official-fields.ts';
import { type Json, listOr, objectOr, textOr } from '#json.ts';
import {
  type ModelTurn,
  callFault,
  countTokens,
  type CountedTokens,
  type Move,
  nextMove,
  type Step,
} from './agent-script.ts';
import { halves, unknownField, type VendorReply, SimulatedRefusal, type VendorRequest } from './vendor-server.ts';

/** Differences between OpenAI and the vendors that copy its Chat Completions. */
export interface ChatTraits {
  /** Request fields in addition to OpenAI's. */
  fields?: readonly string[];
  /** Whether reasoning is reported in `reasoning_content`, which may come back. */
  reasoningContent?: boolean;
  /** Reasoning models of OpenAI refuse a temperature and `max_tokens`. */
  refusesSampling?: RegExp;
  reasoningModels: RegExp;
}

const requestFields = [...officialFields('openai', 'ChatCompletionCreateParamsBase'), 'stream'];
const fieldsOfRole: Record<string, readonly string[]> = {
  system: ['role', 'content', 'name'],
  developer: ['role', 'content', 'name'],
  user: ['role', 'content', 'name'],
  // Clients give back what their parsers added.
  assistant: ['role', 'content', 'name', 'refusal', 'tool_calls', 'function_call', 'audio', 'annotations', 'parsed'],
  tool: ['role', 'content', 'tool_call_id'],
};

/** A refusal in OpenAI's form. */
export function openAiRefusal(
  status: number,
  message: string,
  { param = null, code = null }: { param?: string | null; code?: string | null } = {},
): SimulatedRefusal {
  return new SimulatedRefusal(status, message, { error: { message, type: 'invalid_request_error', param, code } });
}

/** The text of OpenAI's content, a string or a list of parts. */
export const textIn = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : listOr(content)
        .map((part) => textOr(objectOr(part)['text'], ''))
        .join('\n');

let made = 0;

/** OpenAI's Chat Completions, https://platform.openai.com/docs/api-reference/chat. */
export function chatVendor(traits: ChatTraits): (request: VendorRequest) => VendorReply {
  const allowed = new Set([...requestFields, ...(traits.fields ?? [])]);
  return ({ body }) => {
    const field = unknownField(body, allowed);
    if (field !== undefined) throw openAiRefusal(400, `Unrecognized request argument supplied: ${field}`);
    const model = textOr(body['model'], '');
    if (traits.refusesSampling?.test(model)) refuseSampling(body);
    const asked: ModelTurn = {
      steps: stepsOf(body, traits),
      tools: listOr(body['tools']).map((tool) => {
        const { name, parameters } = objectOr(objectOr(tool)['function'] ?? objectOr(tool)['custom']);
        return { name: textOr(name, ''), schema: parameters };
      }),
      forced: forcedTool(body['tool_choice']),
      schema: schemaOf(body['response_format']),
      reasons: traits.reasoningModels.test(model),
    };
    const move = nextMove(asked);
    const usage = countTokens(body, asked, move);
    return {
      usage,
      ...(body['stream'] === true ? streamed(body, move, usage, traits) : whole(model, move, usage, traits)),
    };
  };
}

function refuseSampling(body: Json): void {
  if (body['max_tokens'] !== undefined)
    throw openAiRefusal(
      400,
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { param: 'max_tokens', code: 'unsupported_parameter' },
    );
  for (const param of ['temperature', 'top_p'])
    if (typeof body[param] === 'number' && body[param] !== 1)
      throw openAiRefusal(400, `Unsupported value: '${param}' does not support ${body[param]} with this model.`, {
        param,
        code: 'unsupported_value',
      });
}

export const forcedTool = (choice: unknown): string | undefined => {
  if (choice === 'required') return '';
  const { name, function: called } = objectOr(choice);
  return textOr(name, undefined) ?? textOr(objectOr(called)['name'], undefined);
};

const schemaOf = (format: unknown): unknown => {
  const { type, json_schema: schema } = objectOr(format);
  return type === 'json_schema' ? objectOr(schema)['schema'] : undefined;
};

function stepsOf(body: Json, { reasoningContent }: ChatTraits): Step[] {
  const steps = listOr(body['messages']).flatMap((message, i): Step[] => {
    const { role, content, tool_calls: calls, tool_call_id: id } = objectOr(message);
    const known = fieldsOfRole[textOr(role, '')];
    if (!known) throw openAiRefusal(400, `Invalid value: '${String(role)}'.`, { param: `messages[${i}].role` });
    const field = unknownField(
      objectOr(message),
      new Set([...known, ...(reasoningContent && role === 'assistant' ? ['reasoning_content', 'prefix'] : [])]),
    );
    if (field !== undefined)
      throw openAiRefusal(400, `Additional properties are not allowed ('${field}' was unexpected) - 'messages.${i}'`);
    if (role === 'user') return [{ kind: 'user', text: textIn(content) }];
    if (role === 'tool') return [{ kind: 'result', id: textOr(id, ''), text: textIn(content) }];
    if (role !== 'assistant') return [];
    const text = textIn(content);
    return [
      ...(text ? [{ kind: 'model' as const, text }] : []),
      ...listOr(calls).map((call): Step => {
        const { id: callId, function: called, custom } = objectOr(call);
        return { kind: 'call', id: textOr(callId, ''), name: textOr(objectOr(called ?? custom)['name'], '') };
      }),
    ];
  });
  const wrong = callFault(steps);
  if (wrong?.fault === 'unanswered')
    throw openAiRefusal(
      400,
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${wrong.id}`,
      { param: 'messages' },
    );
  if (wrong)
    throw openAiRefusal(
      400,
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      { param: 'messages' },
    );
  return steps;
}

const usageJson = (
  { prompt, cached, completion, reasoning }: CountedTokens,
  { reasoningContent }: ChatTraits,
): object => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: cached },
  completion_tokens_details: { reasoning_tokens: reasoning },
  ...(reasoningContent && { prompt_cache_hit_tokens: cached, prompt_cache_miss_tokens: prompt - cached }),
});

const callsJson = ({ calls }: Move): { id: string; type: string; function: { name: string; arguments: string } }[] =>
  calls.map(({ name, input }) => ({
    id: `call_${++made}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));

function whole(model: string, move: Move, usage: CountedTokens, traits: ChatTraits): VendorReply {
  const message = {
    role: 'assistant',
    content: move.text || null,
    refusal: null,
    ...(traits.reasoningContent && move.reasoning && { reasoning_content: move.reasoning }),
    ...(move.calls.length > 0 && { tool_calls: callsJson(move) }),
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: move.calls.length > 0 ? 'tool_calls' : 'stop' };
  const json = {
    id: `chatcmpl-${++made}`,
    object: 'chat.completion',
    created: 1_760_000_000,
    model,
    choices: [choice],
  };
  return { json: { ...json, usage: usageJson(usage, traits) } };
}

function streamed(body: Json, move: Move, usage: CountedTokens, traits: ChatTraits): VendorReply {
  const wantsUsage = objectOr(body['stream_options'])['include_usage'] === true;
  const chunk = {
    id: `chatcmpl-${++made}`,
    object: 'chat.completion.chunk',
    created: 1_760_000_000,
    model: body['model'],
  };
  const withDelta = (delta: object, finish: string | null = null): object => ({
    ...chunk,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(wantsUsage && { usage: null }),
  });
  const calls = callsJson(move).flatMap(({ function: { name, arguments: input }, ...call }, index) => [
    withDelta({ tool_calls: [{ index, ...call, function: { name, arguments: '' } }] }),
    ...halves(input).map((half) => withDelta({ tool_calls: [{ index, function: { arguments: half } }] })),
  ]);
  return {
    events: [
      withDelta({ role: 'assistant', content: '', refusal: null }),
      ...(traits.reasoningContent ? halves(move.reasoning).map((half) => withDelta({ reasoning_content: half })) : []),
      ...halves(move.text).map((content) => withDelta({ content })),
      ...calls,
      withDelta({}, move.calls.length > 0 ? 'tool_calls' : 'stop'),
      ...(wantsUsage ? [{ ...chunk, choices: [], usage: usageJson(usage, traits) }] : []),
      '[DONE]',
    ],
  };
}

import type { ChatRequest, Message, ResponseFormat, Tool, ToolChoice } from '../chat.ts';
import { efforts } from '../chat.ts';
import { Fields } from '../fields.ts';
import { customDescription } from '../tool-calls.ts';
import { readInput } from './read-responses-items.ts';

/** Fields that refer to what the provider keeps. */
const stateful = ['previous_response_id', 'conversation', 'prompt'] as const;

/** Request fields that a Response repeats. */
const echoed = [
  'instructions max_output_tokens metadata parallel_tool_calls prompt_cache_key reasoning safety_identifier',
  'service_tier temperature text tool_choice tools top_p truncation user',
]
  .join(' ')
  .split(' ');

/** https://platform.openai.com/docs/api-reference/responses/create */
export function readResponsesRequest(json: unknown): ChatRequest {
  const f = new Fields(json);
  const { messages, referenceAt } = readInput(f, f.has('conversation') || f.has('prompt'));
  const state = stateful.find((field) => f.has(field)) ?? referenceAt;
  f.text('previous_response_id');
  f.flag('store');
  const isBackground = f.flag('background') === true;
  const instructions = f.text('instructions');
  const first: Message[] = instructions ? [{ role: 'developer', parts: [{ type: 'text', text: instructions }] }] : [];
  const text = f.object('text');
  const reasoning = f.object('reasoning');
  return {
    model: f.needText('model'),
    messages: [...first, ...messages],
    tools: (f.objects('tools') ?? []).flatMap(readTool),
    toolChoice: readToolChoice(f),
    parallelToolCalls: f.flag('parallel_tool_calls'),
    maxOutput: f.whole('max_output_tokens', 1),
    temperature: f.number('temperature'),
    topP: f.number('top_p'),
    stop: [],
    format: readFormat(text?.object('format')),
    reasoning: reasoning && {
      effort: reasoning.oneOf('effort', efforts),
      show: reasoning.has('summary') || reasoning.has('generate_summary'),
    },
    verbosity: text?.text('verbosity'),
    user: f.text('user') ?? f.text('safety_identifier'),
    serviceTier: f.text('service_tier'),
    cacheKey: f.text('prompt_cache_key'),
    stream: f.flag('stream') ?? false,
    includeUsage: true,
    echo: Object.fromEntries(echoed.flatMap((field) => (f.has(field) ? [[field, f.any(field)]] : []))),
    stateField: state ?? (isBackground ? 'background' : undefined),
    unread: f.unread(),
  };
}

/** The caller's own tools; server-side tools have no equivalent elsewhere. */
function readTool(tool: Fields): Tool[] {
  const type = tool.needText('type');
  if (type === 'function') {
    return [
      {
        name: tool.needText('name'),
        description: tool.text('description'),
        schema: tool.map('parameters'),
        strict: tool.flag('strict'),
      },
    ];
  }
  if (type !== 'custom') return [];
  const description = customDescription(tool.text('description'), tool.object('format')?.text('definition'));
  return [{ name: tool.needText('name'), description, custom: true }];
}

function readToolChoice(f: Fields): ToolChoice | undefined {
  const value = f.any('tool_choice');
  if (value === undefined || typeof value === 'string') {
    const mode = f.oneOf('tool_choice', ['auto', 'none', 'required']);
    return mode && { mode };
  }
  const choice = new Fields(value, f.at('tool_choice'));
  const type = choice.needText('type');
  if (type === 'function' || type === 'custom') return { mode: 'required', names: [choice.needText('name')] };
  if (type !== 'allowed_tools') return undefined; // a server-side tool
  return {
    mode: choice.oneOf('mode', ['auto', 'required']) ?? 'auto',
    names: (choice.objects('tools') ?? []).flatMap((tool) => tool.text('name') ?? []),
  };
}

function readFormat(format: Fields | undefined): ResponseFormat | undefined {
  const type = format?.oneOf('type', ['text', 'json_object', 'json_schema']);
  if (!format || !type) return undefined;
  if (type === 'text') return { type };
  if (type === 'json_object') return { type: 'json' };
  return {
    type,
    name: format.text('name'),
    description: format.text('description'),
    schema: format.map('schema') ?? format.missing('schema'),
    strict: format.flag('strict'),
  };
}

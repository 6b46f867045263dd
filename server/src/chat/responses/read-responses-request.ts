import { isObject } from '#json.ts';
import type { ChatRequest, McpServer, Message, ResponseFormat, Tool, ToolChoice } from '../chat.ts';
import { efforts } from '../chat.ts';
import { Fields } from '../fields.ts';
import { isSearch, readPlace } from '../offered-tools.ts';
import { customDescription } from '../tool-calls.ts';
import { calledName, joinedName, readInput } from './read-responses-items.ts';

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
  const tools = [...(f.objects('tools') ?? []), ...addedTools(f)];
  const callable = tools.flatMap((tool) => readTool(tool));
  const hosted = tools.filter((tool) => !own.has(tool.needText('type')));
  const search = hosted.find((tool) => isSearch(tool.needText('type')));
  const mcpServers = hosted.flatMap(readMcp);
  const lost = hosted
    .filter((tool) => !isSearch(tool.needText('type')) && readMcp(tool).length === 0)
    .map((tool) => `tools.${tool.needText('type')}`);
  return {
    model: f.needText('model'),
    messages: [...first, ...messages],
    tools: callable,
    webSearch: search && readPlace(search.object('user_location')),
    webSearchField: search && `tools.${search.needText('type')}`,
    mcpServers: mcpServers.length > 0 ? mcpServers : undefined,
    toolChoice: readToolChoice(f, callable),
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
    unread: f.unread(lost),
  };
}

const own = new Set(['function', 'custom', 'namespace']);

/** A server that is called without asking: no other vendor asks, and none has OpenAI's connectors. */
function readMcp(tool: Fields): McpServer[] {
  const asks = tool.any('require_approval') !== 'never';
  if (tool.any('type') !== 'mcp' || asks || !tool.has('server_url') || tool.has('headers')) return [];
  const allowed = tool.any('allowed_tools');
  const names = isObject(allowed) ? new Fields(allowed, tool.at('allowed_tools')).texts('tool_names') : undefined;
  return [
    {
      field: 'tools.mcp',
      name: tool.needText('server_label'),
      url: tool.needText('server_url'),
      token: tool.text('authorization'),
      allowed: names ?? (allowed === undefined ? undefined : tool.texts('allowed_tools')),
    },
  ];
}

/** Tools that joined the conversation later. */
const addedTools = (f: Fields): Fields[] =>
  Array.isArray(f.any('input'))
    ? (f.objects('input') ?? []).flatMap((item) =>
        item.any('type') === 'additional_tools' ? (item.objects('tools') ?? []) : [],
      )
    : [];

/** The caller's own tools, those of a group too; of the vendor's, only the search has an equivalent elsewhere. */
function readTool(tool: Fields, group?: string): Tool[] {
  const type = tool.needText('type');
  if (type === 'namespace' && group === undefined) {
    const name = tool.needText('name');
    return (tool.objects('tools') ?? []).flatMap((one) => readTool(one, name));
  }
  return readOwnTool(tool, type).map((read) =>
    group === undefined ? read : { ...read, name: joinedName(group, read.name), namespace: { group, name: read.name } },
  );
}

function readOwnTool(tool: Fields, type: string): Tool[] {
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

/** The names that an entry of a choice stands for. */
function namesOf(entry: Fields, tools: readonly Tool[]): string[] {
  const type = entry.text('type');
  if (type === 'function' || type === 'custom') return [calledName(entry)];
  const group = type === 'namespace' ? entry.text('name') : undefined;
  return tools.flatMap(({ name, namespace }) => (namespace && namespace.group === group ? name : []));
}

function readToolChoice(f: Fields, tools: readonly Tool[]): ToolChoice | undefined {
  const value = f.any('tool_choice');
  if (value === undefined || typeof value === 'string') {
    const mode = f.oneOf('tool_choice', ['auto', 'none', 'required']);
    return mode && { mode };
  }
  const choice = new Fields(value, f.at('tool_choice'));
  const type = choice.needText('type');
  if (type === 'function' || type === 'custom') return { mode: 'required', names: [calledName(choice)] };
  if (type === 'namespace') return { mode: 'required', names: namesOf(choice, tools) };
  if (type !== 'allowed_tools') return { mode: 'required', hosted: type };
  const mode = choice.oneOf('mode', ['auto', 'required']) ?? 'auto';
  const allowed = choice.objects('tools') ?? [];
  const [hosted] = allowed.map((tool) => tool.text('type') ?? '').filter((one) => !own.has(one));
  const names = allowed.flatMap((tool) => namesOf(tool, tools));
  return { mode, names, hosted: mode === 'required' && names.length === 0 ? hosted : undefined };
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

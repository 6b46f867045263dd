import { objectOr } from '#json.ts';
import type { ChatRequest, McpServer, Reasoning, ResponseFormat, Tool, ToolChoice } from '../chat.ts';
import type { Addressed } from '../codec.ts';
import { Fields } from '../fields.ts';
import { isSearch, readPlace } from '../offered-tools.ts';
import { readBlocks, readMark, readMessages } from './read-anthropic-blocks.ts';

/** Reads a Messages or count_tokens request. https://platform.claude.com/docs/en/api/messages */
export function readAnthropicRequest(json: unknown, { counting }: Addressed = {}): ChatRequest {
  const f = new Fields(json);
  const system = readBlocks(f, 'system');
  const choice = f.object('tool_choice');
  const tools = f.objects('tools') ?? [];
  const hosted = tools.filter(isHosted);
  const search = hosted.find((tool) => isSearch(tool.needText('type')));
  const mcpServers = readMcp(f, hosted);
  const lost = hosted
    .filter((tool) => !isSearch(tool.needText('type')) && !isToolset(tool))
    .map((tool) => `tools.${tool.needText('type')}`);
  return {
    model: f.needText('model'),
    messages: [...(system.length > 0 ? [{ role: 'system' as const, parts: system }] : []), ...readMessages(f)],
    tools: tools.flatMap(readTool),
    toolChoice: choice && readToolChoice(choice, hosted),
    webSearch: search && readPlace(search.object('user_location')),
    webSearchField: search && `tools.${search.needText('type')}`,
    mcpServers: mcpServers.length > 0 ? mcpServers : undefined,
    parallelToolCalls: choice?.flag('disable_parallel_tool_use') ? false : undefined,
    maxOutput: f.whole('max_tokens', 1) ?? (counting ? undefined : f.missing('max_tokens')),
    temperature: f.number('temperature'),
    topP: f.number('top_p'),
    topK: f.whole('top_k'),
    stop: f.has('stop_sequences') ? f.texts('stop_sequences') : [],
    format: readFormat(f),
    reasoning: readReasoning(f),
    user: f.object('metadata')?.text('user_id'),
    serviceTier: f.oneOf('service_tier', ['auto', 'standard_only']) === 'standard_only' ? 'default' : undefined,
    stream: f.flag('stream') ?? false,
    includeUsage: true,
    unread: f.unread(lost),
  };
}

const isToolset = (tool: Fields): boolean => tool.any('type') === 'mcp_toolset';

/** Servers with the tools that a toolset, or the former member of the server, leaves. */
function readMcp(f: Fields, hosted: readonly Fields[]): McpServer[] {
  const sets = hosted.filter(isToolset);
  return (f.objects('mcp_servers') ?? []).flatMap((server) => {
    const name = server.needText('name');
    const set = sets.find((one) => one.text('mcp_server_name') === name);
    const former = server.object('tool_configuration');
    if (former?.flag('enabled') === false) return [];
    const allowed = former?.has('allowed_tools') ? former.texts('allowed_tools') : undefined;
    const token = server.text('authorization_token');
    return {
      field: 'mcp_servers',
      name,
      url: server.needText('url'),
      token,
      allowed: (set && enabledIn(set)) ?? allowed,
    };
  });
}

/** The tools that a set enables one by one; undefined: all. */
function enabledIn(set: Fields): string[] | undefined {
  if (set.object('default_config')?.flag('enabled') !== false) return undefined;
  return Object.entries(set.map('configs') ?? {}).flatMap(([name, config]) =>
    objectOr(config)['enabled'] === false ? [] : name,
  );
}

const isHosted = (tool: Fields): boolean => (tool.text('type') ?? 'custom') !== 'custom';

/** The caller's own tools; of the vendor's, only the search has an equivalent elsewhere. */
function readTool(tool: Fields): Tool[] {
  if (isHosted(tool)) return [];
  return [
    {
      name: tool.needText('name'),
      description: tool.text('description'),
      schema: tool.map('input_schema') ?? tool.missing('input_schema'),
      strict: tool.flag('strict'),
      cache: readMark(tool),
    },
  ];
}

function readToolChoice(choice: Fields, hosted: readonly Fields[]): ToolChoice {
  const type = choice.oneOf('type', ['auto', 'any', 'tool', 'none']) ?? choice.missing('type');
  if (type === 'tool') {
    const name = choice.needText('name');
    const meant = hosted.find((tool) => tool.text('name') === name);
    return meant ? { mode: 'required', hosted: meant.needText('type') } : { mode: 'required', names: [name] };
  }
  return { mode: type === 'any' ? 'required' : type };
}

function readFormat(f: Fields): ResponseFormat | undefined {
  // `output_format` is the former name, still in use.
  const format = f.object('output_config')?.object('format') ?? f.object('output_format');
  if (!format) return undefined;
  format.oneOf('type', ['json_schema']);
  return { type: 'json_schema', schema: format.map('schema') ?? format.missing('schema') };
}

function readReasoning(f: Fields): Reasoning | undefined {
  const effort = f.object('output_config')?.oneOf('effort', ['low', 'medium', 'high', 'xhigh', 'max']);
  const thinking = f.object('thinking');
  if (!thinking) return effort && { effort };
  const type = thinking.oneOf('type', ['enabled', 'disabled', 'adaptive', 'between_tools']) ?? thinking.missing('type');
  if (type === 'disabled') return { effort: 'none' };
  const display = thinking.oneOf('display', ['summarized', 'omitted']);
  if (type !== 'enabled') return { effort, dynamic: true, show: display && display === 'summarized' };
  const budget = thinking.whole('budget_tokens', 1) ?? thinking.missing('budget_tokens');
  return { effort, budget, show: display !== 'omitted' };
}

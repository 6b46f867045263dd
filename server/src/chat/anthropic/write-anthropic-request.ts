import { type Json, objectOr } from '#json.ts';
import {
  type ChatRequest,
  type Effort,
  type McpServer,
  type Message,
  OPENING,
  type ResponseFormat,
  type Tool,
} from '../chat.ts';
import type { WireOptions } from '../codec.ts';
import { offeredTools, refuseChoices } from '../offered-tools.ts';
import { budgetWithin, effortOf } from '../reasoning.ts';
import { steered, type Steering } from '../steering.ts';
import { claudeSchema } from './anthropic-schema.ts';
import { readAnthropicRequest } from './read-anthropic-request.ts';
import { anthropicTraits, type AnthropicTraits, defaultOutput } from './anthropic-traits.ts';
import { toolMark, writeAnswerBlocks, writeBlocks } from './write-anthropic-blocks.ts';

interface Turn {
  role: 'user' | 'assistant' | 'system';
  content: Json[];
}

interface Conversation {
  system: Json[];
  messages: Turn[];
}

/**
 * Merges consecutive messages of one role and moves instructions to the front, unless the model accepts them in place,
 * between a user turn and its answer.
 */
function writeConversation(list: readonly Message[], midSystem: boolean): Conversation {
  const system: Json[] = [];
  const messages: Turn[] = [];
  list.forEach((message, i) => {
    if (message.role !== 'system' && message.role !== 'developer') {
      const role = message.role === 'assistant' ? 'assistant' : 'user';
      add(messages, role, message.parts.flatMap(role === 'assistant' ? writeAnswerBlocks : writeBlocks));
    } else if (midSystem && messages.at(-1)?.role === 'user' && answerFollows(list, i)) {
      add(messages, 'system', message.parts.flatMap(writeBlocks));
    } else system.push(...message.parts.flatMap(writeBlocks));
  });
  if (messages.length === 0) return { system: [], messages: [{ role: 'user', content: system }] };
  withoutLastBlanks(messages.at(-1)!);
  if (messages[0]?.role === 'assistant') messages.unshift({ role: 'user', content: [{ type: 'text', text: OPENING }] });
  return { system, messages };
}

const answerFollows = (list: readonly Message[], at: number): boolean =>
  at + 1 >= list.length || list[at + 1]?.role === 'assistant';

function add(turns: Turn[], role: Turn['role'], content: Json[]): void {
  if (content.length === 0) return;
  const last = turns.at(-1);
  if (last?.role === role) last.content.push(...content);
  else turns.push({ role, content });
}

/** A prefilled answer must not end in whitespace. */
function withoutLastBlanks({ role, content }: Turn): void {
  const last = content.at(-1);
  if (role === 'assistant' && typeof last?.['text'] === 'string') last['text'] = last['text'].trimEnd();
}

/** Whether the model is in a tool loop whose initial reasoning was not sent back. */
function lacksThinking(turns: readonly Turn[]): boolean {
  const last = turns.at(-1);
  if (last?.role !== 'user' || !last.content.some((block) => block['type'] === 'tool_result')) return false;
  return !String(turns.at(-2)?.content[0]?.['type']).endsWith('thinking');
}

export interface AnthropicWireOptions extends WireOptions {
  /** max_tokens if the caller sets no limit; absent: by model. */
  defaultMaxOutput?: number | undefined;
  /** Operator's overrides of the traits derived from the name. */
  traits?: Partial<AnthropicTraits> | undefined;
}

/** Writes a Messages request. Throws `BadChatRequest` for unsupported features. */
export function writeAnthropicRequest(request: ChatRequest, options: AnthropicWireOptions): Json {
  refuseChoices(request);
  const traits = { ...anthropicTraits(options.model), ...options.traits };
  const { system, messages } = writeConversation(request.messages, traits.midSystem);
  const maxTokens = request.maxOutput ?? options.defaultMaxOutput ?? defaultOutput(traits);
  const tools = writeTools(request, traits);
  const thinking = writeThinking(request, traits, maxTokens, messages);
  const output = { ...thinking.output, ...writeSchema(request.format, traits) };
  const instructions = [...system, ...instructionsFor(request.format, traits)];
  return {
    model: options.model,
    max_tokens: maxTokens,
    messages,
    ...(instructions.length > 0 && { system: instructions }),
    ...tools,
    ...writeSampling(request, traits, thinking.budget),
    ...(thinking.config && { thinking: thinking.config }),
    ...(Object.keys(output).length > 0 && { output_config: output }),
    ...(request.stop.length > 0 && { stop_sequences: request.stop }),
    ...(request.user !== undefined && { metadata: { user_id: request.user } }),
    ...(request.serviceTier === 'default' && { service_tier: 'standard_only' }),
    ...(request.stream && { stream: true }),
  };
}

/** Changes to a passed-through request for the reasoning suffix of the model name. */
export function steerAnthropic(body: Json, steering: Steering, options: AnthropicWireOptions): Json {
  const request = readAnthropicRequest(body);
  const traits = { ...anthropicTraits(options.model), ...options.traits };
  const reasoning = steered(request.reasoning, steering);
  if (reasoning === request.reasoning) return {};
  const { messages } = writeConversation(request.messages, traits.midSystem);
  const maxTokens = request.maxOutput ?? defaultOutput(traits);
  const { config, output, budget } = writeThinking({ ...request, reasoning }, traits, maxTokens, messages);
  const own = objectOr(body['output_config']);
  // Sampling parameters are refused together with a thinking budget.
  const sampling = { temperature: undefined, top_p: undefined, top_k: undefined };
  return {
    ...((config || reasoning.effort === 'none') && { thinking: config && withDisplay(config, body) }),
    ...(output && Object.keys(output).length > 0 && { output_config: { ...own, ...output } }),
    ...(budget && sampling),
  };
}

/** Keeps the caller's choice of whether thinking is shown. */
function withDisplay(config: Json, body: Json): Json {
  const { display } = objectOr(body['thinking']);
  return display === undefined || config['type'] === 'disabled' ? config : { ...config, display };
}

function writeTools(request: ChatRequest, traits: AnthropicTraits): Json {
  const { tools, mode, only } = offeredTools(request);
  const servers = mode === 'none' ? [] : (request.mcpServers ?? []);
  const hosted = mode === 'none' ? [] : [...writeWebSearch(request, tools), ...servers.map(writeToolset)];
  if (tools.length === 0 && hosted.length === 0) return {};
  const single = request.parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  const called = request.toolChoice?.hosted === undefined ? only : SEARCH;
  const forced = mode === 'required' && traits.forcedTools;
  const choice =
    mode === 'none'
      ? { type: 'none' }
      : forced
        ? { ...(called === undefined ? { type: 'any' } : { type: 'tool', name: called }), ...single }
        : { type: 'auto', ...single };
  return {
    tools: [
      ...tools.map(({ name, description, schema, cache }) => ({
        name,
        description,
        input_schema: { ...(schema ?? { properties: {} }), type: 'object' },
        ...toolMark(cache),
      })),
      ...hosted,
    ],
    ...(servers.length > 0 && { mcp_servers: servers.map(writeServer) }),
    ...((mode !== undefined || (request.parallelToolCalls === false && tools.length > 0)) && { tool_choice: choice }),
  };
}

const SEARCH = 'web_search';

/** The flag without which servers are refused. https://platform.claude.com/docs/en/agents-and-tools/mcp-connector */
export const mcpFlag = ({ mcpServers, toolChoice }: ChatRequest): Record<string, string> | undefined =>
  mcpServers && toolChoice?.mode !== 'none' ? { 'anthropic-beta': 'mcp-client-2025-11-20' } : undefined;

const writeServer = ({ name, url, token }: McpServer): Json => ({
  type: 'url',
  name,
  url,
  ...(token !== undefined && { authorization_token: token }),
});

const writeToolset = ({ name, allowed }: McpServer): Json => ({
  type: 'mcp_toolset',
  mcp_server_name: name,
  ...(allowed && {
    default_config: { enabled: false },
    configs: Object.fromEntries(allowed.map((tool) => [tool, { enabled: true }])),
  }),
});

/** https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool */
function writeWebSearch({ webSearch }: ChatRequest, tools: readonly Tool[]): Json[] {
  if (!webSearch || tools.some(({ name }) => name === SEARCH)) return [];
  const place = Object.entries(webSearch).filter(([, value]) => value !== undefined);
  const location = place.length > 0 && { user_location: { type: 'approximate', ...Object.fromEntries(place) } };
  return [{ type: 'web_search_20250305', name: SEARCH, ...location }];
}

interface Thinking {
  config?: Json;
  output?: Json;
  /** Thinking with a budget, which fixes the sampling. */
  budget?: boolean;
}

function writeThinking(request: ChatRequest, traits: AnthropicTraits, maxTokens: number, turns: Turn[]): Thinking {
  const { reasoning } = request;
  if (!reasoning || traits.thinking === 'none') return {};
  const effort = effortOf(reasoning);
  if (traits.thinking === 'adaptive') return adaptive(effort, reasoning, traits);
  if (effort === 'none' || (effort === undefined && !reasoning.dynamic)) return {};
  // Thinking is refused with a forced tool, and in a tool loop whose thinking was lost.
  if (request.toolChoice?.mode === 'required' || lacksThinking(turns)) return {};
  const requested = reasoning.budget ?? budgetWithin(effort ?? 'medium', maxTokens);
  // The caller's limit is what they pay for, so the budget yields to it.
  const budget = Math.max(1024, Math.min(requested, maxTokens - 256));
  return budget < maxTokens ? { config: { type: 'enabled', budget_tokens: budget }, budget: true } : {};
}

function adaptive(
  effort: Effort | undefined,
  { dynamic, budget, show }: NonNullable<ChatRequest['reasoning']>,
  traits: AnthropicTraits,
): Thinking {
  if (effort === 'none') return traits.canDisable ? { config: { type: 'disabled' } } : { output: { effort: 'low' } };
  const display = show === undefined ? {} : { display: show ? 'summarized' : 'omitted' };
  const config = { type: 'adaptive', ...display };
  const output = effort === undefined ? {} : { effort: claudeEffort(effort, traits) };
  return effort !== undefined || dynamic || budget !== undefined ? { config, output } : {};
}

function claudeEffort(effort: Effort, { xhigh }: AnthropicTraits): string {
  if (effort === 'minimal') return 'low';
  return effort === 'xhigh' && !xhigh ? 'high' : effort;
}

function writeSampling({ temperature, topP, topK }: ChatRequest, traits: AnthropicTraits, thinks = false): Json {
  if (!traits.sampling || thinks) return {};
  return {
    // Other vendors' range goes to 2.
    ...(temperature !== undefined && { temperature: Math.min(temperature, 1) }),
    ...(topP !== undefined && (temperature === undefined || traits.bothSampling) && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
  };
}

const writeSchema = (format: ResponseFormat | undefined, { schemas }: AnthropicTraits): Json =>
  format?.type === 'json_schema' && schemas
    ? { format: { type: 'json_schema', schema: claudeSchema(format.schema) } }
    : {};

/** Instructions that replace an unsupported response format. */
function instructionsFor(format: ResponseFormat | undefined, { schemas }: AnthropicTraits): Json[] {
  if (format?.type === 'json') return [{ type: 'text', text: 'Answer with one JSON object and nothing else.' }];
  if (format?.type !== 'json_schema' || schemas) return [];
  const text = `Answer with JSON and nothing else. It must be valid against this JSON Schema: ${JSON.stringify(format.schema)}`;
  return [{ type: 'text', text }];
}

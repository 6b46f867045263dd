import type { ChatRequest, Reasoning, ResponseFormat, Tool, ToolChoice, WebSearch } from '../chat.ts';
import { efforts } from '../chat.ts';
import { Fields } from '../fields.ts';
import { readThinkingConfig, snake } from '#chat/gemini/read-gemini-request.ts';
import { readPlace } from '../offered-tools.ts';
import { customDescription } from '../tool-calls.ts';
import { readMessages } from './read-openai-messages.ts';
import { readCacheMark } from './read-openai-parts.ts';

/** https://platform.openai.com/docs/api-reference/chat/create */
export function readOpenAiRequest(json: unknown): ChatRequest {
  const f = new Fields(json);
  const legacyTools = f.objects('functions');
  const options = f.object('stream_options');
  const stream = f.flag('stream') ?? false;
  if (options && !stream) f.fail('stream_options', "left out unless 'stream' is true");
  return {
    model: f.needText('model'),
    messages: readMessages(f),
    tools: [...(f.objects('tools') ?? []).map(readTool), ...(legacyTools ?? []).map(readFunction)],
    toolChoice: readToolChoice(f) ?? readFunctionChoice(f),
    webSearch: readWebSearch(f),
    webSearchField: f.has('web_search_options') ? 'web_search_options' : undefined,
    parallelToolCalls: f.flag('parallel_tool_calls'),
    maxOutput: f.whole('max_completion_tokens', 1) ?? f.whole('max_tokens', 1),
    temperature: f.number('temperature'),
    topP: f.number('top_p'),
    topK: f.whole('top_k'),
    stop: f.texts('stop'),
    seed: f.number('seed'),
    frequencyPenalty: f.number('frequency_penalty'),
    presencePenalty: f.number('presence_penalty'),
    choices: f.whole('n', 1),
    format: readFormat(f),
    reasoning: readReasoning(f) ?? readGoogle(f),
    verbosity: f.text('verbosity'),
    modalities: f.has('modalities') ? f.texts('modalities') : undefined,
    sound: readSound(f.object('audio')),
    user: f.text('user') ?? f.text('safety_identifier'),
    serviceTier: f.text('service_tier'),
    cacheKey: f.text('prompt_cache_key'),
    stream,
    includeUsage: options?.flag('include_usage') ?? false,
    legacyFunctions: legacyTools !== undefined,
    unread: f.unread(),
  };
}

function readTool(tool: Fields): Tool {
  const type = tool.oneOf('type', ['function', 'custom']) ?? 'function';
  const cache = readCacheMark(tool);
  if (type === 'function') return { ...readFunction(tool.object('function') ?? tool.missing('function')), cache };
  const custom = tool.object('custom') ?? tool.missing('custom');
  const grammar = custom.object('format')?.object('grammar')?.text('definition');
  return {
    name: custom.needText('name'),
    description: customDescription(custom.text('description'), grammar),
    custom: true,
    cache,
  };
}

const readFunction = (called: Fields): Tool => ({
  name: called.needText('name'),
  description: called.text('description'),
  schema: called.map('parameters'),
  strict: called.flag('strict'),
});

function readToolChoice(f: Fields): ToolChoice | undefined {
  const value = f.any('tool_choice');
  if (value === undefined || typeof value === 'string') {
    const mode = f.oneOf('tool_choice', ['auto', 'none', 'required']);
    return mode && { mode };
  }
  const choice = new Fields(value, f.at('tool_choice'));
  const type = choice.oneOf('type', ['function', 'custom', 'allowed_tools']) ?? choice.missing('type');
  if (type !== 'allowed_tools') return { mode: 'required', names: [nameIn(choice, type)] };
  const allowed = choice.object('allowed_tools') ?? choice.missing('allowed_tools');
  return {
    mode: allowed.oneOf('mode', ['auto', 'required']) ?? 'auto',
    names: (allowed.objects('tools') ?? []).map((tool) =>
      nameIn(tool, tool.oneOf('type', ['function', 'custom']) ?? tool.missing('type')),
    ),
  };
}

const readSound = (audio: Fields | undefined): ChatRequest['sound'] =>
  audio && {
    field: 'audio',
    voice: typeof audio.any('voice') === 'string' ? audio.text('voice') : undefined,
    format: audio.text('format'),
  };

function readWebSearch(f: Fields): WebSearch | undefined {
  const options = f.object('web_search_options');
  return options && readPlace(options.object('user_location')?.object('approximate'));
}

const nameIn = (of: Fields, type: string): string => (of.object(type) ?? of.missing(type)).needText('name');

function readFunctionChoice(f: Fields): ToolChoice | undefined {
  const value = f.any('function_call');
  if (value === undefined || typeof value === 'string') {
    const mode = f.oneOf('function_call', ['auto', 'none']);
    return mode && { mode };
  }
  return { mode: 'required', names: [(f.object('function_call') ?? f.missing('function_call')).needText('name')] };
}

function readFormat(f: Fields): ResponseFormat | undefined {
  const format = f.object('response_format');
  const type = format?.oneOf('type', ['text', 'json_object', 'json_schema']);
  if (!format || !type) return undefined;
  if (type === 'text') return { type };
  if (type === 'json_object') return { type: 'json' };
  const schema = format.object('json_schema') ?? format.missing('json_schema');
  return {
    type,
    name: schema.text('name'),
    description: schema.text('description'),
    schema: schema.map('schema') ?? {},
    strict: schema.flag('strict'),
  };
}

/** https://ai.google.dev/gemini-api/docs/openai#extra-body */
function readGoogle(f: Fields): Reasoning | undefined {
  const google = f.object('google');
  return google && readThinkingConfig(new Fields(google.json, google.path, snake));
}

/** OpenAI's effort, or one of other vendors' objects. */
function readReasoning(f: Fields): Reasoning | undefined {
  const effort = f.oneOf('reasoning_effort', efforts);
  if (effort) return { effort, show: effort !== 'none' };
  const reasoning = f.object('reasoning');
  if (reasoning) {
    if (reasoning.flag('enabled') === false) return { effort: 'none' };
    return {
      effort: reasoning.oneOf('effort', efforts),
      budget: reasoning.whole('max_tokens'),
      show: reasoning.flag('exclude') !== true,
    };
  }
  const thinking = f.object('thinking');
  const type = thinking?.oneOf('type', ['enabled', 'disabled', 'auto', 'adaptive']);
  if (!thinking || !type) return undefined;
  if (type === 'disabled') return { effort: 'none' };
  return { budget: thinking.whole('budget_tokens'), dynamic: type !== 'enabled' || undefined, show: true };
}

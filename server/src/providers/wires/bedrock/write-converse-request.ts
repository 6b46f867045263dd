import { objectOr, type Json } from '#json.ts';
import { type ChatRequest, type Message, OPENING, type Tool } from '#chat/chat.ts';
import { claudeSchema } from '#chat/anthropic/anthropic-schema.ts';
import { anthropicTraits } from '#chat/anthropic/anthropic-traits.ts';
import { writeAnthropicRequest } from '#chat/anthropic/write-anthropic-request.ts';
import type { WireOptions } from '#chat/codec.ts';
import { offeredTools, refuseChoices } from '#chat/offered-tools.ts';
import { effortOf } from '#chat/reasoning.ts';
import { lookup } from '#providers/lookup.ts';
import { cachePoint, writeAnswerBlocks, writeBlocks } from './write-converse-blocks.ts';

/**
 * Writes the body of Converse; model and streaming are part of the path. Throws `BadChatRequest`.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
export function writeConverseRequest(request: ChatRequest, { model }: WireOptions): Json {
  refuseChoices(request);
  const isClaude = /claude/i.test(model);
  const claude = isClaude ? claudeFields(request, model) : undefined;
  const { system, messages } = writeConversation(request.messages);
  const structured = structuredOutput(request, model);
  const instructions = structured ? system : [...system, ...instructionsFor(request)];
  const inference = claude?.inference ?? writeSampling(request);
  const more = claude?.more ?? writeReasoning(request, model);
  const tier = tierOf(request.serviceTier);
  const toolConfig = writeTools(request, messages, model);
  return {
    messages,
    ...(instructions.length > 0 && { system: instructions }),
    ...(Object.keys(inference).length > 0 && { inferenceConfig: inference }),
    ...(toolConfig && { toolConfig }),
    ...(structured && { outputConfig: structured }),
    ...(Object.keys(more).length > 0 && { additionalModelRequestFields: more }),
    ...(tier && { serviceTier: { type: tier } }),
  };
}

const tierOf = lookup({ priority: 'priority', flex: 'flex', default: 'default' });

interface ConverseTurn {
  role: 'user' | 'assistant';
  content: Json[];
}

/** Merges consecutive messages of one role and moves instructions to the front. */
function writeConversation(list: readonly Message[]): { system: Json[]; messages: ConverseTurn[] } {
  const system: Json[] = [];
  const messages: ConverseTurn[] = [];
  for (const { role, parts } of list) {
    if (role === 'system' || role === 'developer') {
      system.push(...parts.flatMap(writeBlocks));
      continue;
    }
    const side = role === 'assistant' ? 'assistant' : 'user';
    const content = parts.flatMap(side === 'assistant' ? writeAnswerBlocks : writeBlocks);
    if (content.length === 0) continue;
    const last = messages.at(-1);
    if (last?.role === side) last.content.push(...content);
    else messages.push({ role: side, content });
  }
  const last = messages.at(-1);
  if (!last) return { system: [], messages: [{ role: 'user', content: system }] };
  withoutLastBlanks(last);
  if (messages[0]?.role === 'assistant') messages.unshift({ role: 'user', content: [{ text: OPENING }] });
  return { system, messages: messages.map(withText) };
}

/** A document without text is refused. */
function withText(turn: ConverseTurn): ConverseTurn {
  const lonely = turn.content.some((block) => 'document' in block) && !turn.content.some((block) => 'text' in block);
  return lonely ? { ...turn, content: [...turn.content, { text: 'The document is attached.' }] } : turn;
}

/** A prefilled answer must not end in whitespace. */
function withoutLastBlanks({ role, content }: ConverseTurn): void {
  const last = content.at(-1);
  if (role === 'assistant' && typeof last?.['text'] === 'string') last['text'] = last['text'].trimEnd();
}

/** Tools cannot be forbidden, only omitted; but they are required if the conversation contains calls. */
function writeTools(request: ChatRequest, messages: readonly ConverseTurn[], model: string): Json | undefined {
  const { tools, mode, only } = offeredTools(request);
  const called = new Set(messages.flatMap(({ content }) => content.flatMap(nameOfCall)));
  if (mode === 'none' && called.size === 0) return undefined;
  if (tools.length === 0) return called.size > 0 ? { tools: [...called].map((name) => toolSpec({ name })) } : undefined;
  const choice = mode === 'required' ? forced(only, model) : undefined;
  return { tools: tools.flatMap((tool) => [toolSpec(tool), ...cachePoint(tool.cache)]), ...choice };
}

/** Few vendors' models support forcing a tool call, and fewer a specific one. */
function forced(only: string | undefined, model: string): Json {
  if (/claude/i.test(model) && !anthropicTraits(model).forcedTools) return {};
  if (only !== undefined && /claude|nova/i.test(model)) return { toolChoice: { tool: { name: only } } };
  return /claude|nova|mistral/i.test(model) ? { toolChoice: { any: {} } } : {};
}

function toolSpec({ name, description, schema, strict }: Tool): Json {
  const json = { ...(schema ?? { properties: {} }), type: 'object' };
  return { toolSpec: { name, ...(description && { description }), inputSchema: { json }, ...(strict && { strict }) } };
}

function nameOfCall(block: Json): string[] {
  const { name } = objectOr(block['toolUse']);
  return typeof name === 'string' ? [name] : [];
}

function writeSampling({ maxOutput, temperature, topP, stop }: ChatRequest): Json {
  return {
    ...(maxOutput !== undefined && { maxTokens: maxOutput }),
    ...(temperature !== undefined && { temperature: Math.min(temperature, 1) }),
    ...(topP !== undefined && { topP }),
    ...(stop.length > 0 && { stopSequences: stop }),
  };
}

/** Claude's parameters depend on its name, by the rules of Anthropic's own wire. */
function claudeFields(request: ChatRequest, model: string): { inference: Json; more: Json } {
  const silent = { ...request, messages: request.messages.filter(({ parts }) => parts.every(isNoMedia)) };
  const {
    max_tokens,
    temperature,
    top_p,
    top_k,
    thinking,
    output_config: output,
  } = writeAnthropicRequest(silent, { model });
  const effort = objectOr(output)['effort'];
  return {
    inference: {
      maxTokens: max_tokens,
      ...(temperature !== undefined && { temperature }),
      ...(top_p !== undefined && { topP: top_p }),
      ...(request.stop.length > 0 && { stopSequences: request.stop }),
    },
    more: {
      ...(top_k !== undefined && { top_k }),
      ...(thinking !== undefined && { thinking }),
      ...(effort !== undefined && { output_config: { effort } }),
    },
  };
}

const isNoMedia = ({ type }: Message['parts'][number]): boolean => type !== 'audio' && type !== 'file';

/** Reasoning parameters of other vendors' models. */
function writeReasoning({ reasoning }: ChatRequest, model: string): Json {
  const effort = reasoning && effortOf(reasoning);
  if (effort === undefined) return {};
  const level = effort === 'minimal' ? 'low' : effort === 'xhigh' || effort === 'max' ? 'high' : effort;
  if (/gpt-oss/.test(model)) return level === 'none' ? {} : { reasoning_effort: level };
  if (!/nova-2/.test(model)) return {};
  return {
    reasoningConfig: level === 'none' ? { type: 'disabled' } : { type: 'enabled', maxReasoningEffort: level },
  };
}

const structures = /gpt-oss|qwen3|mistral|ministral|magistral|kimi|minimax|deepseek\.v3|glm|nemotron|gemma/;

/** The reply format, for models that support it. */
function structuredOutput({ format }: ChatRequest, model: string): Json | undefined {
  if (format?.type !== 'json_schema') return undefined;
  const isClaude = /claude/i.test(model);
  if (!(isClaude ? anthropicTraits(model).schemas : structures.test(model))) return undefined;
  const { name = 'answer', description, schema } = format;
  const fitting = isClaude ? claudeSchema(schema) : schema;
  const jsonSchema = { name, ...(description && { description }), schema: JSON.stringify(fitting) };
  return { textFormat: { type: 'json_schema', structure: { jsonSchema } } };
}

function instructionsFor({ format }: ChatRequest): Json[] {
  if (!format || format.type === 'text') return [];
  const schema = format.type === 'json_schema' ? ` It must be valid against: ${JSON.stringify(format.schema)}` : '';
  return [{ text: `Answer with JSON and nothing else.${schema}` }];
}

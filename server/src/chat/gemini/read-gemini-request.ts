import { isObject, listOr, numberOf, type Json } from '#json.ts';
import type { ChatRequest, Part, Reasoning, ResponseFormat, Tool, ToolChoice } from '../chat.ts';
import type { Addressed } from '../codec.ts';
import { Fields } from '../fields.ts';
import { isSearch } from '../offered-tools.ts';
import { CallIds, readContents, readParts } from './read-gemini-contents.ts';

/** The snake_case spelling, which Google accepts as well. */
export const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * Reads a generateContent request. Model and streaming are part of the URL; field names may be camelCase or snake_case.
 * https://ai.google.dev/api/generate-content
 */
export function readGeminiRequest(json: unknown, { model, stream = false, counting }: Addressed = {}): ChatRequest {
  const body = new Fields(json, '', snake);
  // countTokens may wrap a whole request.
  const f = (counting && body.object('generateContentRequest')) || body;
  const config = f.object('generationConfig') ?? new Fields({}, 'generationConfig');
  const instruction = f.object('systemInstruction');
  const tools = f.oneOrMore('tools') ?? [];
  const hosted = tools.flatMap(({ json: tool }) =>
    Object.keys(tool).filter((name) => tool[name] != null && !isOwn(name)),
  );
  const search = hosted.find(isSearch);
  const lost = hosted.filter((name) => !isSearch(name)).map((name) => `tools.${name}`);
  const system = [...(instruction ? readParts(instruction, new CallIds()) : []), ...readEnumHint(config)];
  return {
    model: model ?? f.needText('model'),
    messages: [...(system.length > 0 ? [{ role: 'system' as const, parts: system }] : []), ...readContents(f)],
    tools: tools.flatMap((tool) => (tool.oneOrMore('functionDeclarations') ?? []).map(readTool)),
    toolChoice: readToolChoice(f),
    webSearch: search === undefined ? undefined : {},
    webSearchField: search && `tools.${search}`,
    maxOutput: config.whole('maxOutputTokens', 1),
    temperature: config.number('temperature'),
    topP: config.number('topP'),
    topK: config.whole('topK'),
    stop: config.texts('stopSequences'),
    seed: config.number('seed'),
    frequencyPenalty: config.number('frequencyPenalty'),
    presencePenalty: config.number('presencePenalty'),
    choices: config.whole('candidateCount', 1),
    format: readFormat(config),
    reasoning: readThinkingConfig(config),
    modalities: config.has('responseModalities')
      ? config.texts('responseModalities').map((one) => one.toLowerCase())
      : undefined,
    sound: readSpeech(config),
    serviceTier: readTier(f.text('serviceTier')),
    stream,
    includeUsage: true,
    unread: unreadIn(body, config, lost),
  };
}

const isOwn = (name: string): boolean => name === 'functionDeclarations' || name === 'function_declarations';

/** The model is in the path, but some clients repeat it. */
function unreadIn(body: Fields, config: Fields, lost: readonly string[]): string[] | undefined {
  const unread = [...(body.unread(lost) ?? []), ...(config.unread() ?? [])].filter((name) => name !== 'model');
  return unread.length > 0 ? unread : undefined;
}

function readSpeech(config: Fields): ChatRequest['sound'] {
  const speech = config.object('speechConfig');
  return (
    speech && {
      field: 'generationConfig.speechConfig',
      voice: speech.object('voiceConfig')?.object('prebuiltVoiceConfig')?.text('voiceName'),
    }
  );
}

const readTier = (tier: string | undefined): string | undefined =>
  tier === 'standard' ? 'default' : tier === 'unspecified' ? undefined : tier;

function readTool(tool: Fields): Tool {
  const { name, description } = { name: tool.needText('name'), description: tool.text('description') };
  const json = tool.map('parametersJsonSchema');
  const openApi = tool.map('parameters');
  return { name, description, schema: json ?? (openApi && jsonSchemaOf(openApi)) };
}

/** Google's own schemas have upper-case types and limits as strings. */
export function jsonSchemaOf(schema: Json): Json {
  const out: Json = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'type') out[key] = String(value).toLowerCase();
    else if (key === 'properties' && isObject(value))
      out[key] = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, nestedSchema(one)]));
    else if (key === 'items') out[key] = nestedSchema(value);
    else if ((key === 'anyOf' || key === 'any_of') && Array.isArray(value)) out['anyOf'] = value.map(nestedSchema);
    else if (key === 'example') out['examples'] = [value];
    else if (/^(min|max)/.test(key) && typeof value === 'string') out[key] = numberOf(value);
    else if (key !== 'nullable' && key !== 'propertyOrdering') out[key] = value;
  }
  if (schema['nullable'] === true && out['type'] !== undefined) out['type'] = [out['type'], 'null'];
  return out;
}

const nestedSchema = (value: unknown): unknown => (isObject(value) ? jsonSchemaOf(value) : value);

function readToolChoice(f: Fields): ToolChoice | undefined {
  const calling = f.object('toolConfig')?.object('functionCallingConfig');
  if (!calling) return undefined;
  const mode = calling.text('mode')?.toUpperCase();
  const names = calling.has('allowedFunctionNames') ? calling.texts('allowedFunctionNames') : undefined;
  if (mode === 'NONE') return { mode: 'none' };
  return { mode: mode === 'ANY' ? 'required' : 'auto', names: names?.length ? names : undefined };
}

function readFormat(config: Fields): ResponseFormat | undefined {
  const text = config
    .objects('responseFormat')
    ?.find((one) => one.has('text'))
    ?.object('text');
  const textSchema = text?.map('schema');
  if (textSchema) return { type: 'json_schema', schema: textSchema };
  if (config.text('responseMimeType') !== 'application/json') return undefined;
  const json = config.map('responseJsonSchema');
  const openApi = config.map('responseSchema');
  const schema = json ?? (openApi && jsonSchemaOf(openApi));
  return schema ? { type: 'json_schema', schema } : { type: 'json' };
}

/** Enum output, which other vendors lack, becomes an instruction. */
function readEnumHint(config: Fields): Part[] {
  if (config.text('responseMimeType') !== 'text/x.enum') return [];
  const values = listOr((config.map('responseJsonSchema') ?? config.map('responseSchema'))?.['enum']).filter(
    (word) => typeof word === 'string',
  );
  if (values.length === 0) return [];
  const text = ['Answer with exactly one of these lines, as it stands here, and with nothing else:', ...values];
  return [{ type: 'text', text: text.join('\n') }];
}

/** Google's wish for reasoning in its own configuration, or in that of Chat Completions. */
export function readThinkingConfig(config: Fields): Reasoning | undefined {
  const thinking = config.object('thinkingConfig');
  if (!thinking) return undefined;
  const level = thinking.text('thinkingLevel')?.toLowerCase();
  const effort = (['minimal', 'low', 'medium', 'high'] as const).find((one) => one === level);
  const budget = thinking.number('thinkingBudget');
  const show = thinking.flag('includeThoughts') ?? false;
  if (budget === 0) return { effort: 'none' };
  if (budget !== undefined && budget < 0) return { effort, dynamic: true, show };
  return { effort, budget, show };
}

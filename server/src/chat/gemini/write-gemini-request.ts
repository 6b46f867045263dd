import { objectOr, type Json } from '#json.ts';
import { BadChatRequest } from '../chat-errors.ts';
import type { ChatRequest, Reasoning, ResponseFormat } from '../chat.ts';
import type { WireOptions } from '../codec.ts';
import { lookUp } from '../fields.ts';
import { offeredTools, refuseChoices } from '../offered-tools.ts';
import { budgetOf, effortOf } from '../reasoning.ts';
import { steered, type Steering } from '../steering.ts';
import { withoutReferences } from './gemini-schema.ts';
import { BUDGETS, type GeminiTraits, geminiTraits, MOST_STOPS } from './gemini-traits.ts';
import { snake } from './read-gemini-request.ts';
import { writeContents } from './write-gemini-contents.ts';

export interface GeminiWireOptions extends WireOptions {
  /** Operator's overrides of the traits derived from the name. */
  traits?: Partial<GeminiTraits> | undefined;
  safetySettings?: readonly Json[] | undefined;
}

/** Writes the body of generateContent; model and streaming are part of the URL. Throws `BadChatRequest`. */
export function writeGeminiRequest(request: ChatRequest, options: GeminiWireOptions): Json {
  refuseChoices(request);
  const traits = { ...geminiTraits(options.model), ...options.traits };
  const { system, contents } = writeContents(request.messages, traits);
  const tools = writeTools(request);
  const asText = request.format && 'tools' in tools && !traits.jsonWithTools;
  const instructions = asText ? [...system, ...instructionsFor(request.format)] : system;
  const config = {
    ...writeSampling(request),
    ...(asText ? {} : writeFormat(request.format)),
    ...writeThinking(request.reasoning, traits),
    ...writeModalities(request),
  };
  return {
    contents,
    ...(instructions.length > 0 && { systemInstruction: { parts: instructions } }),
    ...tools,
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
    ...writeTier(request.serviceTier),
    ...(options.safetySettings && { safetySettings: options.safetySettings }),
  };
}

/** A spoken answer is sound alone: Google refuses text together with it. */
function writeModalities({ modalities, sound, stream }: ChatRequest): Json {
  if (!modalities?.includes('audio'))
    return modalities ? { responseModalities: modalities.map((one) => one.toUpperCase()) } : {};
  const { format, voice } = sound ?? {};
  const formats = stream ? ['pcm16'] : ['wav', 'pcm16'];
  if (format !== undefined && !formats.includes(format))
    throw new BadChatRequest(`The model behind this name speaks in ${formats.join(' or ')} only.`, 'audio.format');
  return { responseModalities: ['AUDIO'], ...speechConfig(voice) };
}

/** OpenAI's voices by the most similar ones of Google; other names are Google's own. */
const voices: Readonly<Record<string, string>> = {
  alloy: 'Kore',
  echo: 'Puck',
  fable: 'Charon',
  onyx: 'Orus',
  nova: 'Aoede',
  shimmer: 'Leda',
  ash: 'Iapetus',
  ballad: 'Umbriel',
  coral: 'Autonoe',
  sage: 'Sulafat',
  verse: 'Fenrir',
  marin: 'Callirrhoe',
  cedar: 'Algieba',
};

/** Google's wish for a voice. */
export const speechConfig = (voice: string | undefined): Json =>
  voice === undefined
    ? {}
    : { speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: lookUp(voices, voice) ?? voice } } } };

/** Changes to a passed-through request for the reasoning suffix of the model name. */
export function steerGemini(body: Json, steering: Steering, options: GeminiWireOptions): Json {
  const traits = { ...geminiTraits(options.model), ...options.traits };
  const { thinkingConfig: added } = writeThinking(steered(undefined, steering), traits);
  if (!added) return {};
  const [config, configOf] = memberOf(body, 'generationConfig');
  const [thinking, own] = memberOf(configOf, 'thinkingConfig');
  const {
    thinkingBudget,
    thinking_budget = thinkingBudget,
    thinkingLevel,
    thinking_level = thinkingLevel,
    ...rest
  } = own;
  if (steering === 'thinking' && (thinking_budget ?? thinking_level) !== undefined) return {};
  return { [config]: { ...configOf, [thinking]: { ...rest, ...objectOr(added) } } };
}

/** A member in whichever of Google's two spellings the request uses. */
function memberOf(of: Json, name: string): [string, Json] {
  const spelt = of[name] === undefined && of[snake(name)] !== undefined ? snake(name) : name;
  return [spelt, objectOr(of[spelt])];
}

/**
 * Google's own tools. Clients of Chat Completions cannot name them otherwise than as functions.
 * https://ai.google.dev/gemini-api/docs/google-search
 */
const builtIn = new Set(['googleSearch', 'codeExecution', 'urlContext']);

/** Google's search is refused together with functions, except where the caller names it as one. */
export const geminiSearches = ({ webSearch, tools }: ChatRequest): boolean =>
  webSearch !== undefined && tools.every(({ name }) => builtIn.has(name));

function writeTools(request: ChatRequest): Json {
  const { tools: offered, mode, only } = offeredTools(request);
  const wanted = offered.filter(({ name }) => builtIn.has(name)).map(({ name }) => name);
  const searches = geminiSearches(request) && mode !== 'none';
  const own = [...new Set([...wanted, ...(searches ? ['googleSearch'] : [])])].map((name) => ({ [name]: {} }));
  const tools = offered.filter(({ name }) => !builtIn.has(name));
  if (tools.length === 0) return own.length > 0 ? { tools: own } : {};
  const functionDeclarations = tools.map(({ name, description, schema }) => ({
    name,
    ...(description !== undefined && { description }),
    ...(schema && { parametersJsonSchema: withoutReferences(schema) }),
  }));
  const all = [...own, { functionDeclarations }];
  if (mode === undefined) return { tools: all };
  const names = only === undefined || builtIn.has(only) ? {} : { allowedFunctionNames: [only] };
  const config = { mode: { auto: 'AUTO', none: 'NONE', required: 'ANY' }[mode], ...names };
  return { tools: all, toolConfig: { functionCallingConfig: config } };
}

function writeSampling(request: ChatRequest): Json {
  const { maxOutput, temperature, topP, topK, stop, seed, frequencyPenalty, presencePenalty } = request;
  return {
    ...(maxOutput !== undefined && { maxOutputTokens: maxOutput }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(topK !== undefined && { topK }),
    ...(stop.length > 0 && { stopSequences: stop.slice(0, MOST_STOPS) }),
    // Limited to 32 bits; other vendors' seeds have 64.
    ...(seed !== undefined && { seed: seed % 2 ** 31 }),
    ...(frequencyPenalty !== undefined && { frequencyPenalty }),
    ...(presencePenalty !== undefined && { presencePenalty }),
  };
}

function writeFormat(format: ResponseFormat | undefined): Json {
  if (!format || format.type === 'text') return {};
  const schema = format.type === 'json_schema' ? { responseJsonSchema: withoutReferences(format.schema) } : {};
  return { responseMimeType: 'application/json', ...schema };
}

/** Instructions for older models, which refuse JSON output together with functions. */
function instructionsFor(format: ResponseFormat | undefined): Json[] {
  if (!format || format.type === 'text') return [];
  const schema = format.type === 'json_schema' ? ` It must be valid against: ${JSON.stringify(format.schema)}` : '';
  return [{ text: `Answer with JSON and nothing else.${schema}` }];
}

function writeThinking(reasoning: Reasoning | undefined, traits: GeminiTraits): Json {
  if (!reasoning || traits.thinking === 'none') return {};
  const config = traits.thinking === 'level' ? level(reasoning, traits) : budget(reasoning, traits);
  const visibility = reasoning.show === undefined ? {} : { includeThoughts: reasoning.show };
  const thinkingConfig = { ...config, ...visibility };
  return Object.keys(thinkingConfig).length > 0 ? { thinkingConfig } : {};
}

function level(reasoning: Reasoning, { pro, medium }: GeminiTraits): Json {
  const effort = effortOf(reasoning);
  if (effort === undefined) return {};
  if (effort === 'none' || effort === 'minimal') return { thinkingLevel: pro ? 'LOW' : 'MINIMAL' };
  if (effort === 'low') return { thinkingLevel: 'LOW' };
  return { thinkingLevel: effort === 'medium' && medium ? 'MEDIUM' : 'HIGH' };
}

function budget(reasoning: Reasoning, { pro }: GeminiTraits): Json {
  const requested = reasoning.budget ?? (reasoning.effort && budgetOf(reasoning.effort));
  if (requested === undefined) return reasoning.dynamic ? { thinkingBudget: -1 } : {};
  const most = pro ? BUDGETS.pro : BUDGETS.flash;
  return { thinkingBudget: Math.max(pro ? BUDGETS.leastPro : 0, Math.min(most, requested)) };
}

function writeTier(tier: string | undefined): Json {
  if (tier === 'default') return { serviceTier: 'standard' };
  return tier === 'flex' || tier === 'priority' ? { serviceTier: tier } : {};
}

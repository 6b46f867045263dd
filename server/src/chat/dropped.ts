import type { DroppedField } from './codec.ts';

/**
 * Fields that conversions drop: the source of docs/conversions.md, tested against the fields of the official clients.
 * Refused fields are not listed.
 */

const list = (why: string, ...fields: string[]): DroppedField[] => fields.map((field) => ({ field, why }));

const account = 'belongs to an account at OpenAI, where nothing is stored';
const vendorsTool = 'is run by the vendor itself; no other vendor has the same';

export const openAiRequest: readonly DroppedField[] = [
  ...list('only OpenAI’s own models speak', 'messages.audio'),
  ...list('counts in one vendor’s vocabulary', 'logit_bias'),
  ...list('no other vendor returns them in this form', 'logprobs', 'top_logprobs'),
  ...list(account, 'metadata', 'store', 'moderation', 'prompt_cache_options', 'prompt_cache_retention'),
  ...list('a way to be faster, which others have not', 'prediction', 'stream_options.include_obfuscation'),
  ...list('only Claude and Gemini search by themselves', 'web_search_options (elsewhere)'),
  ...list('no other vendor has such a wish', 'web_search_options.search_context_size'),
  ...list('written into the tool’s description', 'tools.custom.format'),
];

export const responsesRequest: readonly DroppedField[] = [
  ...list(account, 'moderation', 'access_programs', 'prompt_cache_options', 'prompt_cache_retention'),
  ...list('there is nothing to shorten: the whole conversation is sent', 'context_management'),
  ...list('repeated in the answer, and otherwise without effect', 'metadata', 'truncation'),
  ...list('reasoning is always given so that it can come back; the rest belongs to the vendor’s own tools', 'include'),
  ...list('belongs to the vendor’s own tools', 'max_tool_calls', 'image'),
  ...list('no other vendor returns them in this form', 'top_logprobs', 'stream_options'),
  ...list('belongs to OpenAI’s own models', 'reasoning.context', 'reasoning.mode', 'input.phase'),
  ...list(
    vendorsTool,
    'tools (all but function, custom, namespace, web_search, and mcp with an address and without approval)',
    'input (items of such tools)',
  ),
  ...list('written into the tool’s description', 'tools.format'),
];

export const anthropicRequest: readonly DroppedField[] = [
  ...list('marks on blocks and tools are kept where the wire has such marks; this one names no place', 'cache_control'),
  ...list('a conversation that Anthropic keeps; its clients send the whole one after the 404', 'thread'),
  ...list('belongs to the vendor’s own tools', 'container'),
  ...list('belongs to Anthropic’s own models', 'diagnostics', 'inference_geo', 'speed'),
  ...list('there is nothing to shorten: the whole conversation is sent', 'context_management'),
  ...list(
    vendorsTool,
    'tools (the vendor’s own types but web_search and mcp_toolset)',
    'messages.content (blocks of such tools)',
  ),
  ...list(
    'a hint for Claude only',
    'tools.allowed_callers',
    'tools.defer_loading',
    'tools.eager_input_streaming',
    'tools.input_examples',
  ),
  ...list('answers of other vendors have no citations in this form', 'messages.content.citations'),
  ...list('a note beside a document', 'messages.content.context', 'messages.content.transformations'),
];

export const geminiRequest: readonly DroppedField[] = [
  ...list('other vendors have no such switches', 'safetySettings'),
  ...list('belongs to an account at Google, where nothing is stored', 'cachedContent', 'labels', 'store'),
  ...list(vendorsTool, 'tools (all but functionDeclarations and googleSearch)', 'toolConfig.retrievalConfig'),
  ...list(vendorsTool, 'contents.parts.executableCode', 'contents.parts.codeExecutionResult'),
  ...list('a hint for Gemini only', 'contents.parts.videoMetadata', 'contents.parts.mediaResolution'),
  ...list('describes a function’s answer, which no model needs', 'tools.functionDeclarations.response'),
  ...list(
    'no other vendor returns them in this form',
    'generationConfig.responseLogprobs',
    'generationConfig.logprobs',
  ),
  ...list('described in the prompt', 'generationConfig.responseMimeType (text/x.enum)'),
  ...list(
    'belongs to Google’s own models',
    ...['audioTimestamp', 'audioTranscriptionConfig', 'enableAffectiveDialog', 'enableEnhancedCivicAnswers'].map(
      config,
    ),
    ...['imageConfig', 'mediaResolution', 'modelSelectionConfig', 'routingConfig', 'translationConfig'].map(config),
  ),
];

function config(field: string): string {
  return `generationConfig.${field}`;
}

const foreignThinking = 'reasoning that another vendor signed, or none, cannot be read or is refused';
const marks = 'the vendor caches by itself';
const oneAnswer = 'an earlier answer with pictures cannot be sent back';

export const openAiWire: readonly DroppedField[] = [
  ...list('only OpenAI’s Responses and Anthropic call such servers', 'mcpServers'),
  ...list('the wire has no such field', 'topK'),
  ...list('only some of OpenAI’s models search in this wire', 'webSearch'),
  ...list('the text of the result says it', 'messages.parts.tool_result.isError'),
  ...list('OpenAI’s own models take none; others take what no vendor signed', 'messages.parts.thinking'),
  ...list('unless the provider takes marks', 'messages.parts.cache', 'tools.cache'),
  ...list(oneAnswer, 'messages.parts.image (of an answer)'),
  ...list('more than four are refused', 'stop (from the fifth on)'),
  ...list(
    'OpenAI’s reasoning models refuse it',
    'temperature, topP, frequencyPenalty, presencePenalty (o and gpt-5 models)',
  ),
  ...list(
    'only OpenAI’s reasoning models take it',
    'verbosity, reasoning (other models, unless the provider says how or it stands behind the model’s name)',
  ),
];

export const responsesWire: readonly DroppedField[] = [
  ...list('the wire has no such field', 'topK', 'stop', 'seed', 'frequencyPenalty', 'presencePenalty', 'modalities'),
  ...list('the wire has no such field', 'messages.name', 'messages.parts.tool_result.isError'),
  ...list(marks, 'messages.parts.cache', 'tools.cache'),
  ...list(foreignThinking, 'messages.parts.thinking'),
  ...list('answers are text', 'sound'),
  ...list(oneAnswer, 'messages.parts.image (of an answer)'),
  ...list('OpenAI’s reasoning models refuse it', 'temperature, topP (o and gpt-5 models)'),
  ...list(
    'only OpenAI’s reasoning models take it',
    'verbosity, reasoning (other models, unless it stands behind the model’s name)',
  ),
];

export const anthropicWire: readonly DroppedField[] = [
  ...list('the wire has no such field', 'seed', 'frequencyPenalty', 'presencePenalty', 'verbosity', 'modalities'),
  ...list('the wire has no such field', 'cacheKey', 'messages.name', 'messages.parts.image.detail'),
  ...list('answers are text', 'sound'),
  ...list('the vendor has its own tiers', 'serviceTier (other than default)'),
  ...list('the vendor limits number and form of strict tools', 'tools.strict'),
  ...list(foreignThinking, 'messages.parts.thinking'),
  ...list(oneAnswer, 'messages.parts.image (of an answer)'),
  ...list('the newest models refuse it', 'temperature, topP, topK (Opus 4.7, the fifth generation, and with a budget)'),
  ...list('refused together with temperature', 'topP (from 4.1 on)'),
  ...list('written into the description', 'format (ranges, lengths and patterns of a schema)'),
  ...list('the newest models refuse it', 'toolChoice (a forced tool: Opus 5.5, Fable 5.1)'),
];

export const geminiWire: readonly DroppedField[] = [
  ...list('only OpenAI’s Responses and Anthropic call such servers', 'mcpServers'),
  ...list('the wire has no such field', 'parallelToolCalls', 'verbosity', 'user', 'cacheKey', 'messages.name'),
  ...list(
    'the wire has no such field',
    'messages.parts.image.detail',
    'tools.strict',
    'webSearch (the place; beside functions the whole)',
  ),
  ...list(marks, 'messages.parts.cache', 'tools.cache'),
  ...list(foreignThinking, 'messages.parts.thinking'),
  ...list('more than five are refused', 'stop (from the sixth on)'),
  ...list('models before 2.5 do not reason', 'reasoning (older models)'),
  ...list('described in the prompt when there are tools too', 'format (models before 3)'),
];

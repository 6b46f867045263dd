import { objectOf } from '#json.ts';

/**
 * Content that a vendor may read for a request. `plain`: only the request. `references`: also remote or opaque content
 * whose tokens do not follow from its bytes (files, audio, URLs, stored state, cached content, hidden reasoning).
 * `tools`: also hosted tools, which make the vendor read repeatedly and without limit.
 */
export interface RequestKind {
  reads: 'plain' | 'references' | 'tools';
  /** Inline pictures. */
  pictures: number;
  /** The vendor may write output that is not returned: rejected predictions, hidden candidates. */
  hidesOutput: boolean;
}

/**
 * Classifies a request of any dialect. Only known members count as plain. Walks the whole request, so it is called only
 * for a doubtful usage.
 */
export function kindOfRequest(json: unknown): RequestKind {
  const walk: KindWalk = { reads: 'plain', pictures: 0 };
  const request = objectOf(json);
  // Forms contain files.
  if (!request) return { reads: 'references', pictures: 0, hidesOutput: false };
  for (const name in request) {
    const value = request[name];
    if (value === undefined || value === null || settings.has(name)) continue;
    if (name === 'tools' || name === 'functions') readTools(walk, value);
    else if (contents.has(name)) readContent(walk, value);
    else if (name === 'requests' && Array.isArray(value))
      for (const one of value) readContent(walk, objectOf(one)?.['content']);
    else if (references.has(name)) refers(walk);
    else walk.reads = 'tools';
  }
  return { ...walk, hidesOutput: request['prediction'] !== undefined || request['best_of'] !== undefined };
}

/** Members that ask for audio or for output that is not returned. */
const hidesOutput = new Set(['prediction', 'best_of', 'audio']);
/** Members that ask a model to reason. */
const asksToReason = new Set(['thinking', 'reasoning', 'reasoning_effort', 'output_config']);

/**
 * Whether all output of a chat can be seen in its stream: it uses no hosted tools and asks for no audio and no hidden
 * candidates. Only known members count. Reads top-level members alone, so it is cheap enough for every stream.
 * `mayReason`: the model hides its reasoning if it is asked to reason.
 */
export function showsAllOutput(json: unknown, mayReason: boolean): boolean {
  const request = objectOf(json);
  if (!request) return false;
  const walk: KindWalk = { reads: 'plain', pictures: 0 };
  for (const name in request) {
    const value = request[name];
    if (value === undefined || value === null) continue;
    if (hidesOutput.has(name) || (mayReason && asksToReason.has(name))) return false;
    if (name === 'tools' || name === 'functions') readTools(walk, value);
    else if (name === 'modalities') {
      if (!isTextOnly(value)) return false;
    } else if (name === 'generationConfig' || name === 'generation_config') {
      const config = objectOf(value);
      if (!isTextOnly(config?.['responseModalities'] ?? config?.['response_modalities'])) return false;
    } else if (!settings.has(name) && !contents.has(name) && !references.has(name)) return false;
  }
  return walk.reads === 'plain';
}

const isTextOnly = (modalities: unknown): boolean =>
  modalities === undefined ||
  (Array.isArray(modalities) && modalities.every((one) => String(one).toLowerCase() === 'text'));

interface KindWalk {
  reads: RequestKind['reads'];
  pictures: number;
}

const refers = (walk: KindWalk): void => {
  if (walk.reads === 'plain') walk.reads = 'references';
};

/** Parameters that add nothing to read beyond their own bytes. */
const settings = new Set(
  (
    'model stream stream_options max_tokens max_completion_tokens max_output_tokens n best_of candidateCount temperature top_p ' +
    'top_k min_p top_a seed stop stop_sequences frequency_penalty presence_penalty repetition_penalty logit_bias logprobs ' +
    'top_logprobs echo user metadata store service_tier response_format text verbosity reasoning reasoning_effort ' +
    'thinking enable_thinking thinking_budget chat_template_kwargs output_config tool_choice parallel_tool_calls ' +
    'function_call modalities audio prompt_cache_key prompt_cache_retention safety_identifier cache_control include ' +
    'truncation encoding_format dimensions input_type task task_type taskType title outputDimensionality embedding_types ' +
    'top_n return_documents max_chunks_per_doc max_tokens_per_doc generationConfig generation_config safetySettings ' +
    'safety_settings toolConfig tool_config labels size quality style background moderation output_format ' +
    'output_compression partial_images input_fidelity prediction voice speed instructions_format stream_format language'
  ).split(' '),
);

/** Members with content to read. */
const contents = new Set(
  (
    'messages system instructions input prompt suffix contents content systemInstruction system_instruction query ' +
    'documents texts inputs'
  ).split(' '),
);

/** Members that refer to remote content. */
const references = new Set(
  'previous_response_id conversation cachedContent cached_content images image mask'.split(' '),
);

/** Functions that some vendors and gateways treat as built-in tools. */
const builtIn = new Set(['googleSearch', 'codeExecution', 'urlContext', '$web_search']);

function readTools(walk: KindWalk, value: unknown): void {
  for (const one of Array.isArray(value) ? value : [value]) {
    const tool = objectOf(one);
    const { type, functionDeclarations, function_declarations: declared, ...others } = tool ?? {};
    const called = objectOf(tool?.['function']) ?? tool;
    const isOwn =
      functionDeclarations === undefined && declared === undefined
        ? (type === undefined || type === 'function' || type === 'custom') && typeof called?.['name'] === 'string'
        : Object.keys(others).length === 0;
    if (!isOwn || builtIn.has(String(called?.['name']))) walk.reads = 'tools';
  }
}

/** Types of messages and parts whose members are the content. */
const plainTypes = new Set<unknown>([
  undefined,
  'message',
  'text',
  'input_text',
  'output_text',
  'refusal',
  'tool_use',
  'tool_result',
  'function',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
]);

/** Members that contain further parts; the others are names, ids and arguments. */
const nested = ['content', 'parts', 'output', 'tool_calls', 'toolResult'] as const;

/** Members that stand for absent content. */
const hidden = [
  'audio',
  'fileData',
  'file_data',
  'file_id',
  'thoughtSignature',
  'thought_signature',
  'reasoning_details',
];

function readContent(walk: KindWalk, value: unknown): void {
  if (Array.isArray(value)) return value.forEach((one) => readContent(walk, one));
  const part = objectOf(value);
  if (!part) return;
  const { type } = part;
  const data = objectOf(part['inlineData'] ?? part['inline_data']);
  if (data) return readPicture(walk, String(data['mimeType'] ?? data['mime_type']).startsWith('image/'));
  if (type === 'image_url' || type === 'input_image') {
    const url = objectOf(part['image_url'])?.['url'] ?? part['image_url'];
    return readPicture(walk, typeof url === 'string' && url.startsWith('data:'));
  }
  if (type === 'image') return readPicture(walk, objectOf(part['source'])?.['type'] === 'base64');
  if (!plainTypes.has(type)) return refers(walk);
  if (hidden.some((name) => part[name] !== undefined && part[name] !== null)) refers(walk);
  for (const name of nested) if (typeof part[name] === 'object') readContent(walk, part[name]);
}

function readPicture(walk: KindWalk, isHere: boolean): void {
  if (isHere) walk.pictures++;
  else refers(walk);
}

/** Number of texts that a rerank request scores, each together with the query. */
export function documentsIn(json: unknown): number {
  const documents = objectOf(json)?.['documents'];
  return Array.isArray(documents) ? Math.max(1, documents.length) : 1;
}

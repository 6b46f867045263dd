/**
 * One body has one meaning. Go reads the names of members without regard to case, and takes the last of several equal
 * ones; other parsers read them exactly. A body that two parsers could read differently is refused.
 */
import { routingFields } from '@relay-hub/contract';
import { snake } from '#chat/gemini/read-gemini-request.ts';
import { badRequest, type RelayError } from '#relay/reply/relay-error.ts';

/** `google`: names may also be spelled with underscores. `task`: `metadata` is merged into the order. */
export type BodyKind = 'call' | 'google' | 'task';

/** Names that the relay reads, or removes, in requests of any dialect, as they must be spelled. */
const readNames = [
  // Who serves the call, and for how much
  'model model_name models n best_of stream stream_options include_usage max_tokens max_completion_tokens',
  'max_output_tokens max_tool_calls service_tier speed inference_geo background store reasoning reasoning_effort effort',
  'thinking budget_tokens output_config verbosity modalities prediction top_n size quality style partial_images',
  'output_format stream_format response_format voice detail mode seconds duration resolution aspect_ratio ratio fps frames',
  'cache_control ttl prompt_cache_key prompt_cache_retention safety_identifier user',
  // The prompt
  'messages role content type text name id system instructions input prompt query documents output summary refusal',
  'image images image_url image_urls image_list image_tail binary_data_base64 mask url source media_type data format',
  'audio input_audio video reasoning_content encrypted_content signature arguments params parameters schema json_schema',
  'tools tool_choice tool_calls tool_call_id tool_use_id call_id function functions function_call allowed_tools strict',
  'input_schema parallel_tool_calls is_error citations web_search_options search_context_size user_location betas',
  'stop stop_sequences temperature top_p top_k seed frequency_penalty presence_penalty',
  // Owners of objects
  'previous_response_id previous_message_id previous_interaction_id conversation thread file file_id file_ids file_data',
  'file_url filename vector_store_id vector_store_ids container container_id skill_id skills memory_limit expires_after',
  'anchor days minutes mcp_servers server_url connector_id authorization attributes filters chunking_strategy purpose',
  'input_file_id training_file validation_file endpoint completion_window custom_id method body hyperparameters requests',
  'session item response client_secret transcription event_id',
  // Tasks
  'action index callback_url notify_hook webhook_url task_id external_task_id video_id req_key settings options sound ids',
  'mv continue_clip_id cover_clip_id negative_prompt input_reference generate_audio last_frame metadata',
  'notifyHook taskId customId botType base64 base64Array maskBase64 sourceBase64 targetBase64',
].flatMap((line) => line.split(' '));

/** The same in Google's dialect, where each name can also be spelled with underscores. */
const googleNames = [
  'contents parts systemInstruction generationConfig maxOutputTokens candidateCount thinkingConfig thinkingBudget',
  'thinkingLevel includeThoughts responseModalities responseMimeType responseSchema responseJsonSchema responseFormat',
  'speechConfig imageConfig imageSize mediaResolution stopSequences inlineData mimeType fileData fileUri functionCall',
  'functionResponse functionDeclarations toolConfig functionCallingConfig allowedFunctionNames cachedContent serviceTier',
  'googleSearch googleSearchRetrieval googleMaps codeExecution urlContext fileSearch computerUse request batch inputConfig',
  'fileName displayName embedContentConfig outputDimensionality taskType generateContentRequest instances sampleCount',
  'durationSeconds generateAudio aspectRatio negativePrompt storageUri referenceImages lastFrame webhookConfig',
  'expireTime setup sessionResumption handle operationName',
].flatMap((line) => line.split(' '));

/** Origin of the names in an object. */
const PROTOCOL = 0;
/** The caller's, but not those further down. */
const CALLER = 1;
/** The caller's, with everything below. */
const ALL_CALLER = 2;

/** Maps with names of the caller: they may differ in case only, and may look like names that the relay reads. */
const callerMaps = new Map<string, number>([
  ...names('metadata client_metadata labels documents properties patternProperties $defs definitions guided_json'),
  ...names('input_schema input_examples chat_template_kwargs parametersJsonSchema responseSchema responseJsonSchema'),
  ...names('parameters_json_schema response_schema response_json_schema _responseJsonSchema'),
  ...names('attributes logit_bias headers variables env configs', CALLER),
]);
/** The same, except as members of the body itself, where these are parts of the protocol. */
const innerCallerMaps = new Map<string, number>([...callerMaps, ...names('parameters schema args arguments response')]);

function names(list: string, whose = ALL_CALLER): [string, number][] {
  return list.split(' ').map((name) => [name, whose]);
}

const exact = new Set([...readNames, ...routingFields, ...googleNames, ...googleNames.map(snake)]);
const spellings = new Map(Array.from(exact, (name) => [folded(name), name]));

/** Makes equal what Unicode's simple case folding makes equal, such as `ſ` and `s`, or the Kelvin sign and `k`. */
function folded(name: string): string {
  return name.toLowerCase().toUpperCase().toLowerCase();
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const UNDERSCORE = 0x5f;
/** An object with more names looks them up in a map, since comparing each with each would be slow. */
const MANY = 24;
/** Names and levels for which room is kept between bodies. */
const MOST_KEPT = 1000;
/** FNV-1a. */
const SEED = 0x811c9dc5;
const FACTOR = 0x01000193;

/**
 * Throws a 400 for a body that two parsers could read differently: two names of an object are equal, or differ in case
 * only, or a name differs in case only from one that the relay reads. Names in maps of the caller may differ in case.
 * `json` must be valid JSON, and may be nested deeply.
 */
export function checkNames(json: string, kind: BodyKind = 'call'): void {
  scan.start(json, kind);
  try {
    checkAll(json);
  } finally {
    scan.start('', kind);
  }
}

function checkAll(json: string): void {
  let expectsName = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      at = expectsName ? scan.name(at + 1) : endOfText(json, at);
      expectsName = false;
    } else if (code === COMMA) expectsName = scan.isInObject;
    // `[` and `{`, then `]` and `}`: they differ by 0x20.
    else if ((code | 0x20) === 0x7b) {
      expectsName = code === 0x7b;
      scan.open(expectsName);
    } else if ((code | 0x20) === 0x7d) {
      expectsName = false;
      scan.close();
    }
  }
}

/** Index of the quote that ends the text which begins at `open`. */
function endOfText(json: string, open: number): number {
  // Most texts are short, and a search takes as long as some twenty steps.
  let at = open + 1;
  for (const near = at + 20; at < near; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  for (let end = json.indexOf('"', at); ; end = json.indexOf('"', end + 1)) {
    let before = end;
    while (json.charCodeAt(before - 1) === BACKSLASH) before--;
    if ((end - before) % 2 === 0) return end;
  }
}

/** The objects that are open, and their names. */
class NameScan {
  isInObject = false;
  #json = '';
  #kind: BodyKind = 'call';
  /** Of the names of all open objects, the innermost last. */
  readonly #hashes: number[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  #count = 0;
  /** By depth, from 1: the number of names before those of an object, or -1 for a list; whose they are. */
  readonly #firsts: number[] = [-1];
  readonly #owners: number[] = [PROTOCOL];
  #depth = 0;
  #owner = PROTOCOL;
  /** Names of large objects, by depth. */
  #large: Map<number, Map<string, string>> | undefined;

  /** Forgets everything, and begins a new body. */
  start(json: string, kind: BodyKind): void {
    this.#json = json;
    this.#kind = kind;
    this.#count = 0;
    this.#depth = 0;
    this.#owner = PROTOCOL;
    this.isInObject = false;
    this.#large = undefined;
    // Of a body with unusually many names or levels, nothing is kept.
    for (const list of [this.#hashes, this.#starts, this.#ends, this.#firsts, this.#owners])
      if (list.length > MOST_KEPT) list.length = 1;
  }

  open(isObject: boolean): void {
    this.#owner = this.#ownerBelow(isObject);
    this.#depth++;
    this.#owners[this.#depth] = this.#owner;
    this.#firsts[this.#depth] = isObject ? this.#count : -1;
    this.isInObject = isObject;
  }

  close(): void {
    const first = this.#firsts[this.#depth]!;
    if (first >= 0) this.#count = first;
    this.#large?.delete(this.#depth);
    this.#depth--;
    this.#owner = this.#owners[this.#depth]!;
    this.isInObject = this.#firsts[this.#depth]! >= 0;
  }

  /** Origin of the names in the value that begins here. */
  #ownerBelow(isObject: boolean): number {
    const depth = this.#depth;
    // Members of a list are of the kind of the list.
    if (this.#owner === ALL_CALLER || !this.isInObject) return this.#owner;
    if (this.#owner === CALLER) return PROTOCOL;
    // Most names are those of no map.
    if (!ownedHashes.has(this.#hashes[this.#count - 1]!)) return PROTOCOL;
    const name = this.#json.slice(this.#starts[this.#count - 1], this.#ends[this.#count - 1]);
    if (name === 'metadata' && this.#kind === 'task') return PROTOCOL;
    // Arguments of a tool call, which is a part of a message's content.
    if (name === 'input' && isObject && depth > 1 && this.#firsts[depth - 1] === -1) return ALL_CALLER;
    return (depth === 1 ? callerMaps : innerCallerMaps).get(name) ?? PROTOCOL;
  }

  /** Checks the name that begins at an index, and returns the index of its closing quote. */
  name(start: number): number {
    const json = this.#json;
    const folds = this.#owner === PROTOCOL;
    const joins = folds && this.#kind === 'google';
    let hash = SEED;
    let isPlain = true;
    let isLower = true;
    let end = start;
    for (let code = 0; (code = json.charCodeAt(end)) !== QUOTE; end++) {
      if (code === BACKSLASH) {
        isPlain = false;
        end++;
      } else if (folds && code > 0x7f) isPlain = false;
      else if (folds && code >= 0x41 && code <= 0x5a) {
        isLower = false;
        code |= 0x20;
      } else if (joins && code === UNDERSCORE) continue;
      hash = Math.imul(hash ^ code, FACTOR);
    }
    if (!isPlain) hash = hashOf(this.#comparable(start, end));
    this.#refuseEqual(hash, start, end);
    // Other dialects have no capitals in their names.
    if (folds && !(isPlain && isLower && this.#kind === 'call')) refuseVariant(decoded(json, start, end));
    this.#hashes[this.#count] = hash;
    this.#starts[this.#count] = start;
    this.#ends[this.#count++] = end;
    return end;
  }

  #refuseEqual(hash: number, start: number, end: number): void {
    const first = this.#firsts[this.#depth]!;
    if (this.#count - first >= MANY) return this.#refuseKnown(first, start, end);
    let comparable: string | undefined;
    for (let i = first; i < this.#count; i++)
      if (
        this.#hashes[i] === hash &&
        this.#comparable(this.#starts[i]!, this.#ends[i]!) === (comparable ??= this.#comparable(start, end))
      )
        throw equalNames(decoded(this.#json, this.#starts[i]!, this.#ends[i]!), decoded(this.#json, start, end));
  }

  /** The same for a large object. */
  #refuseKnown(first: number, start: number, end: number): void {
    let known = (this.#large ??= new Map()).get(this.#depth);
    if (!known) {
      this.#large.set(this.#depth, (known = new Map()));
      for (let i = first; i < this.#count; i++)
        known.set(
          this.#comparable(this.#starts[i]!, this.#ends[i]!),
          decoded(this.#json, this.#starts[i]!, this.#ends[i]!),
        );
    }
    const comparable = this.#comparable(start, end);
    const name = decoded(this.#json, start, end);
    const other = known.get(comparable);
    if (other !== undefined) throw equalNames(other, name);
    known.set(comparable, name);
  }

  /** The common form of names that count as equal. */
  #comparable(start: number, end: number): string {
    const name = decoded(this.#json, start, end);
    if (this.#owner !== PROTOCOL) return name;
    return this.#kind === 'google' ? folded(name).replaceAll('_', '') : folded(name);
  }
}

/** One for all bodies, since a check never waits: its lists have their size already. */
const scan = new NameScan();

function hashOf(name: string): number {
  let hash = SEED;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), FACTOR);
  return hash;
}

/** Hashes of the names whose values may be the caller's, as a body of any kind has them. */
const ownedHashes = new Set(
  [...innerCallerMaps.keys(), 'input'].flatMap((name) => [
    hashOf(folded(name)),
    hashOf(folded(name).replaceAll('_', '')),
  ]),
);

/** A name as parsers read it. Go replaces half of a surrogate pair. */
function decoded(json: string, start: number, end: number): string {
  const name = json.slice(start, end);
  return name.includes('\\') ? String(JSON.parse(`"${name}"`)).toWellFormed() : name;
}

const shown = (name: string): string => `'${name.slice(0, 100)}'`;

function equalNames(one: string, other: string): RelayError {
  const why =
    one === other
      ? `${shown(one)} is given twice in one object.`
      : `${shown(one)} and ${shown(other)} are the same name to some servers. Send one of them in an object.`;
  return badRequest(why, other.slice(0, 100));
}

function refuseVariant(name: string): void {
  if (exact.has(name)) return;
  const other = spellings.get(folded(name));
  if (other !== undefined)
    throw badRequest(
      `${shown(name)} is the same name as ${shown(other)} to some servers. Write ${shown(other)}.`,
      name.slice(0, 100),
    );
}

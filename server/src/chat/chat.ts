import type { Usage } from '@relay-hub/contract';

/**
 * A chat in no vendor's words. Every dialect that callers speak is read into this form, and every provider's wire is
 * written from it, so that n dialects and m wires need n + m codecs. Used only where the two differ: where they are
 * the same, bytes pass through and nothing of this is made.
 */

export type Json = Record<string, unknown>;

export type Role = 'system' | 'developer' | 'user' | 'assistant' | 'tool';

export interface Message {
  role: Role;
  /** A tool message holds tool results and nothing else; no other message holds one. */
  parts: Part[];
  /** The participant's name, where the caller gave one. */
  name?: string | undefined;
}

export type Part =
  | TextPart
  | ImagePart
  | AudioPart
  | FilePart
  | ToolCallPart
  | ToolResultPart
  | ThinkingPart
  | RefusalPart;

/** Where bytes are: at an address, in the request itself, or with the vendor under an id of its own. */
export type Source = { url: string } | { mime: string; base64: string } | { fileId: string };

/** "Everything up to here may be cached." */
export interface CacheMark {
  ttl?: string | undefined;
}

export interface TextPart {
  type: 'text';
  text: string;
  cache?: CacheMark | undefined;
}

export interface ImagePart {
  type: 'image';
  source: Source;
  detail?: string | undefined;
  cache?: CacheMark | undefined;
}

export interface AudioPart {
  type: 'audio';
  mime: string;
  base64: string;
  cache?: CacheMark | undefined;
}

/** A document or a video. */
export interface FilePart {
  type: 'file';
  source: Source | { text: string };
  name?: string | undefined;
  mime?: string | undefined;
  cache?: CacheMark | undefined;
}

export interface ToolCallPart {
  type: 'tool_call';
  id: string;
  name: string;
  /** JSON as a text, as it came. */
  arguments: string;
  signature?: Signature | undefined;
  cache?: CacheMark | undefined;
}

export interface ToolResultPart {
  type: 'tool_result';
  /** Of the call that it answers. */
  id: string;
  name?: string | undefined;
  content: (TextPart | ImagePart | FilePart)[];
  isError?: boolean | undefined;
  cache?: CacheMark | undefined;
}

export interface ThinkingPart {
  type: 'thinking';
  text: string;
  signature?: Signature | undefined;
}

export interface RefusalPart {
  type: 'refusal';
  text: string;
}

/** What only the vendor that made it can read. `anthropic-redacted` is a block of thinking without readable text. */
export type SignatureKind = 'anthropic' | 'anthropic-redacted' | 'gemini' | 'openai';

export interface Signature {
  kind: SignatureKind;
  value: string;
}

export interface Tool {
  name: string;
  description?: string | undefined;
  /** JSON Schema of the arguments; undefined: none. */
  schema?: Json | undefined;
  strict?: boolean | undefined;
  /** The input is a plain text: OpenAI's custom tools. Elsewhere it is a function with one text, `input`. */
  custom?: boolean | undefined;
  cache?: CacheMark | undefined;
}

/** `names` limits the choice to these tools. */
export interface ToolChoice {
  mode: 'auto' | 'none' | 'required';
  names?: string[] | undefined;
}

export type ResponseFormat =
  | { type: 'text' }
  | { type: 'json' }
  | {
      type: 'json_schema';
      name?: string | undefined;
      description?: string | undefined;
      schema: Json;
      strict?: boolean | undefined;
    };

export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof efforts)[number];

export interface Reasoning {
  /** `none` turns it off. */
  effort?: Effort | undefined;
  /** Tokens; what callers call a budget. */
  budget?: number | undefined;
  /** The model may decide for itself how much. */
  dynamic?: boolean | undefined;
  /** Whether the caller wants to read it; undefined: as the vendor does it by default. */
  show?: boolean | undefined;
  /** Asked for behind the model's name: a vendor is told so even of a model that is not known to reason. */
  insisted?: boolean | undefined;
}

export interface ChatRequest {
  model: string;
  messages: Message[];
  tools: Tool[];
  toolChoice?: ToolChoice | undefined;
  parallelToolCalls?: boolean | undefined;
  /** Tokens of the answer, with its reasoning. */
  maxOutput?: number | undefined;
  temperature?: number | undefined;
  topP?: number | undefined;
  topK?: number | undefined;
  stop: string[];
  seed?: number | undefined;
  frequencyPenalty?: number | undefined;
  presencePenalty?: number | undefined;
  /** How many answers. */
  choices?: number | undefined;
  format?: ResponseFormat | undefined;
  reasoning?: Reasoning | undefined;
  verbosity?: string | undefined;
  /** What the answer may be made of: `text`, `image`, `audio`. */
  modalities?: string[] | undefined;
  user?: string | undefined;
  serviceTier?: string | undefined;
  cacheKey?: string | undefined;
  stream: boolean;
  /** The caller wants the closing usage of a stream. */
  includeUsage: boolean;
  /** The tools came as OpenAI's old `functions`, and calls are to be answered in that form. */
  legacyFunctions?: boolean | undefined;
  /** What the dialect's answer repeats of the request, as it came. */
  echo?: Json | undefined;
}

/**
 * `stop` is the model's own end, `refusal` the model's and `content_filter` somebody else's objection; `pause` asks
 * the caller to send the answer back so that it can go on.
 */
export type FinishReason = 'stop' | 'stop_sequence' | 'length' | 'tool_calls' | 'content_filter' | 'refusal' | 'pause';

export interface ChatReply {
  /** The upstream's own id and model. */
  id?: string | undefined;
  model?: string | undefined;
  parts: Part[];
  finish: FinishReason;
  stopSequence?: string | undefined;
  /** Undefined: the upstream told none. */
  usage?: Usage | undefined;
}

/**
 * A stream, piece by piece. Parts come one after the other; a piece of another kind ends the part before it. Tool
 * calls are numbered from 0. The last thing of an honest stream is its `finish`; `usage` may stand before or after.
 */
export type ChatEvent =
  | { type: 'start'; id?: string | undefined; model?: string | undefined }
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string }
  | { type: 'thinking_end'; signature?: Signature | undefined }
  | { type: 'refusal'; text: string }
  | { type: 'image'; mime: string; base64: string }
  | { type: 'tool_start'; index: number; id: string; name: string; signature?: Signature | undefined }
  | { type: 'tool_arguments'; index: number; json: string }
  | { type: 'tool_end'; index: number }
  | { type: 'finish'; reason: FinishReason; stopSequence?: string | undefined }
  | { type: 'usage'; usage: Usage }
  | { type: 'error'; error: Fault };

/** Why a stream or an answer cannot be finished: `stream_broken`, `error_in_stream`, `bad_reply`. */
export interface Fault {
  /** `prompt_blocked`: the vendor's content filter refused the prompt, and nothing was answered. */
  code: 'stream_broken' | 'error_in_stream' | 'bad_reply' | 'error_in_reply' | 'prompt_blocked';
  /** In the upstream's words where it has any; may hold its secrets, so mask it before it is told. */
  message: string;
  /** The vendor's own name for the fault, such as `overloaded_error`. */
  vendorType?: string | undefined;
  /** The HTTP status that it would have had, where the vendor tells. */
  status?: number | undefined;
}

import type { Usage } from '@relay-hub/contract';
import type { Json } from '#json.ts';

/**
 * A vendor-neutral chat. Callers' dialects are read into this form and providers' wires written from it, so that n
 * dialects and m wires need n + m codecs. Not used when both are the same: bytes pass through then.
 */

export type Role = 'system' | 'developer' | 'user' | 'assistant' | 'tool';

export interface Message {
  role: Role;
  /** Tool messages contain only tool results, and only they do. */
  parts: Part[];
  /** The participant's name. */
  name?: string | undefined;
}

/** The user's text in front of a conversation that starts with an answer, for vendors that refuse one. */
export const OPENING = '...';

export type Part =
  | TextPart
  | ImagePart
  | AudioPart
  | FilePart
  | ToolCallPart
  | ToolResultPart
  | ThinkingPart
  | RefusalPart;

/** Where the bytes are: at an address, inline, or stored at the vendor. */
export type ByteSource = { url: string } | { mime: string; base64: string } | { fileId: string };

/** Everything up to here may be cached. */
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
  source: ByteSource;
  detail?: string | undefined;
  cache?: CacheMark | undefined;
}

export interface AudioPart {
  type: 'audio';
  mime: string;
  base64: string;
  cache?: CacheMark | undefined;
}

export interface FilePart {
  type: 'file';
  source: ByteSource | { text: string };
  name?: string | undefined;
  mime?: string | undefined;
  cache?: CacheMark | undefined;
}

export interface ToolCallPart {
  type: 'tool_call';
  id: string;
  name: string;
  /** JSON text, unparsed. */
  arguments: string;
  signature?: Signature | undefined;
  cache?: CacheMark | undefined;
}

export interface ToolResultPart {
  type: 'tool_result';
  /** The id of the call that it answers. */
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

/**
 * The vendor that can read it. `anthropic-redacted` is thinking without readable text; `chat` marks text of Chat
 * Completions and names the field in which it came.
 */
export type SignatureKind = 'anthropic' | 'anthropic-redacted' | 'gemini' | 'openai' | 'chat';

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
  /** The input is plain text (OpenAI's custom tools); elsewhere a function with one string, `input`. */
  custom?: boolean | undefined;
  cache?: CacheMark | undefined;
  /** The group in which the caller declared it, and its name there; `name` joins both. */
  namespace?: { group: string; name: string } | undefined;
}

/** A server of tools that the vendor calls by itself. */
export interface McpServer {
  /** The caller's member that asks for it. */
  field: string;
  name: string;
  url: string;
  token?: string | undefined;
  /** The only tools that may be called; undefined: all. */
  allowed?: string[] | undefined;
}

/** Where the one who asks is, as far as they said. */
export interface WebSearch {
  country?: string | undefined;
  region?: string | undefined;
  city?: string | undefined;
  timezone?: string | undefined;
}

/** `names` limits the choice to these tools. */
export interface ToolChoice {
  mode: 'auto' | 'none' | 'required';
  names?: string[] | undefined;
  /** The caller's name of the tool of a vendor that must be called. */
  hosted?: string | undefined;
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
  /** In tokens. */
  budget?: number | undefined;
  /** The model may choose the amount. */
  dynamic?: boolean | undefined;
  /** Whether reasoning is returned to the caller; undefined for the vendor's default. */
  show?: boolean | undefined;
  /** Requested in the model's name, so it is sent even to models not known to reason. */
  insisted?: boolean | undefined;
}

export interface ChatRequest {
  model: string;
  messages: Message[];
  tools: Tool[];
  toolChoice?: ToolChoice | undefined;
  /** The vendor's own search of the web, if it has one. */
  webSearch?: WebSearch | undefined;
  /** The member of the caller's request that asks for the search. */
  webSearchField?: string | undefined;
  /** Absent: none that other vendors could call as well. */
  mcpServers?: McpServer[] | undefined;
  parallelToolCalls?: boolean | undefined;
  /** Tokens of the answer including reasoning. */
  maxOutput?: number | undefined;
  temperature?: number | undefined;
  topP?: number | undefined;
  topK?: number | undefined;
  stop: string[];
  seed?: number | undefined;
  frequencyPenalty?: number | undefined;
  presencePenalty?: number | undefined;
  /** Number of answers. */
  choices?: number | undefined;
  format?: ResponseFormat | undefined;
  reasoning?: Reasoning | undefined;
  verbosity?: string | undefined;
  /** Output kinds: `text`, `image`, `audio`. */
  modalities?: string[] | undefined;
  /** Voice and format of a spoken answer, in the caller's names. */
  sound?: { field: string; voice?: string | undefined; format?: string | undefined } | undefined;
  user?: string | undefined;
  serviceTier?: string | undefined;
  cacheKey?: string | undefined;
  stream: boolean;
  /** Include usage at the end of a stream. */
  includeUsage: boolean;
  /** The tools came as OpenAI's former `functions`; calls are returned in that form. */
  legacyFunctions?: boolean | undefined;
  /** Request members that the dialect's reply repeats. */
  echo?: Json | undefined;
  /** The member that refers to state at the provider, which no other provider has; undefined: none. */
  stateField?: string | undefined;
  /** Top-level members of the caller's request that have no place here. */
  unread?: string[] | undefined;
}

/**
 * `refusal` is the model's and `content_filter` a filter's objection; `pause` asks the caller to send the answer back
 * to continue.
 */
export type FinishReason = 'stop' | 'stop_sequence' | 'length' | 'tool_calls' | 'content_filter' | 'refusal' | 'pause';

export interface ChatReply {
  /** The upstream's id and model. */
  id?: string | undefined;
  model?: string | undefined;
  parts: Part[];
  finish: FinishReason;
  stopSequence?: string | undefined;
  /** Undefined if not reported. */
  usage?: Usage | undefined;
}

/**
 * A stream event. Parts are consecutive; an event of another kind ends the previous part. Tool calls are numbered from
 * 0. A complete stream ends with `finish`; `usage` may come before or after it.
 */
export type ChatEvent =
  | { type: 'start'; id?: string | undefined; model?: string | undefined }
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string }
  | { type: 'thinking_end'; signature?: Signature | undefined }
  | { type: 'refusal'; text: string }
  | { type: 'image'; mime: string; base64: string }
  | { type: 'audio'; mime: string; base64: string }
  | { type: 'tool_start'; index: number; id: string; name: string; signature?: Signature | undefined }
  | { type: 'tool_arguments'; index: number; json: string }
  | { type: 'tool_end'; index: number }
  | { type: 'finish'; reason: FinishReason; stopSequence?: string | undefined }
  | { type: 'usage'; usage: Usage }
  | { type: 'error'; error: ChatFault };

/** Why a stream or reply cannot be completed. */
export interface ChatFault {
  /** `prompt_blocked`: the vendor's content filter refused the prompt. */
  code: 'stream_broken' | 'error_in_stream' | 'bad_reply' | 'error_in_reply' | 'prompt_blocked';
  /** The upstream's message if any; mask secrets before showing it. */
  message: string;
  /** The vendor's error type, such as `overloaded_error`. */
  vendorType?: string | undefined;
  /** The vendor's error code. */
  vendorCode?: string | undefined;
  /** The equivalent HTTP status, if reported. */
  status?: number | undefined;
}

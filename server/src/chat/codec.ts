import type { Usage } from '@relay-hub/contract';
import type { Json } from '#json.ts';
import type { ServedReport } from '#usage/served.ts';
import type { UsageFormat } from '#usage/usage-format.ts';
import type { ChatEvent, ChatReply, ChatRequest } from './chat.ts';
import type { Steering } from './steering.ts';

/** Request data from the URL, in dialects that have it there. */
export interface Addressed {
  model?: string | undefined;
  stream?: boolean | undefined;
  /** Count tokens instead of answering. */
  counting?: boolean | undefined;
}

/** Data of a reply besides the chat itself. */
export interface ReplyContext {
  /** The caller's request. */
  request: ChatRequest;
  /** Basis of the ids in the reply. */
  requestId: string;
  /** The model name as the caller sees it. */
  model: string;
  /** Unix seconds. */
  created: number;
  /** Gemini: write the stream as one JSON list, because the caller did not request events. */
  asList?: boolean | undefined;
  /** Estimated prompt tokens, for dialects that report them at the start of a stream. */
  inputTokens?: number | undefined;
  /** Chat Completions: pictures are also part of the text, for clients that read nothing else. */
  markdownImages?: boolean;
  /** Members of the reply that differ because it is stored. */
  storedAs?: Json | undefined;
  /** Responses: the stream has begun elsewhere, and only its end is written. */
  resumes?: StreamPosition | undefined;
  /** Called with the whole reply once it is written, in dialects whose replies can be stored. */
  onReply?: ((reply: Json) => void) | undefined;
}

/** How far a stream of Responses has come that is passed on unchanged. */
export interface StreamPosition {
  /** Last response object of the stream; undefined: the stream has not begun. */
  response: Json | undefined;
  /** Number of the next event. */
  next: number;
}

/** A dialect-independent error; each dialect has its own names. */
export interface DialectError {
  status: number;
  type: string;
  code: string;
  message: string;
  param: string | null;
  /** Further members, in dialects that have a place for them. */
  details?: Readonly<Record<string, unknown>> | undefined;
}

/** Writes a stream in a caller's dialect. */
export interface StreamWriter {
  readonly contentType: string;
  event(event: ChatEvent): string;
  /** Keeps proxies from closing an idle stream. */
  heartbeat(): string;
  /** The end of a complete stream, sent only after charging. */
  end(): string;
  /** The end of a broken stream, distinguishable from a normal end. */
  error(error: DialectError): string;
}

/** A caller's dialect. */
export interface Dialect {
  id: DialectId;
  /** Throws `BadChatRequest`. */
  readRequest(json: unknown, addressed?: Addressed): ChatRequest;
  writeReply(reply: ChatReply, context: ReplyContext): Json;
  streamWriter(context: ReplyContext): StreamWriter;
  errorBody(error: DialectError, requestId: string): Json;
  /** Ids of calls that the dialect's vendor takes back. */
  callIds: RegExp;
  /** Request members that are lost on wires of other dialects. */
  dropped: readonly DroppedField[];
}

/** Reads a provider's stream. */
export interface StreamReader {
  /** The events of a chunk. Never throws: a fault is an `error` event, after which nothing follows. */
  push(chunk: Buffer): ChatEvent[];
  /** The events at the end of the data: an `error` if the vendor's end marker is missing. */
  end(): ChatEvent[];
  /** The vendor's end marker was received; later data can be ignored. */
  readonly done: boolean;
  /** Usage reported so far, even for a broken stream; undefined if none. */
  usage(): Usage | undefined;
  /** How the stream says that the call was served, so far; absent, or undefined: it says nothing. */
  served?(): ServedReport | undefined;
  /**
   * Number of events of the last `push` or `end` that the last usage report covers; undefined if it contained none.
   * Later events are not counted in any report yet.
   */
  readonly usageAt: number | undefined;
  /** Whether the reply has begun, also without an emitted event; absent: emitted events decide. */
  readonly begun?: boolean;
}

export interface WireOptions {
  /** The upstream's model name. */
  model: string;
}

export interface ReadOptions {
  /** The vendor's usage format. */
  usage: UsageFormat;
  /** Limit for an event; a larger one ends the stream as broken. */
  largestEventBytes?: number | undefined;
  /** Responses: kept up to date while the stream is read. */
  position?: StreamPosition | undefined;
  /** Called with the vendor's reply object: when a stream begins and when it is complete. */
  onReply?: ((reply: Json) => void) | undefined;
}

/** A provider's wire format. */
export interface Wire<Options extends WireOptions = WireOptions> {
  id: WireId;
  /** Whether the vendor searches the web in this chat; absent: never. */
  searches?(request: ChatRequest, model: string): boolean;
  /** Answers can be sound; absent: never. */
  speaks?: boolean;
  /** Calls the tools of MCP servers; absent: never. */
  mcp?: boolean;
  /** Headers that a written request needs. */
  headers?(request: ChatRequest): Record<string, string> | undefined;
  /** A search can be demanded by `tool_choice`. */
  forcesSearch?: boolean;
  /** Names of tools that the vendor takes; absent: any. */
  toolNames?: RegExp;
  /** Throws `BadChatRequest` for unsupported features. */
  writeRequest(request: ChatRequest, options: Options): Json;
  /**
   * Members to change in a passed-through request for the reasoning suffix of the model name; undefined removes a
   * member. Absent if this wire is never passed through. Throws `BadChatRequest`.
   */
  steer?(body: Json, steering: Steering, options: Options): Json;
  /** Throws `BadReply`. */
  readReply(json: unknown, options: ReadOptions): ChatReply;
  streamReader(options: ReadOptions): StreamReader;
  /** Request members without an equivalent on this wire. */
  dropped: readonly DroppedField[];
}

export type DialectId = 'openai' | 'responses' | 'anthropic' | 'gemini';
export type WireId = 'openai' | 'responses' | 'anthropic' | 'gemini';

export interface DroppedField {
  /** Path of the field, in the dialect's terms, or in those of `ChatRequest` for a wire. */
  field: string;
  why: string;
}

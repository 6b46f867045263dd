import type { Usage } from '@relay-hub/contract';
import type { UsageFormat } from '#usage/usage-format.ts';
import type { ChatEvent, ChatReply, ChatRequest, Json } from './chat.ts';
import type { Steering } from './steering.ts';

/** What the request's address says, in dialects that say it there. */
export interface Addressed {
  model?: string | undefined;
  stream?: boolean | undefined;
  /** Tokens are to be counted, nothing is to be answered. */
  counting?: boolean | undefined;
}

/** What an answer says beside the answer itself. */
export interface Told {
  /** The caller's own request. */
  request: ChatRequest;
  /** Ids in the answer are made of it. */
  requestId: string;
  /** The model's name as the caller is to read it. */
  model: string;
  /** Seconds. */
  created: number;
  /** A stream of Gemini's is to be one JSON list, because the caller did not ask for events. */
  asList?: boolean | undefined;
  /** The prompt, estimated, for dialects that tell it at the beginning of a stream. */
  inputTokens?: number | undefined;
}

/** An error as the relay knows it; each dialect has its own names for it. */
export interface DialectError {
  status: number;
  type: string;
  code: string;
  message: string;
  param: string | null;
}

/** Writes a stream in a caller's dialect. What it returns leaves as it is. */
export interface StreamWriter {
  readonly contentType: string;
  event(event: ChatEvent): string;
  /** What keeps proxies from closing an idle stream. */
  heartbeat(): string;
  /** The end of a finished stream. It is kept for last, so that the caller has the whole only when it is charged. */
  end(): string;
  /** The end of a stream that broke: never one that could be taken for the real one. */
  error(error: DialectError): string;
}

/** What callers speak. */
export interface Dialect {
  id: DialectId;
  /** Throws `BadChatRequest`. */
  readRequest(json: unknown, addressed?: Addressed): ChatRequest;
  writeReply(reply: ChatReply, told: Told): Json;
  streamWriter(told: Told): StreamWriter;
  errorBody(error: DialectError, requestId: string): Json;
  /** What of a request is not carried over to a wire that speaks another dialect. */
  dropped: readonly Dropped[];
}

/** Reads a stream of a provider. */
export interface StreamReader {
  /** What the bytes brought. Never throws: what is wrong is an `error` event, after which nothing comes. */
  push(chunk: Buffer): ChatEvent[];
  /** What the end of the bytes brought: a break, when the vendor's own end never came. */
  end(): ChatEvent[];
  /** The vendor's own end has come; what may follow is of no worth. */
  readonly done: boolean;
  /** What the stream told of its usage so far, also when it broke; undefined: nothing. */
  usage(): Usage | undefined;
  /**
   * How many events of the last `push` or `end` came before or with the last telling of output tokens; undefined: none
   * was told in it. The events after these are in no telling yet.
   */
  readonly toldAt: number | undefined;
}

export interface WireOptions {
  /** What the upstream is asked for. */
  model: string;
}

export interface ReadOptions {
  /** How this vendor tells what a call used. */
  usage: UsageFormat;
  /** Larger events break the stream off. */
  largestEventBytes?: number | undefined;
}

/** What providers speak. */
export interface Wire<Options extends WireOptions = WireOptions> {
  id: WireId;
  /** Throws `BadChatRequest` for what the wire cannot say. */
  writeRequest(request: ChatRequest, options: Options): Json;
  /** Throws `BadReply`. */
  /**
   * Which members of a request that is passed on in these words change, so that the model reasons as it stands behind
   * its name; undefined: the member goes. Left out: nothing is passed on in these words. Throws `BadChatRequest`.
   */
  steer?(body: Json, steering: Steering, options: Options): Json;
  readReply(json: unknown, options: ReadOptions): ChatReply;
  streamReader(options: ReadOptions): StreamReader;
  /** What of a request has no place on this wire. */
  dropped: readonly Dropped[];
}

export type DialectId = 'openai' | 'responses' | 'anthropic' | 'gemini';
export type WireId = 'openai' | 'responses' | 'anthropic' | 'gemini';

export interface Dropped {
  /** Path of the field, in the words of the dialect, or of `ChatRequest` for a wire. */
  field: string;
  why: string;
}

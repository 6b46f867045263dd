import type { ChannelType } from '@relay-hub/contract';
import type { Json } from '#json.ts';
import type { BatchOperation } from './batch-operation.ts';
import type { ProviderCall, Operation, CallTarget } from './operation.ts';
import type { TaskOperation } from './task-operation.ts';

/**
 * An upstream API, with every modality an optional member, so that a new provider is one file and the relay knows no
 * provider's name. Members do no I/O; `relay/` sends. Readers of upstream data throw only the errors documented on
 * them.
 */
export interface Provider {
  /** The file's name. */
  id: string;
  /** `channel.type` on the wire. */
  type: number;
  title: string;
  /**
   * Default base URL; empty if the channel must have one. For regional hosts it names one region, and `target`
   * substitutes the channel's.
   */
  baseUrl: string;
  /** A small model for the channel test; empty if there is no obvious one. */
  testModel: string;
  /** Page with keys and bills; empty if there is none. */
  website: string;
  /** The channel form; absent: a base URL and a plain key. */
  form?: ChannelForm;

  /** Seconds that its prompt cache lives after the last use; left out: it has none, or none is known. */
  promptCacheS?: number;

  /** Authorization headers, unless an operation's `target` overrides them. */
  headers(key: string): Headers;
  /** Exchanges the key for a temporary token, then in `Asked.token`. */
  token?: TokenExchange;
  /** Headers computed from the complete request; they replace those of the same name. */
  sign?(request: Unsigned, key: string, now: number): Headers | Promise<Headers>;
  /** Reads an error from a reply; undefined if there is none. Absent: `readUpstreamError`. */
  error?: ErrorReader;

  chat?: Operation;
  /** Compacts a conversation, for callers of its dialect. */
  compact?: Operation;
  /** Counts a request's tokens, for callers of its dialect. */
  countTokens?: Operation;
  completions?: Operation;
  embeddings?: Operation;
  images?: {
    generations?: Operation;
    edits?: Operation;
    variations?: Operation;
    /** Recraft's own routes: the target follows `callerPath`. */
    tools?: Operation;
  };
  speech?: Operation;
  /** Extra fields for a speech test, for vendors without OpenAI's voices. */
  testSpeech?(model: string): Json;
  transcriptions?: Operation;
  translations?: Operation;
  rerank?: Operation;
  moderations?: Operation;
  /** A WebSocket: its target's address starts with `ws`. */
  realtime?: Operation;
  /** Files, batches, assistants and the like, passed through: the target follows `Asked.callerPath`. */
  raw?: Operation;
  /** Asynchronous tasks: images, music, video. */
  tasks?: TaskOperation;
  /** Responses that are made in the background, as tasks that are polled only. */
  background?: TaskOperation;
  /** Batches of requests at a reduced price. */
  batches?: BatchOperation;
  /** Fine-tuning jobs, settled like batches from the tokens that they report. */
  fineTuning?: BatchOperation;
  models?: ModelList;
  balance?: Balance;
}

export type ChannelForm = Partial<Pick<ChannelType, 'key' | 'other' | 'plugins' | 'address' | 'address_example'>>;

export type Headers = Record<string, string>;

/** A request of the server itself to a provider. */
export interface ProviderQuestion {
  /** Appended to the base URL, unless `target` overrides it. */
  path: string;
  target?(call: ProviderCall): CallTarget;
}

export interface ModelList extends ProviderQuestion {
  /** Model names in a reply; undefined for another shape. */
  read(reply: unknown): string[] | undefined;
  /** Path of the next page, passed to `target` as `callerPath`; undefined on the last page. */
  next?(reply: unknown): string | undefined;
}

export interface Balance extends ProviderQuestion {
  /** Undefined for another shape. The currency may depend on `baseUrl`. */
  read(reply: unknown, baseUrl: string): Money | undefined;
}

/** In whole units of the currency; `credits` are the provider's own. */
export interface Money {
  amount: number;
  currency: 'USD' | 'CNY' | 'credits';
}

/**
 * Exchanges a key for a token, using only `ask`. Rejects with `BadKey` for an unusable key, with errors of `ask`, and
 * if the provider returns no token.
 */
export type TokenExchange = (
  key: string,
  ask: (question: { url: string; headers: Headers; body: string }) => Promise<{ status: number; json: unknown }>,
) => Promise<Token>;

export interface Token {
  value: string;
  /** Milliseconds since 1970. */
  expires: number;
}

/** A complete request before signing. */
export interface Unsigned {
  method: string;
  /** Including the path. */
  url: string;
  headers: Headers;
  body: Buffer;
}

export type ErrorReader = (answer: UpstreamAnswer) => UpstreamError | undefined;

/** A reply that may be an error. Header names are in lower case. */
export interface UpstreamAnswer {
  status: number;
  headers?: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed; undefined if it is not JSON. */
  json: unknown;
}

/** An upstream's error in its own terms; may contain secrets. */
export interface UpstreamError {
  message: string;
  /** The vendor's error type. */
  type: string | undefined;
  code: string | undefined;
  param: string | undefined;
  /** The reply's status, unless the vendor's code is more precise. */
  status: number;
  /** Findings of Azure's content filter, reduced to known members; left out: none. */
  inner?: Json | undefined;
  /** The vendor's retry delay, if it uses a non-standard format. */
  retryAfterMs: number | undefined;
}

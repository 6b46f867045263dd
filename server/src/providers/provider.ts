import type { ChannelType } from '@relay-hub/contract';
import type { Json } from '#chat/chat.ts';
import type { Asked, Operation, Target } from './operation.ts';

/**
 * An upstream API. One object per provider, every modality an optional member, so that a new provider is one file
 * and no part of the relay knows its name. Members do no I/O: values in, values out; `relay/` does the sending. Whatever
 * an upstream said, those that read it throw nothing but what is said beside them.
 */
export interface Provider {
  /** The file's name. */
  id: string;
  /** `channel.type` on the wire. */
  type: number;
  title: string;
  /**
   * Used when a channel has no address of its own; empty when one has to be typed in. Where addresses hold a region, it
   * is that of one region, and the operations' `target` puts the channel's own in its place.
   */
  baseUrl: string;
  /** A small model for the channel test; empty when there is no good guess. */
  testModel: string;
  /** Where keys and bills are found; empty when there is no such page. */
  website: string;
  /** What the channel form asks for; left out: an address and a key as it is. */
  form?: ChannelForm;

  /** What authorizes a request, unless an operation's `target` says otherwise. */
  headers(key: string): Headers;
  /** How a key is exchanged for a token that lasts a while. The token is in `Asked.token` then. */
  token?: TokenExchange;
  /** Headers made of the whole request, the last thing before it is sent; they replace those of the same name. */
  sign?(request: Unsigned, key: string, now: number): Headers | Promise<Headers>;
  /** What an answer says of an error; undefined: nothing. Left out: `readUpstreamError`. */
  error?: ErrorReader;

  chat?: Operation;
  /** Counts a request's tokens without answering it, for callers who speak its dialect. */
  countTokens?: Operation;
  completions?: Operation;
  embeddings?: Operation;
  images?: { generations?: Operation; edits?: Operation; variations?: Operation };
  speech?: Operation;
  /** What a test of speech asks for beside model and text, where OpenAI's voices are not known. */
  testSpeech?(model: string): Json;
  transcriptions?: Operation;
  translations?: Operation;
  rerank?: Operation;
  moderations?: Operation;
  /** A WebSocket: the address of its target starts with `ws`. */
  realtime?: Operation;
  /** Files, batches, assistants and the like, passed on as they are: the target follows `Asked.callerPath`. */
  raw?: Operation;
  /** How the provider is asked for its models. */
  models?: ModelList;
  /** How it is asked for what is left on the account. */
  balance?: Balance;
}

export type ChannelForm = Partial<Pick<ChannelType, 'key' | 'other' | 'plugins' | 'address' | 'address_example'>>;

export type Headers = Record<string, string>;

/** A question of our own to a provider. */
export interface Question {
  /** Appended to the base address, unless `target` says otherwise. */
  path: string;
  target?(asked: Asked): Target;
}

export interface ModelList extends Question {
  /** Model names in a reply's JSON; undefined when it has another shape. */
  read(reply: unknown): string[] | undefined;
  /** The path of the next page, which a `target` finds in `callerPath`; undefined after the last page. */
  next?(reply: unknown): string | undefined;
}

export interface Balance extends Question {
  /** Undefined when the reply has another shape. `baseUrl`: whom it is of; a vendor's sites may differ in currency. */
  read(reply: unknown, baseUrl: string): Money | undefined;
}

/** In whole units of the currency; `credits` are the provider's own. */
export interface Money {
  amount: number;
  currency: 'USD' | 'CNY' | 'credits';
}

/**
 * A token for a key, asked for by nothing but `ask`. Rejects with `BadKey` when none can be asked for with this key, with
 * what `ask` rejects with, and when the provider gives none.
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

/** A request as it is sent, but for its signature. */
export interface Unsigned {
  method: string;
  /** Base address and path in one. */
  url: string;
  headers: Headers;
  body: Buffer;
}

export type ErrorReader = (answer: Answer) => UpstreamError | undefined;

/** An answer that may be an error. Names of headers are in small letters. */
export interface Answer {
  status: number;
  headers?: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed; undefined when it is no JSON. */
  json: unknown;
}

/** What an upstream says of an error, in its own words; they may hold its secrets. */
export interface UpstreamError {
  message: string;
  /** The vendor's own names for it. */
  type: string | undefined;
  code: string | undefined;
  param: string | undefined;
  /** The status that it means: the answer's own, unless the vendor's code tells better. */
  status: number;
  /** How long the vendor asks to wait, where it says so in its own way. */
  retryAfterMs: number | undefined;
}

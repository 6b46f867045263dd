import type { Json } from '#json.ts';
import type { DialectId, Wire } from '#chat/codec.ts';
import type { UsageFormat } from '#usage/usage-format.ts';

/** A kind of call that a provider takes. */
export interface Operation {
  /**
   * The dialect spoken upstream. For callers of the same dialect, bytes pass through except for the model and `fix`;
   * otherwise `wire` writes the request. `own`: no caller speaks it, so `wire` (chat) or `convert` (others) translates.
   */
  dialect: DialectId | 'own';
  /** Appended to the base URL; empty if `target` computes the address. */
  path: string;
  /** Overrides base URL, path and the provider's headers. May throw `BadKey`. */
  target?(call: ProviderCall): CallTarget;
  /** How replies and streams report usage, in the vendor's format before conversion. */
  usage: UsageFormat;
  /** Whether the model and channel support it; absent: always. */
  serves?(about: About): boolean;
  /** Writes and reads chats; absent: the codec of `dialect` without options. */
  wire?: ProviderWire;
  /** Converts other operations from and to OpenAI's format. */
  convert?: Conversion;
  /** Google's embeddings with one content per request; a batch is split. */
  single?: boolean;
  /** Changes that the vendor needs in a request of `dialect`, passed through or written by `wire`. */
  fix?(body: Json, call: ProviderCall): Changes;
  /** Fields that `fix` takes from a request because this provider has nothing like it, by the caller's names. */
  lost?(body: Json, call: ProviderCall): string[];
  /** Whether `fix` may apply to these bytes; cheaper than parsing. Absent: it may. */
  mayFix?(body: Buffer, call: ProviderCall): boolean;
  /** Content type of streams; absent: server-sent events. */
  streamType?: string;
  /** Converts a stream with another framing of the same dialect into server-sent events. */
  unframe?(): Unframer;
  /** Pictures that the vendor does not fetch itself, so the relay does. Absent: it fetches them. */
  pictures?: Pictures;
  /** Whether `stream_options.include_usage` is supported (`asked`) or refused (`always`); absent: `asked`. */
  usageInStream?: 'asked' | 'always';
  /** How the answer of a job is obtained, for vendors that run a call as one. Absent: the reply is the answer. */
  job?: Job;
  /** Alternatives in other dialects: the caller's dialect wins, else the first one available. */
  also?: readonly Operation[];
}

/** Reads the state of a job. Never throws. */
export type Job = (reply: unknown, target: CallTarget) => JobState | undefined;

/** A job at the vendor; `undefined` instead of it: the reply describes none. */
export interface JobState {
  isDone: boolean;
  /** Appended to the channel's base URL. */
  path: string;
  cancelPath: string;
  /** Where server-sent events of the answer are read; its headers hold the key only if the host is the channel's. */
  stream?: CallTarget | undefined;
}

/** Which pictures the vendor takes as bytes. */
export interface Pictures {
  /** Media types. */
  types: readonly string[];
  /** Addresses that the vendor fetches itself, for example in its file storage. */
  takes?(address: string): boolean;
}

/** The facts that decide which operation serves a call. */
export interface About {
  /** The upstream's model name. */
  model: string;
  /** The channel's base URL, or the provider's. */
  baseUrl: string;
  extras: Extras;
  /** The model's name before the channel's mapping; absent: not mapped. */
  requested?: string | undefined;
}

export interface ProviderCall extends About {
  key: string;
  stream: boolean;
  /** The caller's request, if a part of it belongs in the address or a header. */
  request?: Json | undefined;
  /** The exchanged token, if the provider has a `token`. */
  token?: string | undefined;
  /** The caller's headers, with lower-case names. */
  callerHeaders?: Readonly<Record<string, string | undefined>> | undefined;
  /** The caller's path and query, for pass-through calls. */
  callerPath?: string | undefined;
}

/** A channel's settings besides address and key. */
export interface Extras {
  other: string;
  plugin: Json;
}

export interface CallTarget {
  baseUrl: string;
  /** Including the query; starts with a slash. */
  path: string;
  headers: Record<string, string>;
}

/** Top-level members to set; undefined removes one. */
export type Changes = Record<string, unknown>;

/** A codec: one of the relay's own, or one in `providers/wires`. */
export interface ProviderWire extends Omit<Wire, 'id'> {
  id: string;
  /** A whole reply as `readReply` takes it, for vendors that answer in another form than JSON. Absent: JSON. */
  parse?(body: Buffer): unknown;
}

export interface Conversion {
  /**
   * The vendor's request. Throws `BadChatRequest` for unsupported features. A form's `file` is a placeholder for
   * its base64, and is replaced in JSON; where the request is bytes, the file itself is sent.
   */
  request(body: Json, call: ProviderCall): Content;
  /** Maximum number of texts per embeddings request; the rest goes into further requests. */
  textsAtOnce?(call: ProviderCall): number | undefined;
  /** The reply in OpenAI's format. Throws `BadReply`. */
  reply(content: Content, request: Json): Content;
}

export type Content = { json: unknown } | { bytes: Buffer; contentType: string };

/** Removes a stream's framing. Never throws: unreadable data becomes an `error` event of the dialect. */
export interface Unframer {
  push(chunk: Buffer): Buffer;
  end(): Buffer;
}

import type { Json } from '#chat/chat.ts';
import type { DialectId, Wire } from '#chat/codec.ts';
import type { UsageFormat } from '#usage/usage-format.ts';

/** A call that a provider takes. */
export interface Operation {
  /**
   * What is spoken there. Where the caller speaks it too, bytes pass through, but for the model and `fix`; otherwise the
   * request is written by `wire`. `own`: no caller speaks it, and `wire` (chat) or `convert` (all else) translates.
   */
  dialect: DialectId | 'own';
  /** Appended to the base address; empty where each call has a `target` of its own. */
  path: string;
  /** Where a call goes, where that is more than the base address, the path and the provider's headers. May throw `BadKey`. */
  target?(asked: Asked): Target;
  /** How replies and streams tell what the call used: in the vendor's own words, before they are converted. */
  usage: UsageFormat;
  /** Whether it is to be had for this model and this channel; left out: always. */
  serves?(about: About): boolean;
  /** Writes and reads chats; left out: the codec of `dialect` without options. */
  wire?: ProviderWire;
  /** The same for what is no chat: from OpenAI's form, and back to it. */
  convert?: Conversion;
  /** Of embeddings in Google's dialect: a request holds one content, and a batch goes out in several. */
  single?: boolean;
  /** What has to change of a request in `dialect`, passed on or written by `wire`, for this vendor to take it. */
  fix?(body: Json, asked: Asked): Changes;
  /** Whether `fix` may find something in these bytes: a look that is cheaper than parsing them. Left out: it may. */
  mayFix?(body: Buffer, asked: Asked): boolean;
  /** What a stream comes as; left out: server-sent events. */
  streamType?: string;
  /** Makes server-sent events of a stream that has another frame around the same dialect. */
  unframe?(): Unframer;
  /** It does not fetch pictures, so those that are given by their addresses are fetched for it. Left out: it does. */
  pictures?: Pictures;
  /** Whether `stream_options.include_usage` is needed and known (`asked`), or refused (`always`); left out: `asked`. */
  usageInStream?: 'asked' | 'always';
  /** Other ways to the same, in other dialects: the one that the caller speaks wins, else the first that serves. */
  also?: readonly Operation[];
}

/** Which pictures are taken as bytes. */
export interface Pictures {
  /** Media types. */
  types: readonly string[];
  /** Addresses that are taken all the same, such as those of the vendor's own store. */
  takes?(address: string): boolean;
}

/** What decides which operation serves a call. */
export interface About {
  /** What the upstream is asked for. */
  model: string;
  /** The channel's address, or the provider's. */
  baseUrl: string;
  extras: Extras;
}

export interface Asked extends About {
  key: string;
  stream: boolean;
  /** The caller's request, for what of it stands in the address or in a header. */
  request?: Json | undefined;
  /** What the key was exchanged for, where the provider has a `token`. */
  token?: string | undefined;
  /** The caller's headers, names in small letters: of these a target may pass some on. */
  callerHeaders?: Readonly<Record<string, string | undefined>> | undefined;
  /** The caller's path and query, for calls that are passed on as they are. */
  callerPath?: string | undefined;
}

/** What a channel says beside address and key. */
export interface Extras {
  other: string;
  plugin: Json;
}

export interface Target {
  baseUrl: string;
  /** With its query; starts with a slash. */
  path: string;
  headers: Record<string, string>;
}

/** Top-level members of a body and what they become; undefined: the member goes. */
export type Changes = Record<string, unknown>;

/** What providers speak: the relay's own wires, and those of `providers/wires`. */
export interface ProviderWire extends Omit<Wire, 'id'> {
  id: string;
}

export interface Conversion {
  /** The vendor's request. Throws `BadChatRequest` for what it cannot do. */
  request(body: Json, asked: Asked): Content;
  /** How many texts of an embeddings request the vendor takes in one; what is more goes out in requests of its own. */
  textsAtOnce?(asked: Asked): number | undefined;
  /** The vendor's answer in OpenAI's form. Throws `BadReply`. */
  reply(content: Content, request: Json): Content;
}

export type Content = { json: unknown } | { bytes: Buffer; contentType: string };

/** Takes a frame off a stream. Never throws: what cannot be read is an `error` event of the dialect. */
export interface Unframer {
  push(chunk: Buffer): Buffer;
  end(): Buffer;
}

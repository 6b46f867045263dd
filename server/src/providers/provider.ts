/**
 * An upstream API. One object per provider, every modality an optional member, so that a new provider is one file
 * and no part of the relay knows its name. Members are pure: values in, values out; `relay/` does the sending.
 */
export interface Provider {
  /** The file's name. */
  id: string;
  /** `channel.type` on the wire. */
  type: number;
  title: string;
  /** Used when a channel has no address of its own; empty when one has to be typed in. */
  baseUrl: string;
  /** A small model for the channel test; empty when there is no good guess. */
  testModel: string;
  /** Where keys and bills are found; empty when there is no such page. */
  website: string;
  /** What authorizes a request. */
  headers(key: string): Record<string, string>;
  chat?: Operation;
  embeddings?: Operation;
  /** How the provider is asked for its models. */
  models?: ModelList;
}

/** A call in the dialect that the provider speaks. Where the caller speaks it too, bytes pass through. */
export interface Operation {
  dialect: 'openai';
  /** Appended to the base address. */
  path: string;
}

export interface ModelList {
  path: string;
  /** Model names in a reply's JSON; throws or returns undefined when it has another shape. */
  read(reply: unknown): string[] | undefined;
}

/** How calls are served. Apart from the schemas of rules, which only forms load. */

/**
 * Service tiers and speeds as providers bill them, under one name each: OpenAI's `default`, Groq's `on_demand` and
 * Anthropic's `standard` are `standard`; OpenAI's `fast` is `priority`; `fast` is Anthropic's `speed: "fast"`.
 */
export const serviceModes = [
  'standard',
  'flex',
  'priority',
  'fast',
  'ultrafast',
  'scale',
  'batch',
  'optimized',
  'offpeak',
] as const;
export type ServiceMode = (typeof serviceModes)[number];

/**
 * Events with a fee, apart from tokens. `web_search`: a search or query. `grounded_prompt`: a call that
 * searched at all. `code_session`: a container started. `image`: a picture that a hosted tool made. `post_read` and
 * `profile_read`: results of a social network. `request`: every answered call.
 */
export const feeEvents = [
  'web_search',
  'grounded_prompt',
  'file_search',
  'code_session',
  'map_search',
  'page_read',
  'image',
  'post_read',
  'profile_read',
  'request',
] as const;
export type FeeEvent = (typeof feeEvents)[number];

/** How a call was served: what decides which rules hold. */
export interface Served {
  /** Tiers that served the call; empty: standard. */
  modes: readonly ServiceMode[];
  region: string | undefined;
  /** Tokens of the longest prompt. */
  promptTokens: number;
  reasoning: boolean;
  /** Start of the attempt that answered, in Unix seconds. */
  at: number;
}

/** Counts of events with a fee. */
export type EventCounts = Partial<Record<FeeEvent, number>>;

import { creditsOfDollars, type EventCounts, type FeeEvent, type ServiceMode, type Usage } from '@relay-hub/contract';
import { objectOf, type Json } from '#json.ts';
import { countOf, partOf } from './counts.ts';

/** Tokens that another model used for a call, apart from the call's own usage. */
export interface OtherUsage {
  /** Undefined: the model of the tool that made images. */
  model?: string;
  usage: Usage;
  /** The call's own usage includes it. */
  within?: true | undefined;
}

/** How a provider says that it served a call. Members that it does not report are absent. */
export interface ServedReport {
  /** Tier and speed. */
  modes?: ServiceMode[];
  region?: string;
  /** Tokens of the longest prompt, where the provider reports several steps of a call. */
  promptTokens?: number;
  /** Events with a fee, counted so far. */
  events?: EventCounts;
  /** Events of one stream event, which are added up until a count comes. */
  seen?: EventCounts;
  /** Each step of another model. */
  others?: OtherUsage[];
  /** The provider's bill for the call in credits, a decimal as text. */
  cost?: string;
  /** The model that the reply names, and the state of its back end. */
  model?: string;
  fingerprint?: string;
}

const LONGEST_NAME = 100;

/** Model and fingerprint of a reply, or of the first event of a stream that has them; undefined: neither. */
export function identityIn(message: unknown): Pick<ServedReport, 'model' | 'fingerprint'> | undefined {
  const json = objectOf(message);
  if (!json) return undefined;
  // Anthropic and Responses have it inside the first and the last event of a stream.
  const within = json['model'] === undefined ? (objectOf(json['message']) ?? objectOf(json['response'])) : undefined;
  const model = nameIn(json['model'] ?? within?.['model'] ?? json['modelVersion']);
  const fingerprint = nameIn(json['system_fingerprint']);
  if (model === undefined) return fingerprint === undefined ? undefined : { fingerprint };
  return fingerprint === undefined ? { model } : { model, fingerprint };
}

const nameIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= LONGEST_NAME
    ? value.toWellFormed().replaceAll('\0', '')
    : undefined;

/** A report with the identity of a reply. */
export function identified(served: ServedReport | undefined, message: unknown): ServedReport | undefined {
  const identity = identityIn(message);
  return identity ? { ...served, ...identity } : served;
}

/** Adds a report to the earlier ones of a stream: the last tier and region win, and counts never fall. */
export function mergeServed(before: ServedReport | undefined, now: ServedReport | undefined): ServedReport | undefined {
  if (!before || !now) return now ?? before;
  // Most streams repeat their tier with every chunk.
  if (now.modes && now.modes === before.modes && now === tierReports.get(now.modes[0])) return before;
  const merged = { ...before, ...now };
  if (before.events && now.events) merged.events = combined(before.events, now.events, Math.max);
  if (before.seen && now.seen) merged.seen = combined(before.seen, now.seen, (one, other) => one + other);
  return merged;
}

/** The events of a call; those seen in a stream count only where the provider reports no count of them. */
export const eventsServed = (served: ServedReport | undefined): EventCounts =>
  served?.seen ? { ...served.seen, ...served.events } : (served?.events ?? {});

/** The tier that a reply names in its headers, as Bedrock's `invoke` and Gemini do; undefined: none. */
export function tierInHeaders(headers: Readonly<Record<string, unknown>>): ServiceMode[] | undefined {
  const mode = modeNamed(headers['x-amzn-bedrock-service-tier'] ?? headers['x-gemini-service-tier']);
  const isOptimized = headers['x-amzn-bedrock-performanceconfig-latency'] === 'optimized';
  if (!mode && !isOptimized) return undefined;
  return [...(mode ? [mode] : []), ...(isOptimized ? (['optimized'] as const) : [])];
}

function combined(one: EventCounts, other: EventCounts, how: (a: number, b: number) => number): EventCounts {
  const both: EventCounts = { ...one };
  for (const [event, count] of Object.entries(other) as [FeeEvent, number][])
    both[event] = how(both[event] ?? 0, count);
  return both;
}

/** Each provider's names of its tiers and speeds. `auto` and unknown names say nothing. */
const modeNames: ReadonlyMap<string, ServiceMode> = new Map(
  Object.entries({
    default: 'standard',
    standard: 'standard',
    standard_only: 'standard',
    on_demand: 'standard',
    flex: 'flex',
    on_demand_flex: 'flex',
    priority: 'priority',
    fast: 'priority',
    performance: 'priority',
    on_demand_priority: 'priority',
    ultrafast: 'ultrafast',
    scale: 'scale',
    reserved: 'scale',
    provisioned_throughput: 'scale',
    batch: 'batch',
    on_demand_offpeak: 'offpeak',
  } as const),
);

/** The tier behind a provider's name; undefined: none, or unknown. */
export function modeNamed(name: unknown): ServiceMode | undefined {
  if (typeof name !== 'string') return undefined;
  return modeNames.get(name) ?? modeNames.get(name.toLowerCase());
}

/** The report of a tier alone: always the same object for a tier, so that repeating it costs nothing. */
export function tierReport(mode: ServiceMode): ServedReport {
  let report = tierReports.get(mode);
  if (!report) tierReports.set(mode, (report = Object.freeze({ modes: [mode] })));
  return report;
}
const tierReports = new Map<ServiceMode | undefined, ServedReport>();

/** Reports as a record without empty members; undefined: nothing is reported. */
export function reported(found: {
  modes?: readonly (ServiceMode | undefined)[];
  region?: unknown;
  promptTokens?: number | undefined;
  events?: EventCounts | undefined;
  seen?: EventCounts | undefined;
  others?: OtherUsage[] | undefined;
  cost?: string | undefined;
}): ServedReport | undefined {
  const region = regionNamed(found.region);
  const events = counted(found.events);
  const seen = counted(found.seen);
  const modes = found.modes?.filter((mode) => mode !== undefined) ?? [];
  const report: ServedReport = {};
  if (region !== undefined) report.region = region;
  if (found.promptTokens) report.promptTokens = found.promptTokens;
  if (events) report.events = events;
  if (seen) report.seen = seen;
  if (found.others?.length) report.others = found.others;
  if (found.cost) report.cost = found.cost;
  for (const _ in report) return modes.length > 0 ? { modes, ...report } : report;
  const [mode] = modes;
  return modes.length > 1 ? { modes } : mode && tierReport(mode);
}

function regionNamed(name: unknown): string | undefined {
  if (typeof name !== 'string') return undefined;
  const region = name.toLowerCase();
  return /^[a-z0-9-]{1,32}$/.test(region) && region !== 'global' ? region : undefined;
}

function counted(events: EventCounts | undefined): EventCounts | undefined {
  let some: EventCounts | undefined;
  for (const event in events) {
    const count = events[event as FeeEvent] ?? 0;
    if (count > 0) (some ??= {})[event as FeeEvent] = count;
  }
  return some;
}

/** Absurd counts are errors of the provider. */
const MOST_EVENTS = 100_000;

/** A count of events; invalid ones count as 0. */
export const eventCount = (...values: unknown[]): number => Math.min(MOST_EVENTS, partOf(...values));

/** Events of a reply without tools: always this object, by which most replies are known. */
export const noEvents: EventCounts = Object.freeze({});

/** Members of the usage with counters of hosted tools. */
const usageMembers = new Set([
  'server_side_tool_usage_details',
  'server_tool_use_details',
  'server_tool_use',
  'plugins',
  'x_tools',
  'tool_calls_details',
  'tool_usage',
  'num_search_queries',
]);

/** Whether a JSON object has a member with one of these names. */
export function hasAny(json: Json, names: ReadonlySet<string>): boolean {
  for (const name in json) if (names.has(name)) return true;
  return false;
}

/** Counters of hosted tools in the usage of OpenAI-style replies: xAI, OpenRouter, Alibaba, Perplexity, Ark. */
export function eventsInUsage(usage: Json | undefined): EventCounts {
  // Most replies used no tool, and each is read. Looking up absent members of parsed JSON is slow.
  if (!usage || !hasAny(usage, usageMembers)) return noEvents;
  const xAi = objectOf(usage['server_side_tool_usage_details']);
  const openRouter = objectOf(usage['server_tool_use_details'] ?? usage['server_tool_use']);
  const plugins = objectOf(objectOf(usage['plugins'])?.['search']);
  const tools = objectOf(usage['x_tools']);
  const invoked = objectOf(usage['tool_calls_details']);
  const ark = objectOf(usage['tool_usage']);
  const invocations = (name: string) => objectOf(invoked?.[name])?.['invocation'];
  return {
    web_search: eventCount(
      positive(xAi?.['web_search_calls']),
      positive(openRouter?.['web_search_requests']),
      positive(plugins?.['count']),
      positive(objectOf(tools?.['web_search'])?.['count']),
      positive(invocations('web_search')),
      positive(usage['num_search_queries']),
      positive(ark?.['web_search']),
    ),
    file_search: eventCount(xAi?.['file_search_calls'], xAi?.['document_search_calls']),
    code_session: eventCount(positive(xAi?.['code_interpreter_calls']), positive(invocations('sandbox'))),
    page_read: eventCount(invocations('fetch_url')),
    image: eventCount(xAi?.['image_generation_calls']),
    post_read: eventCount(xAi?.['x_posts_fetched']),
    profile_read: eventCount(xAi?.['x_users_fetched']),
  };
}

/** Larger amounts are errors. */
const MOST_DOLLARS = 100_000;
/** xAI counts in 10^-10 dollars. */
const TICKS = 10;

const isAmount = (value: unknown, scale = 0): value is number =>
  typeof value === 'number' && value >= 0 && value <= MOST_DOLLARS * 10 ** scale;

/** The bill of a call in credits, where its usage states it in dollars: OpenRouter, Perplexity, xAI. */
export function costInUsage(usage: Json | undefined): string | undefined {
  if (!usage) return undefined;
  const { cost_in_usd_ticks: ticks, cost } = usage;
  if (isAmount(ticks, TICKS)) return creditsOfDollars(ticks, TICKS);
  if (cost === undefined) return undefined;
  const dollars = objectOf(cost)?.['total_cost'] ?? cost;
  return isAmount(dollars) ? creditsOfDollars(dollars) : undefined;
}

/** The value if it counts something, so that the next counter is looked at otherwise. */
const positive = (value: unknown): unknown => ((countOf(value) ?? 0) > 0 ? value : undefined);

/** Items of a Responses reply that are billed per call. */
export function eventsInItems(items: readonly unknown[]): EventCounts {
  const events: EventCounts = {};
  const containers = new Set<unknown>();
  const add = (event: FeeEvent): void => void (events[event] = (events[event] ?? 0) + 1);
  for (const one of items) {
    const item = objectOf(one);
    const type = item?.['type'];
    if (type === 'web_search_call') {
      // Opened pages and searches within them are free.
      const action = objectOf(item?.['action'])?.['type'];
      if ((action === undefined || action === 'search') && item?.['status'] !== 'failed') add('web_search');
    } else if (type === 'file_search_call') add('file_search');
    else if (type === 'image_generation_call') add('image');
    else if (type === 'code_interpreter_call' || type === 'shell_call') {
      const container = item?.['container_id'] ?? type;
      if (!containers.has(container)) add('code_session');
      containers.add(container);
    }
  }
  return events;
}

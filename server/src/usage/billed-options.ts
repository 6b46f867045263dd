import type { FeeEvent, ServiceMode } from '@relay-hub/contract';
import { listOr, objectOf, textOr, type Json } from '#json.ts';
import { hasAny, modeNamed } from './served.ts';

/**
 * Members of a request, in any dialect, for which providers bill more than the tokens of the model: tiers, speed,
 * region, and hosted tools with a fee. Sources: the providers' API references and price pages.
 */
export type BilledOption =
  /** `mode` undefined: a name that is not known here, so no price can name it. */
  (
    | { kind: 'mode'; mode: ServiceMode | undefined }
    /**
     * Another model that works for this one, and is billed as itself. `limits`: of its tool, undefined where it has none;
     * without them it may replace the model of the call.
     */
    | { kind: 'model'; model: string; limits?: ModelLimits }
    | { kind: 'region'; region: string }
    /** `events`: a fee for any of them pays for the tool. */
    | {
        kind: 'tool';
        events: readonly FeeEvent[];
        most: number | undefined;
        limitAs: 'max_uses' | 'max_tool_calls' | undefined;
        /** Type of the tool; empty: it has none. */
        type: string;
        /** Units that one event is charged as: GB of memory of a container. */
        units: number;
        /** It makes images: the model that makes them, empty for the provider's usual one, and their quality. */
        images?: { model: string; quality: string };
      }
  ) & {
    /** Path of the member, for messages. */
    field: string;
    /** Top-level member, and the index in its list; undefined: the member itself. */
    member: string;
    index?: number;
  };

/** How often another model may be asked, and how many tokens each of its answers may have. */
interface ModelLimits {
  uses: number | undefined;
  output: number | undefined;
}

const search = ['web_search', 'grounded_prompt', 'request'] as const satisfies readonly FeeEvent[];
const posts = ['post_read', 'profile_read', 'web_search'] as const satisfies readonly FeeEvent[];

const IMAGES = 'image_generation';

/** Hosted tools by the start of their `type`; a version may follow. */
export const toolTypes: readonly (readonly [name: string, events: readonly FeeEvent[]])[] = [
  ['web_search', search],
  ['openrouter:web_search', search],
  ['browser_search', search],
  ['x_search', posts],
  ['file_search', ['file_search']],
  ['collections_search', ['file_search']],
  ['code_interpreter', ['code_session']],
  ['code_execution', ['code_session']],
  ['shell', ['code_session']],
  [IMAGES, ['image']],
  // Perplexity's.
  ['fetch_url', ['page_read']],
  ['sandbox', ['code_session']],
  ['people_search', search],
  ['finance_search', search],
];

/** Anthropic's adviser, a model that the tool names. */
export const ADVISOR = 'advisor_';

/** Gemini's tools are members of an object. */
export const geminiTools: Readonly<Record<string, readonly FeeEvent[]>> = {
  googleSearch: search,
  google_search: search,
  googleSearchRetrieval: search,
  google_search_retrieval: search,
  enterpriseWebSearch: search,
  enterprise_web_search: search,
  googleMaps: ['map_search'],
  google_maps: ['map_search'],
  retrieval: ['file_search'],
};

/** Members that make a model search, apart from tools: OpenAI's, xAI's, Alibaba's, Baidu's, Tencent's. */
export const searchMembers = [
  'web_search_options',
  'search_parameters',
  'enable_search',
  'web_search',
  'enable_enhancement',
] as const;

/** Plug-ins with a fee, by their id: OpenRouter's and MiniMax's. */
export const billedPlugins: Readonly<Record<string, readonly FeeEvent[]>> = {
  web: search,
  'file-parser': ['page_read'],
  plugin_web_search: search,
};

/** Members of a request that can hold options. */
const billedMembers: ReadonlySet<string> = new Set([
  'service_tier',
  'serviceTier',
  'speed',
  'performanceConfig',
  'inference_geo',
  'fallbacks',
  'tools',
  'plugins',
  ...searchMembers,
]);

/**
 * The billed options of a request. Reads top-level members and the list of tools alone, so it is cheap. `becomesGoogles`:
 * it is written in Google's format, where functions with the names of Google's tools are these tools.
 */
export function billedOptions(request: unknown, becomesGoogles = false): BilledOption[] {
  const json = objectOf(request);
  const found: BilledOption[] = [];
  // Most requests have none.
  if (!json || !hasAny(json, billedMembers)) return found;
  for (const member of ['service_tier', 'serviceTier']) addTier(found, member, json[member]);
  const { speed } = json;
  // The speed of speech is a number.
  if (typeof speed === 'string' && speed !== 'standard')
    found.push({ kind: 'mode', mode: speed === 'fast' ? 'fast' : undefined, field: 'speed', member: 'speed' });
  if (objectOf(json['performanceConfig'])?.['latency'] === 'optimized')
    found.push({ kind: 'mode', mode: 'optimized', field: 'performanceConfig', member: 'performanceConfig' });
  const geo = json['inference_geo'];
  if (typeof geo === 'string' && /^[a-z0-9-]{1,32}$/i.test(geo) && geo.toLowerCase() !== 'global')
    found.push({ kind: 'region', region: geo.toLowerCase(), field: 'inference_geo', member: 'inference_geo' });
  listOr(json['fallbacks']).forEach((one, index) => {
    const { speed: own, model } = objectOf(one) ?? {};
    if (own === 'fast')
      found.push({ kind: 'mode', mode: 'fast', field: `fallbacks[${index}].speed`, member: 'fallbacks', index });
    if (typeof model === 'string')
      found.push({ kind: 'model', model, field: `fallbacks[${index}].model`, member: 'fallbacks', index });
  });
  addTools(found, json, becomesGoogles);
  for (const member of searchMembers) if (isOn(json[member])) addTool(found, { member, events: search });
  listOr(json['plugins']).forEach((one, index) => {
    const id = objectOf(one)?.['id'] ?? one;
    const events = typeof id === 'string' && Object.hasOwn(billedPlugins, id) ? billedPlugins[id] : undefined;
    if (events) addTool(found, { member: 'plugins', index, events });
  });
  return found;
}

function isOn(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false;
  const { mode, enable } = objectOf(value) ?? {};
  return mode !== 'off' && enable !== false;
}

/** Names with which a request leaves the tier to the provider. */
const neutral = new Set(['', 'auto', 'unspecified', 'service_tier_unspecified']);

function addTier(found: BilledOption[], member: string, value: unknown): void {
  // Converse has an object.
  const name = objectOf(value)?.['type'] ?? value;
  if (typeof name !== 'string' || neutral.has(name.toLowerCase())) return;
  const mode = modeNamed(name);
  if (mode !== 'standard') found.push({ kind: 'mode', mode, field: member, member });
}

interface FoundTool {
  member: string;
  events: readonly FeeEvent[];
  index?: number;
  most?: number | undefined;
  limitAs?: 'max_uses' | 'max_tool_calls' | undefined;
  type?: string;
  units?: number;
  images?: { model: string; quality: string } | undefined;
}

function addTool(
  found: BilledOption[],
  { member, events, index, most, limitAs, type = '', units = 1, images }: FoundTool,
): void {
  const field = index === undefined ? member : `${member}[${index}]`;
  found.push({
    kind: 'tool',
    events,
    most,
    limitAs,
    type,
    units,
    field,
    member,
    ...(index !== undefined && { index }),
    ...(images && { images }),
  });
}

function addTools(found: BilledOption[], json: Json, becomesGoogles: boolean): void {
  const tools = json['tools'];
  // All hosted tools of a Responses request share this limit.
  const ofAll = limitIn(json['max_tool_calls']);
  (Array.isArray(tools) ? (tools as unknown[]) : []).forEach((one, index) => {
    const tool = objectOf(one);
    if (!tool) return;
    const type = textOr(tool['type'], '');
    if (type.startsWith(ADVISOR)) {
      const model = textOr(tool['model'], '');
      const limits = { uses: limitIn(tool['max_uses']), output: limitIn(tool['max_tokens']) };
      found.push({ kind: 'model', model, limits, field: `tools[${index}]`, member: 'tools', index });
      return;
    }
    const known = toolTypes.find(
      ([name]) => type === name || (type.startsWith(name) && /^[_:]/.test(type.slice(name.length))),
    );
    if (known) {
      // A container that exists is not started again.
      if (typeof (tool['container'] ?? json['container']) === 'string') return;
      const isAnthropics = /_\d{8}$/.test(type) && json['messages'] !== undefined;
      const limitAs: FoundTool['limitAs'] =
        isAnthropics || type.startsWith('openrouter') ? 'max_uses' : 'max_tool_calls';
      const most = limitIn(tool['max_uses']) ?? ofAll;
      // Chat Completions have no limit for them.
      const canLimit = limitAs === 'max_uses' || json['input'] !== undefined;
      const units = gigabytesIn(objectOf(tool['container'])?.['memory_limit']);
      const images =
        known[0] === IMAGES ? { model: textOr(tool['model'], ''), quality: textOr(tool['quality'], '') } : undefined;
      const limit = canLimit ? { most, limitAs } : { most };
      addTool(found, { member: 'tools', index, type, units, images, events: known[1], ...limit });
      return;
    }
    const name = objectOf(tool['function'])?.['name'] ?? tool['name'];
    if (name === '$web_search') addTool(found, { member: 'tools', index, events: search, most: 1 });
    if (becomesGoogles && name === 'googleSearch') addTool(found, { member: 'tools', index, events: search });
    // Zhipu's tool of the type `retrieval` is free.
    for (const own in type === 'retrieval' ? {} : tool) {
      const events = Object.hasOwn(geminiTools, own) ? geminiTools[own] : undefined;
      if (events && isOn(tool[own])) addTool(found, { member: 'tools', index, events });
    }
  });
}

/** OpenAI's sizes of containers, `1g` to `64g`. */
const gigabytesIn = (size: unknown): number => Number(/^(\d{1,3})g$/i.exec(textOr(size, ''))?.[1] ?? 1) || 1;

const limitIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** The request without these options; others keep their values. Undefined members are removed. */
export function withoutOptions(json: Json, options: readonly BilledOption[]): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  for (const member of new Set(options.map((option) => option.member))) {
    const own = options.filter((option) => option.member === member);
    const list = json[member];
    if (own.some(({ index }) => index === undefined) || !Array.isArray(list)) {
      changes[member] = undefined;
      continue;
    }
    const left = (list as unknown[]).flatMap((one, at) => {
      const option = own.find(({ index }) => index === at);
      if (!option) return [one];
      // A fallback model that has a price stays, without the speed.
      const isGone = own.some((other) => other.index === at && other.kind !== 'mode');
      return isGone ? [] : [{ ...objectOf(one), speed: undefined }];
    });
    changes[member] = left.length > 0 ? left : undefined;
  }
  // A choice among no tools is refused by providers.
  if ('tools' in changes && changes['tools'] === undefined && json['tool_choice'] !== undefined)
    changes['tool_choice'] = undefined;
  return changes;
}

import type { FeeEvent, PriceInput, RuleConditions, ServiceMode, UsageKind } from '@relay-hub/contract';
import { extraKinds } from '@relay-hub/contract';
import type { ConvertedList, KindRates, ListRemark, RateSheet, Variant } from './rate-sheet.ts';
import { halvedInBatches, isRow, makers, numberIn, ownNames } from './list-rows.ts';
import { addRate, assumedEvents, feeOf, perMillion, priceOfSheet } from './rate-sheet.ts';

/** The list of LiteLLM, `model_prices_and_context_window.json`: an object by model, dollars per token. */

/** Makers by the name of their provider there, and the prefix of their models. */
const providers: Readonly<Record<string, { owner: number; prefix: string }>> = {
  openai: { owner: makers.openai, prefix: '' },
  'text-completion-openai': { owner: makers.openai, prefix: '' },
  anthropic: { owner: makers.anthropic, prefix: '' },
  gemini: { owner: makers.gemini, prefix: 'gemini/' },
  deepseek: { owner: makers.deepseek, prefix: 'deepseek/' },
  xai: { owner: makers.xai, prefix: 'xai/' },
  dashscope: { owner: makers.qwen, prefix: 'dashscope/' },
  moonshot: { owner: makers.moonshot, prefix: 'moonshot/' },
  mistral: { owner: makers.mistral, prefix: 'mistral/' },
  zai: { owner: makers.zhipu, prefix: 'zai/' },
  minimax: { owner: makers.minimax, prefix: 'minimax/' },
  groq: { owner: makers.groq, prefix: 'groq/' },
  perplexity: { owner: makers.perplexity, prefix: 'perplexity/' },
  volcengine: { owner: makers.volcengine, prefix: 'volcengine/' },
};

const fields: Readonly<Record<string, UsageKind>> = {
  input_cost_per_token: 'input',
  output_cost_per_token: 'output',
  cache_read_input_token_cost: 'cached',
  cache_read_input_audio_token_cost: 'cachedAudio',
  cache_read_input_image_token_cost: 'cachedImage',
  cache_creation_input_token_cost: 'cacheWrite',
  cache_creation_input_token_cost_above_1hr: 'cacheWrite1h',
  cache_creation_input_token_cost_above_12hr: 'cacheWrite1h',
  input_cost_per_audio_token: 'inputAudio',
  input_cost_per_image_token: 'inputImage',
  output_cost_per_audio_token: 'outputAudio',
  output_cost_per_image_token: 'outputImage',
  output_cost_per_reasoning_token: 'reasoning',
};

const modes: Readonly<Record<string, ServiceMode>> = {
  flex: 'flex',
  priority: 'priority',
  ultrafast: 'ultrafast',
  batches: 'batch',
};

/** Fields about money that have no place in a price per token, and those without influence on it. */
const left = new Set([
  'input_cost_per_token_cache_hit',
  'fedramp_uplift_multiplier',
  'search_free_requests',
  'web_search_billing_unit',
  'cache_creation_input_audio_token_cost',
]);

/** Of a model at Vertex in one location, which its maker's row does not have. */
const VERTEX_UPLIFT = 'regional_endpoint_uplift_multiplier';

/** Fields read apart from the table of rates. */
const readApart = new Set([
  'tiered_pricing',
  'off_peak_pricing',
  'search_context_cost_per_query',
  'google_maps_grounding_cost_per_query',
  'code_interpreter_cost_per_session',
  'file_search_cost_per_1k_calls',
  'input_cost_per_request',
  'regional_processing_uplift_multiplier_us',
  'regional_processing_uplift_multiplier_eu',
  VERTEX_UPLIFT,
  'provider_specific_entry',
]);

/** Wrong values of this list, left out: the provider, the model and the fields they are in, with the reason. */
const knownErrors: readonly {
  provider: string;
  model: RegExp;
  field: RegExp;
  why: string;
  /** The rest of the price means nothing without the field. */
  leavesOut?: boolean;
}[] = [
  {
    provider: 'xai',
    model: /^grok-(?!4\.3|4\.20)/,
    field: /_batches$/,
    why: 'xAI discounts batches of grok-4.3 and grok-4.20 alone',
  },
  {
    provider: 'deepseek',
    model: /./,
    field: /^off_peak_pricing$/,
    why: 'the windows of DeepSeek have no public holidays there',
    leavesOut: true,
  },
];

export function isLiteLlm(json: unknown): json is Record<string, unknown> {
  if (!isRow(json)) return false;
  return Object.values(json).some((row) => isRow(row) && 'litellm_provider' in row);
}

export function readLiteLlm(json: Record<string, unknown>): ConvertedList {
  const remarks: ListRemark[] = [];
  const prices: PriceInput[] = [];
  const others = new Set<string>();
  for (const [name, row] of Object.entries(json)) {
    if (!isRow(row) || name === 'sample_spec') continue;
    const provider = typeof row['litellm_provider'] === 'string' ? row['litellm_provider'] : '';
    const maker = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
    if (!maker || !name.startsWith(maker.prefix)) {
      if (provider !== '') others.add(provider);
      continue;
    }
    const model = name.slice(maker.prefix.length);
    const wrong = knownErrors.filter((error) => error.provider === provider && error.model.test(model));
    const errors = Object.keys(row).flatMap((field) => {
      const error = wrong.find((each) => each.field.test(field));
      return error ? [{ field, error }] : [];
    });
    remarks.push(...errors.map(({ field }): ListRemark => ({ model, field, remark: 'known_error' })));
    if (errors.some(({ error }) => error.leavesOut)) continue;
    const usable = Object.fromEntries(
      Object.entries(row).filter(([field]) => !errors.some((error) => error.field === field)),
    );
    const atVertex = json[`vertex_ai/${model}`];
    if (isRow(atVertex)) usable[VERTEX_UPLIFT] ??= atVertex[VERTEX_UPLIFT];
    const sheet = sheetOf(usable, { model, owner: maker.owner, provider }, remarks);
    if (!sheet) remarks.push({ model, field: '', remark: 'no_price' });
    else {
      prices.push(priceOfSheet({ ...sheet, variants: sheet.variants.filter((one) => !isBatch(one)) }, remarks));
      const batch = sheet.variants.find((one) => isBatch(one) && one.when.over === undefined);
      if (batch && !halvedInBatches(sheet.rates, batchRates(sheet, batch.rates)))
        prices.push(batchOf(sheet, batch.rates, remarks));
    }
  }
  for (const provider of others) remarks.push({ model: '', field: provider, remark: 'other_provider' });
  return ownNames({ prices, remarks });
}

const isBatch = ({ when }: Variant): boolean => when.modes?.includes('batch') === true;

/**
 * Rates of a batch: kinds without one cost as much less as their side does; OpenAI's cached tokens cost what others cost
 * there.
 */
function batchRates(sheet: RateSheet, batch: KindRates): RateSheet['rates'] {
  const { input = sheet.rates.input, output = sheet.rates.output } = batch;
  const rates: RateSheet['rates'] = { input, output };
  for (const { kind, side } of extraKinds) {
    const usual = sheet.rates[kind];
    if (usual === undefined) continue;
    const like = kind === 'cached' && sheet.owner === makers.openai ? input : (usual * rates[side]) / sheet.rates[side];
    rates[kind] = batch[kind] ?? like;
  }
  return rates;
}

/** A batch sums calls, so that rules of single calls and fees say nothing about it. */
function batchOf(sheet: RateSheet, batch: KindRates, remarks: ListRemark[]): PriceInput {
  const bare = { model: `batch/${sheet.model}`, owner: sheet.owner, rates: batchRates(sheet, batch) };
  return priceOfSheet({ ...bare, variants: [], factors: [], fees: [] }, remarks);
}

interface Of {
  model: string;
  owner: number;
  provider: string;
}

function sheetOf(row: Record<string, unknown>, of: Of, remarks: ListRemark[]): RateSheet | undefined {
  const base: KindRates = {};
  const variants = new Map<string, Variant>();
  for (const [field, value] of Object.entries(row)) {
    if (!/cost|price|pricing|multiplier|uplift|search_free|billing_unit|specific_entry/.test(field)) continue;
    if (left.has(field) || readApart.has(field)) continue;
    const found = parsedField(field, of.provider);
    const rate = numberIn(value);
    if (!found || rate === undefined) {
      remarks.push({ model: of.model, field, remark: 'unknown_field' });
      continue;
    }
    if (!found.when) addRate(base, found.kind, perMillion(rate));
    else if (rate > 0) {
      const key = JSON.stringify(found.when);
      const variant = variants.get(key) ?? { when: found.when, rates: {} };
      addRate(variant.rates, found.kind, perMillion(rate));
      variants.set(key, variant);
    }
  }
  const steps = stepsOf(row['tiered_pricing'], of, remarks);
  const rates = withOutput({ ...steps[0]?.rates, ...base }, row);
  if (rates?.input === undefined || rates.output === undefined) return undefined;
  // Qwen's thinking changes the price of all output, not that of the thoughts alone.
  if (of.provider === 'dashscope' && rates.reasoning !== undefined) {
    variants.set('reasoning', { when: { reasoning: true }, rates: { output: rates.reasoning } });
    for (const each of [rates, ...steps.map((step) => step.rates)]) delete each.reasoning;
  }
  return {
    model: of.model,
    owner: of.owner,
    rates: { ...rates, input: rates.input, output: rates.output },
    variants: [...steps.slice(1), ...variants.values(), ...offPeak(row['off_peak_pricing'], of, remarks)],
    factors: factorsOf(row, of, remarks),
    fees: feesOf(row, of),
  };
}

/** An embedding has no output, and a model of pictures may have only these. */
function withOutput(rates: KindRates, row: Record<string, unknown>): KindRates | undefined {
  const { input, output, outputImage, outputAudio } = rates;
  if (row['mode'] === 'embedding' || row['mode'] === 'rerank')
    return input === undefined ? undefined : { ...rates, output: input };
  return output === undefined ? { ...rates, output: outputImage ?? outputAudio } : rates;
}

/** `output_cost_per_token_above_272k_tokens_priority`: a kind, and the conditions of its rate. */
function parsedField(field: string, provider: string): { kind: UsageKind; when?: RuleConditions } | undefined {
  const [, rest = field, mode] = /^(.+)_(flex|priority|ultrafast|batches)$/.exec(field) ?? [];
  const [, name = rest, thousands] = /^(.+)_above_(\d+)k_tokens$/.exec(rest) ?? [];
  const kind = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (!kind) return undefined;
  const when: RuleConditions = {};
  // xAI's threshold belongs to the long band.
  if (thousands !== undefined) when.over = Number(thousands) * 1000 - (provider === 'xai' ? 1 : 0);
  const served = mode === undefined ? undefined : modes[mode];
  if (served) when.modes = [served];
  return thousands === undefined && served === undefined ? { kind } : { kind, when };
}

/** `tiered_pricing`: the first step is the price. */
function stepsOf(tiers: unknown, { model }: Of, remarks: ListRemark[]): Variant[] {
  if (!Array.isArray(tiers)) return [];
  const steps: Variant[] = [];
  for (const [at, tier] of tiers.entries()) {
    const range: unknown = isRow(tier) ? tier['range'] : undefined;
    if (!isRow(tier) || !Array.isArray(range)) {
      remarks.push({ model, field: `tiered_pricing[${at}]`, remark: 'not_convertible' });
      continue;
    }
    const rates: KindRates = {};
    for (const [field, value] of Object.entries(tier)) {
      const kind = Object.hasOwn(fields, field) ? fields[field] : undefined;
      const rate = numberIn(value);
      if (kind && rate) rates[kind] = perMillion(rate);
      else if (field !== 'range' && rate !== 0)
        remarks.push({ model, field: `tiered_pricing[${at}].${field}`, remark: 'unknown_field' });
    }
    const [from, to] = [numberIn(range[0]), numberIn(range[1])];
    const isLast = at === tiers.length - 1;
    steps.push({
      // The end of the last step is the model's limit.
      when: { ...(from ? { over: from } : {}), ...(to !== undefined && !isLast ? { up_to: to } : {}) },
      rates,
      replaces: true,
    });
  }
  return steps;
}

/** `off_peak_pricing`: windows of hours in UTC, by weekday. */
function offPeak(value: unknown, { model }: Of, remarks: ListRemark[]): Variant[] {
  if (!isRow(value)) return [];
  const rates: KindRates = {};
  for (const [field, kind] of Object.entries(fields)) {
    const rate = numberIn(value[field]);
    if (rate) rates[kind] = perMillion(rate);
  }
  const windows = Array.isArray(value['windows']) ? (value['windows'] as unknown[]) : [];
  // Weekdays of another zone than the hours: no rule has both.
  if (value['weekday_timezone'] !== undefined && value['weekday_timezone'] !== 'UTC') {
    remarks.push({ model, field: 'off_peak_pricing.weekday_timezone', remark: 'not_convertible' });
    return [];
  }
  return windows.flatMap((window) => {
    if (!isRow(window)) return [];
    const hours = [window['hours_utc']].flat();
    const days = Array.isArray(window['weekdays']) ? (window['weekdays'] as number[]) : undefined;
    return hours.flatMap((text): Variant[] => {
      const [, from, to] = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(String(text)) ?? [];
      if (from === undefined || to === undefined) {
        remarks.push({ model, field: 'off_peak_pricing.windows', remark: 'not_convertible' });
        return [];
      }
      const when: RuleConditions = { zone: 'UTC', ...(days ? { days } : {}), from, to: to === '00:00' ? '24:00' : to };
      return [{ when, rates }];
    });
  });
}

/** Factors of regions and of Anthropic's fast mode. Every region named has the same factor in this list. */
function factorsOf(row: Record<string, unknown>, { model }: Of, remarks: ListRemark[]): RateSheet['factors'] {
  const special = isRow(row['provider_specific_entry']) ? row['provider_specific_entry'] : {};
  for (const name of Object.keys(special))
    if (name !== 'us' && name !== 'fast')
      remarks.push({ model, field: `provider_specific_entry.${name}`, remark: 'unknown_field' });
  const regional = [
    row['regional_processing_uplift_multiplier_us'],
    row['regional_processing_uplift_multiplier_eu'],
    row[VERTEX_UPLIFT],
    special['us'],
  ].map((value) => numberIn(value) ?? 0);
  const fast = numberIn(special['fast']);
  return [
    ...(fast ? [{ when: { modes: ['fast' as const] }, factor: fast }] : []),
    ...(Math.max(...regional) > 0 ? [{ when: { regions: ['regional'] }, factor: Math.max(...regional) }] : []),
  ];
}

function feesOf(row: Record<string, unknown>, { model, provider }: Of): RateSheet['fees'] {
  const fees: RateSheet['fees'] = [];
  const add = (event: FeeEvent, dollars: number | undefined, most = assumedEvents) => {
    if (dollars) fees.push({ event, fee: feeOf(dollars), most });
  };
  const context = isRow(row['search_context_cost_per_query']) ? row['search_context_cost_per_query'] : {};
  // Where the fee depends on the size of the context, which no counter reports, the dearest.
  const search = Math.max(0, ...Object.values(context).map((value) => numberIn(value) ?? 0));
  const isGrounded = provider === 'gemini' && row['web_search_billing_unit'] !== 'per_query';
  if (provider === 'perplexity' || (provider === 'openai' && /-search-/.test(model))) add('request', search, 1);
  else if (isGrounded) add('grounded_prompt', search, 1);
  else add('web_search', search);
  add('map_search', numberIn(row['google_maps_grounding_cost_per_query']), isGrounded ? 1 : assumedEvents);
  add('code_session', numberIn(row['code_interpreter_cost_per_session']), 1);
  add('file_search', (numberIn(row['file_search_cost_per_1k_calls']) ?? 0) / 1000);
  if (search === 0) add('request', numberIn(row['input_cost_per_request']), 1);
  return fees;
}

import type { RuleConditions, UsageKind } from '@relay-hub/contract';
import { isRow, makers, numberIn } from './list-rows.ts';
import type { ConvertedList, KindRates, ListRemark, RateSheet, Variant } from './rate-sheet.ts';
import { addRate, assumedEvents, feeOf, perMillion, priceOfSheet } from './rate-sheet.ts';

/**
 * The list of OpenRouter, `/api/v1/models`: dollars per token as texts, under its own names (`maker/model`). They are
 * its prices, which differ from those of the makers.
 */

const kinds: Readonly<Record<string, UsageKind>> = {
  prompt: 'input',
  completion: 'output',
  input_cache_read: 'cached',
  input_audio_cache: 'cachedAudio',
  input_cache_write: 'cacheWrite',
  input_cache_write_1h: 'cacheWrite1h',
  audio: 'inputAudio',
  audio_output: 'outputAudio',
  image_output: 'outputImage',
  internal_reasoning: 'reasoning',
};

const owners: Readonly<Record<string, number>> = {
  openai: makers.openai,
  anthropic: makers.anthropic,
  google: makers.gemini,
  deepseek: makers.deepseek,
  'x-ai': makers.xai,
  qwen: makers.qwen,
  moonshotai: makers.moonshot,
  mistralai: makers.mistral,
  'z-ai': makers.zhipu,
  minimax: makers.minimax,
  cohere: makers.cohere,
  perplexity: makers.perplexity,
};

const conditions = new Set(['min_prompt_tokens', 'utc_start', 'utc_end', 'utc_days']);

export const isOpenRouter = (json: unknown): json is { data: unknown[] } =>
  isRow(json) &&
  Array.isArray(json['data']) &&
  json['data'].some((row) => isRow(row) && typeof row['id'] === 'string' && isRow(row['pricing']));

export function readOpenRouter({ data }: { data: unknown[] }): ConvertedList {
  const remarks: ListRemark[] = [];
  const sheets = data.flatMap((row): RateSheet[] => {
    const [id, pricing] = isRow(row) ? [row['id'], row['pricing']] : [];
    if (typeof id !== 'string') return [];
    const sheet = isRow(pricing) ? sheetOf(id, pricing, remarks) : undefined;
    if (!sheet) remarks.push({ model: id, field: 'pricing', remark: 'no_price' });
    return sheet ? [sheet] : [];
  });
  return { prices: sheets.map((sheet) => priceOfSheet(sheet, remarks)), remarks };
}

function sheetOf(model: string, pricing: Record<string, unknown>, remarks: ListRemark[]): RateSheet | undefined {
  const fees: RateSheet['fees'] = [];
  const rates = ratesIn(pricing, (field, rate) => {
    if (field === 'overrides') return;
    if (field === 'web_search' && rate) fees.push({ event: 'web_search', fee: feeOf(rate), most: assumedEvents });
    else if (field === 'request' && rate) fees.push({ event: 'request', fee: feeOf(rate), most: 1 });
    else if (rate !== 0) remarks.push({ model, field: `pricing.${field}`, remark: 'unknown_field' });
  });
  const { input, output = input } = rates;
  if (input === undefined || output === undefined) return undefined;
  const maker = model.slice(0, model.indexOf('/'));
  return {
    model,
    owner: (Object.hasOwn(owners, maker) ? owners[maker] : undefined) ?? 0,
    rates: { ...rates, input, output },
    variants: overridesOf(model, pricing['overrides'], remarks),
    factors: [],
    fees,
  };
}

function ratesIn(
  pricing: Record<string, unknown>,
  onOther: (field: string, rate: number | undefined) => void,
): KindRates {
  const rates: KindRates = {};
  for (const [field, value] of Object.entries(pricing)) {
    const kind = Object.hasOwn(kinds, field) ? kinds[field] : undefined;
    const rate = numberIn(value);
    if (kind && rate !== undefined) addRate(rates, kind, perMillion(rate));
    else onOther(field, rate);
  }
  return rates;
}

/** `overrides`: rates for long prompts and hours in UTC. */
function overridesOf(model: string, overrides: unknown, remarks: ListRemark[]): Variant[] {
  if (!Array.isArray(overrides)) return [];
  return overrides.flatMap((override: unknown): Variant[] => {
    const when = isRow(override) ? whenOf(override) : undefined;
    if (!isRow(override) || !when) {
      remarks.push({ model, field: 'pricing.overrides', remark: 'not_convertible' });
      return [];
    }
    const rates = ratesIn(override, (field) => {
      if (!conditions.has(field)) remarks.push({ model, field: `pricing.overrides.${field}`, remark: 'unknown_field' });
    });
    return [{ when, rates }];
  });
}

function whenOf(override: Record<string, unknown>): RuleConditions | undefined {
  const { min_prompt_tokens: least, utc_start: start, utc_end: end, utc_days: days } = override;
  const when: RuleConditions = {};
  if (least !== undefined) when.over = numberIn(least);
  if (start !== undefined || end !== undefined) {
    when.zone = 'UTC';
    when.from = timeOf(start);
    // The end of a day is written as its start.
    when.to = end === 0 ? '24:00' : timeOf(end);
  }
  if (Array.isArray(days)) {
    when.zone = 'UTC';
    // Sunday is 0 there.
    when.days = days.map((day: unknown) => (day === 0 ? 7 : Number(day)));
  }
  return Object.keys(when).length > 0 && Object.values(when).every((value) => value !== undefined) ? when : undefined;
}

/** 1630 is half past four. */
function timeOf(value: unknown): string | undefined {
  const number = numberIn(value);
  if (number === undefined || !Number.isInteger(number) || number > 2400) return undefined;
  const text = String(number).padStart(4, '0');
  return `${text.slice(0, 2)}:${text.slice(2)}`;
}

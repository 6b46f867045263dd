import type { RuleConditions, UsageKind } from '@relay-hub/contract';
import { isRow, makers, numberIn, ownNames } from './list-rows.ts';
import type { ConvertedList, KindRates, ListRemark, RateSheet, Variant } from './rate-sheet.ts';
import { addRate, feeOf, priceOfSheet } from './rate-sheet.ts';

/** The list of genai-prices, `data.json`: an array of providers with models, dollars per million tokens, with dates. */

const providers: Readonly<Record<string, number>> = {
  openai: makers.openai,
  anthropic: makers.anthropic,
  google: makers.gemini,
  deepseek: makers.deepseek,
  'x-ai': makers.xai,
  moonshotai: makers.moonshot,
  mistral: makers.mistral,
  zai: makers.zhipu,
  minimax: makers.minimax,
  groq: makers.groq,
  cohere: makers.cohere,
};

const kinds: Readonly<Record<string, UsageKind>> = {
  input_mtok: 'input',
  output_mtok: 'output',
  cache_read_mtok: 'cached',
  cache_write_mtok: 'cacheWrite',
  input_audio_mtok: 'inputAudio',
  output_audio_mtok: 'outputAudio',
  input_image_mtok: 'inputImage',
  output_image_mtok: 'outputImage',
};

export const isGenaiPrices = (json: unknown): json is unknown[] =>
  Array.isArray(json) &&
  json.some((provider) => {
    const models = isRow(provider) ? provider['models'] : undefined;
    return Array.isArray(models) && models.some((model) => isRow(model) && 'prices' in model && 'match' in model);
  });

/** `now`: Unix seconds; of several prices with dates, the one then in force is the price, later ones become rules. */
export function readGenaiPrices(json: unknown[], now: number): ConvertedList {
  const remarks: ListRemark[] = [];
  const sheets: RateSheet[] = [];
  for (const provider of json) {
    const [id, models] = isRow(provider) ? [provider['id'], provider['models']] : [];
    if (typeof id !== 'string' || !Array.isArray(models)) continue;
    const owner = Object.hasOwn(providers, id) ? providers[id] : undefined;
    if (owner === undefined) {
      remarks.push({ model: '', field: id, remark: 'other_provider' });
      continue;
    }
    for (const row of models as unknown[]) {
      if (!isRow(row) || typeof row['id'] !== 'string') continue;
      const sheet = sheetOf(row['prices'], { model: row['id'], owner, now }, remarks);
      if (sheet) sheets.push(sheet);
      else remarks.push({ model: row['id'], field: 'prices', remark: 'no_price' });
    }
  }
  return ownNames({ prices: sheets.map((sheet) => priceOfSheet(sheet, remarks)), remarks });
}

interface Of {
  model: string;
  owner: number;
  now: number;
}

function sheetOf(prices: unknown, of: Of, remarks: ListRemark[]): RateSheet | undefined {
  const { model, owner, now } = of;
  let current: Stated | undefined;
  const variants: Variant[] = [];
  for (const dated of Array.isArray(prices) ? (prices as unknown[]) : [{ prices }]) {
    if (!isRow(dated)) continue;
    const stated = statedIn(dated['prices'], of, remarks);
    if (!stated) continue;
    const when = constraintOf(dated['constraint']);
    if (!when) remarks.push({ model, field: 'prices.constraint', remark: 'not_convertible' });
    else if (when.zone !== undefined) variants.push({ when, rates: stated.rates });
    else if ((when.valid_from ?? 0) <= now) current = stated;
    else if (stated.bands.length === 0) variants.push({ when, rates: stated.rates, replaces: true });
    else remarks.push({ model, field: 'prices.constraint', remark: 'not_convertible' });
  }
  const { input, output = input } = current?.rates ?? {};
  if (!current || input === undefined || output === undefined) return undefined;
  return {
    model,
    owner,
    rates: { ...current.rates, input, output },
    variants: [...current.bands, ...variants],
    factors: [],
    fees: current.request ? [{ event: 'request', fee: feeOf(current.request), most: 1 }] : [],
  };
}

interface Stated {
  rates: KindRates;
  bands: Variant[];
  /** Dollars per request. */
  request: number;
}

/** One set of prices; a price by length is `{base, tiers}`. */
function statedIn(prices: unknown, { model, owner }: Of, remarks: ListRemark[]): Stated | undefined {
  if (!isRow(prices)) return undefined;
  const rates: KindRates = {};
  const bands = new Map<number, KindRates>();
  let request = 0;
  for (const [field, value] of Object.entries(prices)) {
    const kind = Object.hasOwn(kinds, field) ? kinds[field] : undefined;
    const [base, tiers] = isRow(value) ? [value['base'], value['tiers']] : [value, []];
    const rate = numberIn(base);
    if (field === 'requests_kcount' && rate !== undefined) request = rate / 1000;
    else if (!kind || rate === undefined) remarks.push({ model, field: `prices.${field}`, remark: 'unknown_field' });
    else {
      addRate(rates, kind, rate);
      for (const tier of Array.isArray(tiers) ? (tiers as unknown[]) : []) {
        const [start, price] = isRow(tier) ? [numberIn(tier['start']), numberIn(tier['price'])] : [];
        if (!start || price === undefined) continue;
        const over = owner === makers.xai ? start - 1 : start;
        const band = bands.get(over) ?? {};
        addRate(band, kind, price);
        bands.set(over, band);
      }
    }
  }
  return { rates, bands: [...bands].map(([over, band]) => ({ when: { over }, rates: band })), request };
}

/** From a date, or between two times of day in UTC; none: always. */
function constraintOf(constraint: unknown): RuleConditions | undefined {
  if (constraint === undefined || constraint === null) return {};
  if (!isRow(constraint)) return undefined;
  const { start_date: date, start_time: start, end_time: end } = constraint;
  if (typeof date === 'string' && !Number.isNaN(Date.parse(date))) return { valid_from: Date.parse(date) / 1000 };
  const [from, to] = [start, end].map((time) => /^(\d\d:\d\d)(?::00)?(?:Z|\+00:00)?$/.exec(String(time))?.[1]);
  return from && to ? { zone: 'UTC', from, to: to === '00:00' ? '24:00' : to } : undefined;
}

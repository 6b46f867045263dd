import { type FeeEvent, type PriceFee, type RuleConditions, serviceModes, type UsageKind } from '@relay-hub/contract';
import { isRow, makers, numberIn, ownNames } from './list-rows.ts';
import type { ConvertedList, KindRates, ListRemark, RateSheet, Variant } from './rate-sheet.ts';
import { addRate, assumedEvents, feeOf, priceOfSheet } from './rate-sheet.ts';

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
  cache_audio_read_mtok: 'cachedAudio',
  cache_write_mtok: 'cacheWrite',
  cache_write_1h_mtok: 'cacheWrite1h',
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
      // Hours without weekdays and holidays.
      if (id === 'deepseek' && Array.isArray(row['prices'])) {
        remarks.push({ model: row['id'], field: 'prices.constraint', remark: 'known_error' });
        continue;
      }
      const sheet = sheetOf(row, { model: row['id'], owner, now }, remarks);
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

function sheetOf(row: Record<string, unknown>, of: Of, remarks: ListRemark[]): RateSheet | undefined {
  const { prices } = row;
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
    variants: [...current.bands, ...variants, ...tiersOf(row['price_variants'], of, remarks)],
    factors: [],
    fees: current.fees,
  };
}

interface Stated {
  rates: KindRates;
  bands: Variant[];
  fees: PriceFee[];
}

/** `price_variants`: rates by service tier. */
function tiersOf(variants: unknown, of: Of, remarks: ListRemark[]): Variant[] {
  return (Array.isArray(variants) ? (variants as unknown[]) : []).flatMap((variant): Variant[] => {
    const [when, prices] = isRow(variant) ? [variant['when'], variant['prices']] : [];
    const dated = isRow(variant) ? constraintOf(variant['constraint']) : undefined;
    const tier = isRow(when) && Object.keys(when).length === 1 ? when['service_tier'] : undefined;
    // OpenAI's fast is its priority, and a batch has a separate price.
    if (tier === 'default' || tier === 'standard' || tier === 'batch' || tier === 'fast') return [];
    const mode = serviceModes.find((each) => each === tier);
    const isNow = dated && dated.zone === undefined && (dated.valid_from ?? 0) <= of.now;
    const stated = mode && isNow ? statedIn(prices, of, remarks) : undefined;
    if (!mode || !stated) {
      remarks.push({ model: of.model, field: 'price_variants', remark: 'not_convertible' });
      return [];
    }
    return [
      { when: { modes: [mode] }, rates: stated.rates },
      ...stated.bands.map(({ when: { over }, rates }) => ({ when: { over, modes: [mode] }, rates })),
    ];
  });
}

/** Fees by their units, which are thousands of events. */
const events: Readonly<Record<string, FeeEvent>> = {
  requests_kcount: 'request',
  web_searches_kcount: 'web_search',
  storage_searches_kcount: 'file_search',
};

/** One set of prices; a price by length is `{base, tiers}`. */
function statedIn(prices: unknown, { model, owner }: Of, remarks: ListRemark[]): Stated | undefined {
  if (!isRow(prices)) return undefined;
  const rates: KindRates = {};
  const bands = new Map<number, KindRates>();
  const fees: PriceFee[] = [];
  // One fee for each prompt that searches, until Gemini 3.
  const isGrounded = owner === makers.gemini && /^gemini-[12]/.test(model);
  for (const [field, value] of Object.entries(prices)) {
    const kind = Object.hasOwn(kinds, field) ? kinds[field] : undefined;
    const [base, tiers] = isRow(value) ? [value['base'], value['tiers']] : [value, []];
    const rate = numberIn(base);
    const event = Object.hasOwn(events, field) ? events[field] : undefined;
    if (event && rate !== undefined) {
      if (rate > 0) fees.push(feeFor(isGrounded && event === 'web_search' ? 'grounded_prompt' : event, rate));
    } else if (!kind || rate === undefined) remarks.push({ model, field: `prices.${field}`, remark: 'unknown_field' });
    else {
      addRate(rates, kind, rate);
      for (const tier of Array.isArray(tiers) ? (tiers as unknown[]) : []) {
        const [start, price] = isRow(tier) ? [numberIn(tier['start']), numberIn(tier['price'])] : [];
        if (!start || price === undefined) continue;
        const band = bands.get(start) ?? {};
        addRate(band, kind, price);
        bands.set(start, band);
      }
    }
  }
  return { rates, bands: [...bands].map(([over, band]) => ({ when: { over }, rates: band })), fees };
}

const feeFor = (event: FeeEvent, perThousand: number): PriceFee => ({
  event,
  fee: feeOf(perThousand / 1000),
  most: event === 'request' || event === 'grounded_prompt' ? 1 : assumedEvents,
});

/** From a date, or between two times of day in UTC; none: always. */
function constraintOf(constraint: unknown): RuleConditions | undefined {
  if (constraint === undefined || constraint === null) return {};
  if (!isRow(constraint)) return undefined;
  const { start_date: date, start_time: start, end_time: end } = constraint;
  if (typeof date === 'string' && !Number.isNaN(Date.parse(date))) return { valid_from: Date.parse(date) / 1000 };
  const [from, to] = [start, end].map((time) => /^(\d\d:\d\d)(?::00)?(?:Z|\+00:00)?$/.exec(String(time))?.[1]);
  return from && to ? { zone: 'UTC', from, to: to === '00:00' ? '24:00' : to } : undefined;
}

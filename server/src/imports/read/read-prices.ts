import { type ExtraRatios, modelPattern, type PriceRule, priceRules, ratio } from '@relay-hub/contract';
import { builtInPrices } from '#features/price/price-queries.ts';
import { decimalIn, isDeleted, lineIn, listIn, objectIn, type OldRow, textIn, unstorable } from '../old-row.ts';
import { allRows, isHubLine, type OldWorld } from './old-world.ts';
import type { ArrivingPrice } from './arriving-price.ts';
import { optionPrices } from './option-prices.ts';

/** The prices of the old program by model, with every multiple written out that would otherwise be ours. */
export async function readPrices(world: OldWorld): Promise<Map<string, ArrivingPrice>> {
  const { report } = world;
  const prices = isHubLine(world) ? await tablePrices(world) : optionPrices(world);
  const valid = new Map<string, ArrivingPrice>();
  const owners = new Map(builtInPrices().map(({ model, channel_type }) => [model, channel_type]));
  for (const price of prices) {
    const isValid =
      modelPattern.safeParse(price.model).success &&
      unstorable(price.model, 'model') === undefined &&
      price.channel_type >= 0 &&
      price.channel_type <= MOST_TYPE &&
      priceRules.safeParse(price.rules ?? []).success &&
      [price.input, price.output, ...Object.values(price.extra_ratios)].every((each) => ratio.safeParse(each).success);
    if (!isValid) report.remark('model_name', `price of ${price.model.slice(0, 120)}`);
    else if (valid.has(price.model)) report.remark('price_repeated', price.model);
    else valid.set(price.model, { ...price, channel_type: price.channel_type || (owners.get(price.model) ?? 0) });
  }
  return valid;
}

/** Channel types are numbers of 31 bits. */
const MOST_TYPE = 2_147_483_647;

/** Fixed multiples of one-hub before it had ratios by price. */
const fixedRatios: ExtraRatios = {
  cached_tokens_ratio: 0.5,
  cached_read_ratio: 0.1,
  cached_write_ratio: 1.25,
  cached_write_1h_ratio: 1.25,
  input_audio_tokens_ratio: 40,
  output_audio_tokens_ratio: 40,
};

/** Multiples of later versions where a price names none. */
const laterRatios: ExtraRatios = {
  cached_tokens_ratio: 1,
  cached_read_ratio: 0.1,
  cached_write_ratio: 1.25,
  cached_write_1h_ratio: 2,
  input_audio_tokens_ratio: 1,
  output_audio_tokens_ratio: 1,
  reasoning_tokens_ratio: 1,
  input_image_tokens_ratio: 1,
  output_image_tokens_ratio: 1,
};

/** Multiples of sound that one-hub has compiled in until others are saved. */
const compiledAudio: Readonly<Record<string, ExtraRatios>> = Object.fromEntries(
  (
    [
      ['gpt-4o-audio-preview', 40, 20],
      ['gpt-4o-audio-preview-2024-10-01', 40, 20],
      ['gpt-4o-audio-preview-2024-12-17', 16, 8],
      ['gpt-4o-mini-audio-preview', 67, 34],
      ['gpt-4o-mini-audio-preview-2024-12-17', 67, 34],
      ['gpt-4o-realtime-preview', 20, 10],
      ['gpt-4o-realtime-preview-2024-10-01', 20, 10],
      ['gpt-4o-realtime-preview-2024-12-17', 8, 4],
      ['gpt-4o-mini-realtime-preview', 17, 8.4],
      ['gpt-4o-mini-realtime-preview-2024-12-17', 17, 8.4],
    ] as const
  ).map(([model, input, output]) => [model, { input_audio_tokens_ratio: input, output_audio_tokens_ratio: output }]),
);

const laterNames: Record<string, keyof ExtraRatios> = {
  cached_tokens: 'cached_tokens_ratio',
  cached_read_tokens: 'cached_read_ratio',
  cached_write_tokens: 'cached_write_ratio',
  cached_write_1h_tokens: 'cached_write_1h_ratio',
  input_audio_tokens: 'input_audio_tokens_ratio',
  output_audio_tokens: 'output_audio_tokens_ratio',
  reasoning_tokens: 'reasoning_tokens_ratio',
  input_image_tokens: 'input_image_tokens_ratio',
  output_image_tokens: 'output_image_tokens_ratio',
};

/** Counted in other units there: pictures by the thousand, search units. */
const otherUnits = /^(gpt-image|rerank|cohere-rerank|dall-e)/;

async function tablePrices(world: OldWorld): Promise<ArrivingPrice[]> {
  const { database, has, options, report } = world;
  const later = has('prices', 'extra_ratios');
  const saved = options.get('AudioTokenJson');
  const audio = later ? {} : saved === undefined ? compiledAudio : objectIn({ text: saved }, 'text');
  const extrasOf = (row: OldRow, model: string): ExtraRatios => {
    if (textIn(row, 'type') === 'times') return {};
    return later ? laterExtras(row, model, world) : fixedExtras(objectIn(audio, model));
  };
  return (await allRows(database, 'prices')).map((row) => {
    const model = textIn(row, 'model').trim();
    if (otherUnits.test(model)) report.remark('price_differs', `${model}: counted in other units there`);
    const rules = lengthRules(row);
    return {
      model,
      type: textIn(row, 'type') === 'times' ? 'times' : 'tokens',
      channel_type: Math.trunc(Number(textIn(row, 'channel_type'))),
      input: Math.max(0, decimalIn(row, 'input')),
      output: Math.max(0, decimalIn(row, 'output')),
      extra_ratios: extrasOf(row, model),
      ...(rules.length > 0 && { rules }),
    };
  });
}

/** Done-hub multiplies the whole call above a number of input tokens; a multiple that is not above zero has no effect. */
function lengthRules(row: OldRow): PriceRule[] {
  const { threshold, input_ratio: input, output_ratio: output } = objectIn(row, 'long_context');
  const isCount = typeof threshold === 'number' && Number.isInteger(threshold) && threshold > 0;
  if (!isCount || textIn(row, 'type') === 'times') return [];
  const multiple = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 1);
  return [{ over: threshold, effect: 'multiply', input: multiple(input), output: multiple(output) }];
}

/** One-hub never takes the cached ratio from the setting. */
function fixedExtras(own: Record<string, unknown>): ExtraRatios {
  const named: ExtraRatios = {};
  for (const key of Object.keys(fixedRatios) as (keyof ExtraRatios)[]) {
    const value = own[key];
    if (key !== 'cached_tokens_ratio' && typeof value === 'number') named[key] = value;
  }
  const all = { ...fixedRatios, ...named };
  return named.cached_write_ratio === undefined ? all : { ...all, cached_write_1h_ratio: named.cached_write_ratio };
}

function laterExtras(row: OldRow, model: string, { report }: OldWorld): ExtraRatios {
  const extras = { ...laterRatios };
  for (const [name, value] of Object.entries(objectIn(row, 'extra_ratios'))) {
    const key = laterNames[name];
    if (typeof value !== 'number') continue;
    if (key) extras[key] = value;
    else if (value !== 1) report.remark('price_differs', `${model}: ${name} × ${value}`);
  }
  return extras;
}

const MONTH_S = 30 * 86_400;

/** Models of enabled channels, and those that were called in the last 30 days, with where they were found. */
export async function modelsInUse({ database, options }: OldWorld, now: number): Promise<Map<string, string>> {
  const used = new Map<string, string>();
  for (const name of await database.distinct('logs', 'model_name', { column: 'created_at', least: now - MONTH_S }))
    if (typeof name === 'string' && name !== '') used.set(name, 'the log of the last 30 days');
  const hidden = options.get('LogConsumeEnabled') === 'false' ? ' (the old log was off)' : '';
  for await (const row of database.rows('channels')) {
    if (textIn(row, 'status') !== '1' || isDeleted(row)) continue;
    for (const name of listIn(row, 'models')) used.set(name, `channel ${lineIn(row, 'id', 30)}${hidden}`);
  }
  return used;
}

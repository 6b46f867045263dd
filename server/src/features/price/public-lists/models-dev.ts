import type { UsageKind } from '@relay-hub/contract';
import { isRow, makers, numberIn, ownNames } from './list-rows.ts';
import type { ConvertedList, KindRates, ListRemark, RateSheet, Variant } from './rate-sheet.ts';
import { addRate, priceOfSheet } from './rate-sheet.ts';

/** The list of models.dev, `api.json`: providers with models, dollars per million tokens. */

const providers: Readonly<Record<string, number>> = {
  openai: makers.openai,
  anthropic: makers.anthropic,
  google: makers.gemini,
  deepseek: makers.deepseek,
  xai: makers.xai,
  alibaba: makers.qwen,
  moonshotai: makers.moonshot,
  mistral: makers.mistral,
  zai: makers.zhipu,
  minimax: makers.minimax,
  groq: makers.groq,
  cohere: makers.cohere,
};

const kinds: Readonly<Record<string, UsageKind>> = {
  input: 'input',
  output: 'output',
  reasoning: 'reasoning',
  cache_read: 'cached',
  cache_write: 'cacheWrite',
  input_audio: 'inputAudio',
  output_audio: 'outputAudio',
};

export function isModelsDev(json: unknown): json is Record<string, unknown> {
  if (!isRow(json)) return false;
  return Object.values(json).some(
    (provider) =>
      isRow(provider) &&
      isRow(provider['models']) &&
      Object.values(provider['models']).some((model) => isRow(model) && isRow(model['cost'])),
  );
}

export function readModelsDev(json: Record<string, unknown>): ConvertedList {
  const remarks: ListRemark[] = [];
  const sheets: RateSheet[] = [];
  for (const [id, provider] of Object.entries(json)) {
    const models = isRow(provider) ? provider['models'] : undefined;
    if (!isRow(models)) continue;
    const owner = Object.hasOwn(providers, id) ? providers[id] : undefined;
    if (owner === undefined) {
      remarks.push({ model: '', field: id, remark: 'other_provider' });
      continue;
    }
    for (const [model, row] of Object.entries(models)) {
      const cost = isRow(row) ? row['cost'] : undefined;
      // The price outside of the peak, without its hours.
      if (id === 'deepseek') remarks.push({ model, field: 'cost', remark: 'known_error' });
      else {
        const sheet = isRow(cost) ? sheetOf(cost, { model, owner }, remarks) : undefined;
        if (sheet) sheets.push(sheet);
        else remarks.push({ model, field: 'cost', remark: 'no_price' });
        // A mode is a change of the request, and no rule knows how the provider then reports it.
        if (isRow(row) && isRow(row['experimental']) && 'modes' in row['experimental'])
          remarks.push({ model, field: 'experimental.modes', remark: 'not_convertible' });
      }
    }
  }
  return ownNames({ prices: sheets.map((sheet) => priceOfSheet(sheet, remarks)), remarks });
}

function sheetOf(
  cost: Record<string, unknown>,
  { model, owner }: { model: string; owner: number },
  remarks: ListRemark[],
): RateSheet | undefined {
  const rates = ratesIn(cost, (field) => {
    if (field !== 'tiers' && field !== 'context_over_200k')
      remarks.push({ model, field: `cost.${field}`, remark: 'unknown_field' });
  });
  const { input, output = input } = rates;
  if (input === undefined || output === undefined) return undefined;
  return {
    model,
    owner,
    rates: { ...rates, input, output },
    variants: bandsOf(cost, { model, owner }, remarks),
    factors: [],
    fees: [],
  };
}

function ratesIn(cost: Record<string, unknown>, onUnknown: (field: string) => void): KindRates {
  const rates: KindRates = {};
  for (const [field, value] of Object.entries(cost)) {
    const kind = Object.hasOwn(kinds, field) ? kinds[field] : undefined;
    const rate = numberIn(value);
    if (kind && rate !== undefined) addRate(rates, kind, rate);
    else onUnknown(field);
  }
  return rates;
}

/** `tiers` by context, or `context_over_200k` of older lists. */
function bandsOf(
  cost: Record<string, unknown>,
  { model, owner }: { model: string; owner: number },
  remarks: ListRemark[],
): Variant[] {
  const { tiers, context_over_200k: older } = cost;
  const listed: unknown[] = Array.isArray(tiers)
    ? tiers
    : isRow(older)
      ? [{ ...older, tier: { type: 'context', size: 200_000 } }]
      : [];
  return listed.flatMap((band): Variant[] => {
    const tier = isRow(band) ? band['tier'] : undefined;
    const size = isRow(tier) && tier['type'] === 'context' ? numberIn(tier['size']) : undefined;
    if (!isRow(band) || !size) {
      remarks.push({ model, field: 'cost.tiers', remark: 'not_convertible' });
      return [];
    }
    const rates = ratesIn(band, (field) => {
      if (field !== 'tier') remarks.push({ model, field: `cost.tiers.${field}`, remark: 'unknown_field' });
    });
    return [{ when: { over: owner === makers.xai ? size - 1 : size }, rates }];
  });
}

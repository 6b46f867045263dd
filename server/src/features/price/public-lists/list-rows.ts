import type { PriceInput } from '@relay-hub/contract';
import type { ConvertedList, KindRates } from './rate-sheet.ts';

/** Owners of models, as `built-in-owners.json` numbers them. */
export const makers = {
  openai: 1,
  anthropic: 14,
  zhipu: 16,
  qwen: 17,
  gemini: 25,
  minimax: 27,
  deepseek: 28,
  moonshot: 29,
  mistral: 30,
  groq: 31,
  cohere: 36,
  xai: 56,
  volcengine: 105,
  perplexity: 111,
} as const;

export const isRow = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A number of a list, which may be written as text; undefined if it is negative or none. */
export function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d*\.?\d+(?:e-?\d+)?$/i.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined;
}

/** Whether the rates of a batch are half of the model's, the default of batches. */
export const halvedInBatches = (rates: KindRates, batch: KindRates): boolean =>
  (Object.keys(batch) as (keyof KindRates)[]).every((kind) => {
    const [rate = 0, halved = 0] = [rates[kind], batch[kind]];
    return Math.abs(halved - rate / 2) <= Math.max(rate * 0.05, 1e-9);
  });

/** Owners by the names of their models: other makers sell them too, at different prices. */
const families: readonly [start: RegExp, owner: number][] = [
  [/^(?:gpt-|o\d|chatgpt)/, makers.openai],
  [/^claude-/, makers.anthropic],
  [/^glm-/, makers.zhipu],
  [/^qw(?:en|q)/, makers.qwen],
  [/^gem(?:ini|ma)-/, makers.gemini],
  [/^minimax-/i, makers.minimax],
  [/^deepseek-/, makers.deepseek],
  [/^(?:kimi|moonshot)-/, makers.moonshot],
  [/^grok-/, makers.xai],
];

const isOfAnother = ({ model, channel_type: owner }: PriceInput): boolean =>
  families.some(([start, maker]) => start.test(model) && maker !== owner);

/** The first price of each name, without models of other makers: lists have those with the seller's price too. */
export function ownNames({ prices, remarks }: ConvertedList): ConvertedList {
  const first = new Map<string, PriceInput>();
  for (const price of prices) {
    if (isOfAnother(price)) remarks.push({ model: price.model, field: '', remark: 'other_provider' });
    else if (!first.has(price.model)) first.set(price.model, price);
  }
  return { prices: [...first.values()], remarks };
}

import {
  extraKinds,
  modelPattern,
  priceTerms,
  type ExtraRatios,
  type Price,
  type PriceInput,
} from '@relay-hub/contract';
import * as z from 'zod/mini';
import { unlessWrong } from '#ui/form/unless-wrong.ts';

const { type, input, output, extra_ratios } = priceTerms.shape;

/** The contract's rules for one price of several models. */
export const priceForm = z.object({
  models: z.array(modelPattern).check(z.minLength(1)),
  type,
  channel_type: priceTerms.shape.channel_type.check(z.gte(1)),
  input,
  output,
  extra_ratios,
});

/** What is paid by the call has neither output nor kinds of token: what stands there is not seen, and holds nothing up. */
const byTheCall = z.extend(priceForm, { output: unlessWrong(output, 0), extra_ratios: unlessWrong(extra_ratios, {}) });

/** The rules that hold for what the form shows. */
export const rulesFor = (billing: unknown): typeof priceForm =>
  billing === 'times' ? (byTheCall as unknown as typeof priceForm) : priceForm; // it takes as much, and gives the same

export type PriceFormInput = z.input<typeof priceForm>;
export type PriceFormValues = z.output<typeof priceForm>;

/** A field that is still empty; the rules ask for a number before anything is saved. */
const unset = null as unknown as number;

/** What the form begins with: the price of some models, or of a new one. */
export function valuesOf(prices: readonly Price[], preset: Partial<PriceInput>): PriceFormInput {
  const [price] = prices;
  const terms = price ?? preset;
  return {
    models: price ? prices.map(({ model }) => model) : preset.model ? [preset.model] : [],
    type: terms.type ?? 'tokens',
    // Who makes it is to be said; 0 stands for nobody in prices that older systems made.
    channel_type: terms.channel_type || unset,
    // A new price has no ratio until one is typed: 0 would be a price, too.
    input: terms.input ?? unset,
    output: terms.output ?? unset,
    extra_ratios: terms.extra_ratios ?? {},
  };
}

/** Multiples that are set; the form keeps one that was taken away as undefined. */
export function setExtras(extra: ExtraRatios | undefined): ExtraRatios {
  return Object.fromEntries(Object.entries(extra ?? {}).filter(([, ratio]) => typeof ratio === 'number'));
}

/** By the call there are no kinds of token, and no output. */
export function termsOf(values: PriceFormValues): Omit<PriceInput, 'model'> {
  const { type: billing, channel_type: owner, input: read, output: written, extra_ratios: extra } = values;
  const terms = { type: billing, channel_type: owner, input: read };
  if (billing === 'times') return { ...terms, output: 0, extra_ratios: {} };
  return { ...terms, output: written, extra_ratios: setExtras(extra) };
}

/** The built-in price that a model would have: its own, or that of the longest beginning. */
export function builtInFor(model: string, builtIn: readonly PriceInput[]): PriceInput | undefined {
  const covering = builtIn.filter((price) => price.model.endsWith('*') && model.startsWith(price.model.slice(0, -1)));
  return (
    builtIn.find((price) => price.model === model) ?? covering.toSorted((a, b) => b.model.length - a.model.length)[0]
  );
}

const perRatio = { USD: 0.002, CNY: 0.014 };

/** Twelve digits are what a ratio can mean; the last bits of a product are not. */
const tidy = (value: number): number => Number(value.toPrecision(12));

interface Unit {
  currency: 'USD' | 'CNY';
  /** 1000 also for what is paid by the call. */
  per: 1000 | 1_000_000;
}

/** What a ratio costs, as a number to be typed over. */
export const amountOf = (ratio: number, { currency, per }: Unit): number =>
  tidy(ratio * perRatio[currency] * (per / 1000));

/** The ratio that costs so much. */
export const ratioOf = (amount: number, { currency, per }: Unit): number =>
  tidy(amount / perRatio[currency] / (per / 1000));

/** Multiplies what a price costs, and leaves its multiples of it. */
export function multiplied<P extends PriceInput>(price: P, factor: number): P {
  return { ...price, input: tidy(price.input * factor), output: tidy(price.output * factor) };
}

/** Kinds of token that can still be given a multiple of their own. */
export const kindsLeft = (extra: ExtraRatios | undefined) =>
  extraKinds.filter(({ key }) => typeof extra?.[key] !== 'number');

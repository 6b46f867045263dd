import {
  extraKinds,
  extraRatio,
  modelPattern,
  priceFees,
  priceRule,
  priceRules,
  priceTerms,
  type ExtraKind,
  type ExtraRatios,
  type FeeEvent,
  type Price,
  type PriceFee,
  type PriceInput,
  type PriceRule,
  type RuleConditions,
} from '@relay-hub/contract';
import type { UseFormReturn } from 'react-hook-form';
import * as z from 'zod/mini';
import { validOr } from '#ui/form/valid-or.ts';
import type { PriceUnit } from '#screens/panel/pricing/pricing-search.ts';

const { type, input, output, extra_ratios } = priceTerms.shape;

/** The contract's rules for one price of several models. */
export const priceForm = z.object({
  models: z.array(modelPattern).check(z.minLength(1)),
  type,
  channel_type: priceTerms.shape.channel_type.check(z.gte(1)),
  input,
  output,
  extra_ratios,
  rules: priceRules,
  fees: priceFees,
});

/** Rules of a price by call: the input side counts. */
const rulesByTheCall = z.pipe(
  z.transform((rules: PriceRule[]): PriceRule[] =>
    rules.map((rule) => ({ ...rule, kinds: undefined, output: rule.input })),
  ),
  priceRules,
);

/** A price by call has neither output nor token kinds: their hidden fields must not block saving. */
const byTheCall = z.extend(priceForm, {
  output: validOr(output, 0),
  extra_ratios: validOr(extra_ratios, {}),
  rules: rulesByTheCall,
});

/** The rules for the visible fields. */
export const rulesFor = (billing: unknown): typeof priceForm =>
  billing === 'times' ? (byTheCall as unknown as typeof priceForm) : priceForm; // it takes as much, and gives the same

export type PriceFormInput = z.input<typeof priceForm>;
export type PriceFormValues = z.output<typeof priceForm>;
export type PriceFormMethods = UseFormReturn<PriceFormInput, unknown, PriceFormValues>;

/** An empty field; the rules require a number before saving. */
const unset = null as unknown as number;

/** Initial values of the form: the price of some models, or of a new one. */
export function valuesOf(prices: readonly Price[], preset: Partial<PriceInput>): PriceFormInput {
  const [price] = prices;
  const terms = price ?? preset;
  return {
    models: price ? prices.map(({ model }) => model) : preset.model ? [preset.model] : [],
    type: terms.type ?? 'tokens',
    // The owner must be chosen; 0 means none in prices from older systems.
    channel_type: terms.channel_type || unset,
    // A new price has no ratio until one is entered: 0 would be a valid price.
    input: terms.input ?? unset,
    output: terms.output ?? unset,
    extra_ratios: terms.extra_ratios ?? {},
    rules: terms.rules ?? [],
    fees: terms.fees ?? [],
  };
}

/** The extra ratios that are set; the form keeps removed ones as undefined. */
export function setExtras(extra: ExtraRatios | undefined): ExtraRatios {
  return Object.fromEntries(Object.entries(extra ?? {}).filter(([, ratio]) => typeof ratio === 'number'));
}

/** A price by call has neither token kinds nor an output ratio. */
export function termsOf(values: PriceFormValues): Omit<PriceInput, 'model'> {
  const { type: billing, channel_type: owner, input: read, output: written, extra_ratios: extra } = values;
  const terms = { type: billing, channel_type: owner, input: read, rules: values.rules, fees: values.fees };
  if (billing === 'times') return { ...terms, output: 0, extra_ratios: {} };
  return { ...terms, output: written, extra_ratios: setExtras(extra) };
}

/** The built-in price for a model: its own, or that of the longest matching prefix. */
export function builtInFor(model: string, builtIn: readonly PriceInput[]): PriceInput | undefined {
  const covering = builtIn.filter((price) => price.model.endsWith('*') && model.startsWith(price.model.slice(0, -1)));
  return (
    builtIn.find((price) => price.model === model) ?? covering.toSorted((a, b) => b.model.length - a.model.length)[0]
  );
}

const perRatio = { USD: 0.002, CNY: 0.014 };

/** Ratios have twelve significant digits; the rest is floating-point noise. */
const tidy = (value: number): number => Number(value.toPrecision(12));

/** Amount of a ratio, as a number to edit. */
export const amountOf = (ratio: number, { currency, per }: PriceUnit): number =>
  tidy(ratio * perRatio[currency] * (per / 1000));

/** The ratio of an amount. */
export const ratioOf = (amount: number, { currency, per }: PriceUnit): number =>
  tidy(amount / perRatio[currency] / (per / 1000));

/** Multiplies a price's base ratios and those that its rules replace; relative multiples and fees stay. */
export function multiplied<P extends PriceInput>(price: P, factor: number): P {
  const sides = ({ input: read, output: written }: Pick<PriceRule, 'input' | 'output'>) => ({
    input: tidy(read * factor),
    output: tidy(written * factor),
  });
  const rules = price.rules?.map((rule) => (rule.effect === 'replace' ? { ...rule, ...sides(rule) } : rule));
  return { ...price, ...sides(price), ...(rules && { rules }) };
}

/** Token kinds without an extra ratio so far. */
export const kindsLeft = (extra: ExtraRatios | undefined) =>
  extraKinds.filter(({ key }) => typeof extra?.[key] !== 'number');

/** Kinds of conditions, as the form names them. */
export const ruleKinds = ['length', 'tier', 'region', 'time', 'reasoning', 'dates'] as const;
export type RuleKind = (typeof ruleKinds)[number];

/** The fields of each kind, with what they are when it is added; unset ones have to be filled in. */
const kindFields: Record<RuleKind, RuleConditions> = {
  length: { over: unset, up_to: undefined },
  tier: { modes: [] },
  region: { regions: [] },
  time: { zone: 'Asia/Shanghai', days: [1, 2, 3, 4, 5], from: '09:00', to: '12:00', except: undefined },
  reasoning: { reasoning: true },
  dates: { valid_from: unset, valid_to: undefined },
};

export const firstCondition = (kind: RuleKind): RuleConditions => kindFields[kind];

/** The kinds of conditions that a rule has, filled in or not. */
export const conditionsOf = (rule: RuleConditions): RuleKind[] =>
  ruleKinds.filter((kind) =>
    (Object.keys(kindFields[kind]) as (keyof RuleConditions)[]).some((field) => rule[field] !== undefined),
  );

/** A rule to fill in. A price for a date is its own, all others multiply. */
export const newRule = (kind: RuleKind, perCall: boolean): PriceRule => ({
  ...kindFields[kind],
  effect: kind === 'dates' ? 'replace' : 'multiply',
  input: unset,
  output: perCall ? 1 : unset,
});

export const newFee = (event: FeeEvent): PriceFee => ({ event, fee: unset, most: 10 });

/** A rule of the form once it is complete. */
export function ruleOf(values: unknown): PriceRule | undefined {
  const parsed = priceRule.safeParse(values);
  return parsed.success ? parsed.data : undefined;
}

interface MultipleOf {
  effect: PriceRule['effect'];
  /** The price's ratios. */
  base: { input: number; output: number };
  rule: Pick<PriceRule, 'input' | 'output'> | undefined;
  extra: ExtraRatios | undefined;
}

/** What a rule's multiple of a kind of token multiplies: the kind's rate, or the rule's own ratio. */
export function multipleBase(kind: ExtraKind, { effect, base, rule, extra }: MultipleOf): number {
  if (effect === 'replace') return rule?.[kind.side] ?? 0;
  return base[kind.side] * extraRatio(kind.kind, extra);
}

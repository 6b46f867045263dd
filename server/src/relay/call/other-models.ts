import {
  creditsFor,
  type LogMetadata,
  inputTokens,
  noUsage,
  type PriceRule,
  ratesOf,
  rulesFor,
  type Served,
  type Usage,
  usageRow,
} from '@relay-hub/contract';
import type { PriceBook } from '#live/price-book.ts';
import type { FinishedCall, OtherModel } from '#relay/types/call-types.ts';
import { addUsage } from '#usage/add-usage.ts';
import { kindsOf } from '#usage/counts.ts';
import { factsOf } from '#usage/model-facts.ts';
import { eventsServed, type OtherUsage, type ServedReport } from '#usage/served.ts';
import { MOST_OF_IMAGE, withinMost } from '#usage/usage-bounds.ts';

/** An `OtherModel`, also one that was kept as JSON. */
export type PricedOther = Omit<OtherModel, 'price'> & { price: Omit<OtherModel['price'], 'ratesFor'> };

/** Tokens of all kinds. */
const tokensIn = (usage: Usage): number =>
  kindsOf(usage).reduce((sum, kind) => sum + (kind === 'units' || kind === 'audioSeconds' ? 0 : usage[kind]), 0);

/** A name without the date of its version. */
const undated = (model: string): string => model.replace(/[-@]\d{8}$/, '');

/**
 * Takes the tokens of other models out of the usage of a call that includes them, where they have prices of their own. A
 * list of more tokens than the usage has is not believed. Nothing is left to be taken out of the result.
 */
export function separated(ended: FinishedCall, prices: Pick<PriceBook, 'find'>): FinishedCall {
  const { choice, verdict } = ended;
  const { usage, served } = verdict;
  if (!served?.others?.some(({ within }) => within)) return ended;
  const own = [choice.upstreamModel, choice.billedModel].map(undated);
  const taken = served.others.filter(
    ({ within, model }) =>
      within &&
      choice.price.type === 'tokens' &&
      model !== undefined &&
      !own.includes(undated(model)) &&
      prices.find(model)?.type === 'tokens',
  );
  const sum = taken.reduce((all, other) => addUsage(all, other.usage), noUsage);
  const left = tokensIn(usage) - tokensIn(sum);
  const rest = { ...usage };
  // The parts may report kinds that the whole does not.
  if (left >= 0)
    for (const kind of kindsOf(rest))
      if (kind !== 'units') rest[kind] = left === 0 ? 0 : Math.max(0, rest[kind] - sum[kind]);
  const others = [
    ...served.others.filter(({ within }) => !within),
    ...(left < 0 ? [] : taken.map((other) => ({ ...other, within: undefined }))),
  ];
  return { ...ended, verdict: { ...verdict, usage: rest, served: { ...served, others } } };
}

interface OthersOf {
  /** Those that the request ordered. */
  ordered: readonly PricedOther[];
  report: ServedReport | undefined;
  groupRatio: number;
  /** The price for a model that was not ordered. */
  price: PricedOther['price'];
  /** The prices of models that the provider chose. */
  prices?: Pick<PriceBook, 'find'>;
  served: Pick<Served, 'modes' | 'region' | 'at'>;
}

interface OtherCharges {
  credits: number;
  /** Parts of the log row. */
  models: NonNullable<LogMetadata['models']>;
}

/** Charges what other models used for a call, each at its own price, by the length of each prompt. */
export function chargeOthers({ ordered, report, groupRatio, price: usual, prices, served }: OthersOf): OtherCharges {
  const images = eventsServed(report).image ?? 0;
  const steps: OtherUsage[] = [...(report?.others ?? [])];
  const maker = ordered.find(({ perImage }) => perImage !== undefined);
  // Images whose tokens the provider does not report.
  if (maker?.perImage !== undefined && images > 0 && !steps.some(({ model }) => model === undefined))
    steps.push({ usage: { ...noUsage, outputImage: images * maker.perImage } });
  const parts = new Map<string, { name: string; price: PricedOther['price']; rules: PriceRule[]; usage: Usage }>();
  for (const step of steps) {
    const { model } = step;
    const other = model === undefined ? maker : named(model, ordered);
    const name = model ?? maker?.name ?? '';
    const price = other?.price ?? prices?.find(name) ?? usual;
    const usage = withinCall(step, other, images);
    const promptTokens = inputTokens(usage);
    const rules = rulesFor(price.rules ?? [], { ...served, promptTokens, reasoning: usage.reasoning > 0 });
    const key = `${name} ${rules.map((rule) => price.rules?.indexOf(rule)).join()}`;
    const before = parts.get(key);
    parts.set(key, { name, price, rules, usage: before ? addUsage(before.usage, usage) : usage });
  }
  const models: OtherCharges['models'] = [];
  let credits = 0;
  for (const { name, price, rules, usage } of parts.values()) {
    credits += creditsFor(ratesOf(price, groupRatio, rules), usage);
    const { metadata, ...counts } = usageRow(usage, price.extra_ratios);
    models.push({
      model: name,
      price_version: price.version,
      price_type: price.type,
      input_ratio: price.input,
      output_ratio: price.output,
      ...(rules.length > 0 && { rules }),
      ...counts,
      ...metadata,
    });
  }
  return { credits, models };
}

/** The ordered model that a provider names, perhaps with the date of its version. */
const named = (model: string, ordered: readonly PricedOther[]): PricedOther | undefined =>
  ordered.find(({ name }) => name === model) ?? ordered.find(({ name }) => model.startsWith(name));

/** Tokens that can be true: those of an answer and of an image are limited. */
function withinCall({ model, usage }: OtherUsage, other: PricedOther | undefined, images: number): Usage {
  if (model !== undefined) return withinMost(usage, 1, factsOf(model), other?.output ?? Infinity);
  const made = Math.max(1, images, images === 0 ? (other?.uses ?? 0) : 0);
  return { ...withinMost(usage, made, undefined, MOST_OF_IMAGE), units: images };
}

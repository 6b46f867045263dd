import type {
  ExtraRatios,
  PriceFee,
  PriceInput,
  PriceListFormat,
  PricePreview,
  PriceRule,
  ServiceMode,
} from '@relay-hub/contract';
import { isGenaiPrices, readGenaiPrices } from './genai-prices.ts';
import { isLiteLlm, readLiteLlm } from './litellm.ts';
import { isModelsDev, readModelsDev } from './models-dev.ts';
import { isOpenRouter, readOpenRouter } from './open-router.ts';
import type { ConvertedList, ListRemark } from './rate-sheet.ts';

/** Dimensions of a rule's conditions; each tier is separate, since lists know some of them. */
type Dimension = 'length' | `tier ${ServiceMode}` | 'region' | 'reasoning' | 'time' | 'validity';

export interface PublicList extends ConvertedList {
  format: Exclude<PriceListFormat, 'own'>;
}

/** The prices of a public list, whose format is recognised by its content; undefined if it is none of these. */
export function readPublicList(json: unknown, now: number): PublicList | undefined {
  if (isLiteLlm(json)) return { format: 'litellm', ...readLiteLlm(json) };
  if (isModelsDev(json)) return { format: 'models_dev', ...readModelsDev(json) };
  if (isOpenRouter(json)) return { format: 'open_router', ...readOpenRouter(json) };
  if (isGenaiPrices(json)) return { format: 'genai_prices', ...readGenaiPrices(json, now) };
  return undefined;
}

/**
 * A price of a public list over the one before it: what the list does not say stays, since no list has everything.
 * Cached tokens of a new model cost what others cost, if the list has no price for them; the default would be a guess.
 */
export function withListed(listed: PriceInput, before: PriceInput | undefined): PriceInput {
  if (before?.type !== 'tokens')
    return { ...listed, extra_ratios: { ...(isEmbedding(listed) ? {} : unknownCache), ...listed.extra_ratios } };
  const { extra_ratios: extra = {}, rules = [], fees = [] } = before;
  return {
    ...listed,
    channel_type: before.channel_type,
    extra_ratios: { ...extra, ...readRatio(listed, extra), ...listed.extra_ratios },
    rules: rulesOver(listed.rules ?? [], rules),
    fees: feesOver(listed.fees ?? [], fees),
  };
}

const unknownCache: ExtraRatios = { cached_tokens_ratio: 1, cached_read_ratio: 1 };

const isEmbedding = ({ input, output, extra_ratios: extra = {} }: PriceInput): boolean =>
  input === output && Object.keys(extra).length === 0;

/** A list that names the multiple of cached tokens means both counters, of which one has it as default. */
const readRatio = (
  { extra_ratios: { cached_tokens_ratio: cached } = {} }: PriceInput,
  before: ExtraRatios,
): ExtraRatios => (cached === undefined || before.cached_read_ratio === undefined ? {} : { cached_read_ratio: cached });

function dimensionsOf(rule: PriceRule): Dimension[] {
  const found: Dimension[] = [];
  if (rule.over !== undefined || rule.up_to !== undefined) found.push('length');
  found.push(...(rule.modes ?? []).map((mode) => `tier ${mode}` as const));
  if (rule.regions) found.push('region');
  if (rule.reasoning !== undefined) found.push('reasoning');
  if (rule.zone !== undefined) found.push('time');
  if (rule.valid_from !== undefined || rule.valid_to !== undefined) found.push('validity');
  return found;
}

function rulesOver(listed: PriceRule[], before: PriceRule[]): PriceRule[] {
  const said = new Set(listed.flatMap(dimensionsOf));
  const rules = [...listed, ...before.filter((rule) => !dimensionsOf(rule).every((each) => said.has(each)))];
  return isSameSet(rules, before) ? before : rules;
}

function feesOver(listed: PriceFee[], before: PriceFee[]): PriceFee[] {
  const own = listed.map((fee) => ({
    ...fee,
    most: before.find(({ event }) => event === fee.event)?.most ?? fee.most,
  }));
  const fees = [...own, ...before.filter(({ event }) => !listed.some((fee) => fee.event === event))];
  return isSameSet(fees, before) ? before : fees;
}

/** Order alone is no change. */
function isSameSet(a: readonly object[], b: readonly object[]): boolean {
  const texts = (all: readonly object[]) => all.map((each) => JSON.stringify(sorted(each))).toSorted();
  return JSON.stringify(texts(a)) === JSON.stringify(texts(b));
}

const sorted = (value: object): object =>
  Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** Remarks by kind and field, the most frequent ones first: a list says the same of many models. */
export function summaryOf(remarks: readonly ListRemark[]): PricePreview['remarks'] {
  const groups = new Map<string, PricePreview['remarks'][number]>();
  for (const { remark, field, model } of remarks) {
    const key = `${remark} ${field}`;
    const group = groups.get(key) ?? { remark, field: field.slice(0, MOST_LETTERS), count: 0, models: [] };
    group.count++;
    if (model !== '' && group.models.length < MOST_EXAMPLES) group.models.push(model.slice(0, MOST_LETTERS));
    groups.set(key, group);
  }
  return [...groups.values()].toSorted((a, b) => b.count - a.count).slice(0, MOST_REMARKS);
}

const MOST_LETTERS = 100;
const MOST_EXAMPLES = 5;
const MOST_REMARKS = 500;

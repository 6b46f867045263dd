import {
  costsOf,
  type EventCounts,
  explainRow,
  extraRatiosOf,
  inputTokens,
  type LogMetadata,
  type Served,
  shareOf,
  thousandthsOf,
  usageOf,
} from '@relay-hub/contract';
import { type BookedPrice, bookedPrice, type PriceBook } from '#live/price-book.ts';
import type { Purchases } from '#live/purchases.ts';
import { costOf } from '#relay/call/attempt-cost.ts';
import { chargeServed } from '#relay/call/settlement.ts';
import { LIVE_PATH, REALTIME_PATH } from '#relay/realtime/realtime-path.ts';
import { batchPrice } from '#tasks/batches/batch-price.ts';

/** Columns of a log row that its price is computed from. */
export interface PricedRow {
  model_name: string;
  prompt_tokens: number;
  completion_tokens: number;
  created_at: number;
  request_time: number;
  channel_id: number;
  metadata: LogMetadata | null;
}

/** Purchase terms of a channel, named as in `LiveChannel`. */
export interface Bought {
  costRatio: number | undefined;
  purchases: Purchases | undefined;
}

/** Other terms, ready for many rows. */
export interface OtherTerms {
  draft: PriceBook;
  /** Prices of other models; undefined: as they were charged. */
  current: PriceBook | undefined;
  /** Ratios by group. */
  groups: ReadonlyMap<string, number>;
  factor: number;
  /** Undefined: the recorded cost. */
  boughtAt: (channelId: number) => Bought | undefined;
}

interface PricedAgain {
  /** Whole credits by the row's own values, and by the other terms. */
  charged: number;
  wouldCharge: number;
  /** Thousandths of a credit by channel. */
  costs: [channelId: number, before: number, after: number][];
  /** Whether the cost of the attempt that made the charge is known. */
  knew: boolean;
  knows: boolean;
}

const free: EventCounts = { request: 1 };

/** Prices a call again by the counters of its row, with the code that settles calls. Undefined: the row has no price. */
export function pricedAgain(row: PricedRow, terms: OtherTerms): PricedAgain | undefined {
  const { metadata } = row;
  const known = costsOf(row);
  const costs = (known?.attempts ?? []).map(([id, cost]): [number, number, number] => [id, cost, cost]);
  const same = { costs, knew: known?.knowsLast ?? false, knows: known?.knowsLast ?? false };
  const { outcome } = metadata ?? {};
  if (outcome === 'failed' || outcome === 'released') return { charged: 0, wouldCharge: 0, ...same };
  const charged = metadata?.output_ratio === undefined ? undefined : explainRow(row)?.credits;
  if (!metadata || charged === undefined) return undefined;
  const price = priceOf(row, metadata, terms);
  const ratio = ratioOf(metadata, terms);
  const usage = usageOf(row);
  const seen = { usage, events: eventsIn(metadata), served: servedIn(row, metadata) };
  const own = chargeServed(price, ratio, seen).credits;
  const others = (metadata.models ?? []).reduce((sum, used) => sum + otherCredits(used, ratio, { seen, terms }), 0);
  const { reply_cache: cached } = metadata;
  const wouldCharge = cached ? shareOf(own + others, cached.percent) : own + others;
  return { charged, wouldCharge, ...(cached ? same : withCost(row, { same, price, seen, terms })) };
}

/** The price of a row under other terms. */
function priceOf(row: PricedRow, metadata: LogMetadata, { draft, current }: OtherTerms): BookedPrice {
  const isBatch = metadata.batch !== undefined || (metadata.endpoint?.endsWith('/batches') ?? false);
  const named = (book: PriceBook, usual: BookedPrice | undefined) =>
    isBatch && (usual ?? book.exact(`batch/${row.model_name}`))
      ? batchPrice(book, row.model_name, usual ?? ownPrice(row, metadata))
      : usual;
  return (
    named(draft, draft.listed(row.model_name)) ??
    (current && named(current, current.find(row.model_name))) ??
    ownPrice(row, metadata)
  );
}

/** The price that a row was charged by. Its rules held, so they have no conditions here. */
function ownPrice(row: Pick<PricedRow, 'metadata'>, charged: LogMetadata): BookedPrice {
  const { price_type: type = 'tokens', input_ratio: input = 0, output_ratio: output = 0, price_version } = charged;
  const rules = charged.rules?.map(({ effect, input: x, output: y, kinds }) => ({
    effect,
    input: x,
    output: y,
    kinds,
  }));
  return bookedPrice({
    version: price_version ?? 0,
    model: '',
    channel_type: 0,
    type,
    input,
    output,
    extra_ratios: extraRatiosOf(row),
    ...(rules && { rules }),
    fees: charged.fees?.map(({ event, fee }) => ({ event, fee, most: 1 })) ?? [],
  });
}

function ratioOf({ group_name: group = '', group_ratio: then = 1 }: LogMetadata, { groups, factor }: OtherTerms) {
  const ratio = groups.get(group) ?? then;
  // Both are decimals of few digits, so 15 of the product are exact.
  return factor === 1 ? ratio : Number((ratio * factor).toPrecision(15));
}

function eventsIn({ fees, events }: LogMetadata): EventCounts {
  if (!fees && !events) return free;
  return { ...free, ...events, ...Object.fromEntries((fees ?? []).map(({ event, count }) => [event, count])) };
}

function servedIn({ created_at: end, request_time: ms, ...row }: PricedRow, metadata: LogMetadata): Served {
  const { served = {}, attempts, endpoint, task_id: task } = metadata;
  const usage = usageOf(row);
  const hasLength = task === undefined && endpoint !== REALTIME_PATH && endpoint !== LIVE_PATH;
  const start = Math.floor((end * 1000 - ms + (attempts?.at(-1)?.start ?? 0)) / 1000);
  return {
    modes: served.modes ?? [],
    region: served.region,
    promptTokens: served.prompt_tokens ?? (hasLength ? inputTokens(usage) : 0),
    reasoning: usage.reasoning > 0,
    at: served.at ?? start,
  };
}

type Seen = Parameters<typeof chargeServed>[2];

/** Credits of what another model used for the call. */
function otherCredits(
  { prompt_tokens, completion_tokens, model, ...counts }: NonNullable<LogMetadata['models']>[number],
  ratio: number,
  { seen, terms: { draft, current } }: { seen: Seen; terms: OtherTerms },
): number {
  const row = { prompt_tokens, completion_tokens, metadata: counts };
  const usage = usageOf(row);
  const price = draft.listed(model) ?? current?.listed(model) ?? ownPrice(row, counts);
  const served = { ...seen.served, promptTokens: inputTokens(usage), reasoning: usage.reasoning > 0 };
  return chargeServed(price, ratio, { usage, events: {}, served }).credits;
}

type Costs = Pick<PricedAgain, 'costs' | 'knew' | 'knows'>;

/** The costs of a row, with that of the last attempt computed again unless the provider stated it. */
function withCost(
  row: PricedRow,
  { same, price, seen, terms }: { same: Costs; price: BookedPrice; seen: Seen; terms: OtherTerms },
): Costs {
  const last = row.metadata?.attempts?.at(-1);
  if (!last || last.cost?.by === 'provider' || last.cost?.by === 'refused') return same;
  const bought = terms.boughtAt(last.channel_id);
  if (!bought) return same;
  const { model_name: billedModel, metadata } = row;
  const upstreamModel = metadata?.upstream_model ?? billedModel;
  const cost = costOf(
    { channel: bought, price, upstreamModel, billedModel },
    { served: undefined, usage: seen.usage },
    { models: metadata?.models },
    seen,
  );
  const before = same.knew ? same.costs.at(-1)?.[1] : undefined;
  const earlier = before === undefined ? same.costs : same.costs.slice(0, -1);
  const after = cost && thousandthsOf(cost.credits);
  if (before === undefined && after === undefined) return same;
  return {
    costs: [...earlier, [last.channel_id, before ?? 0, after ?? 0]],
    knew: same.knew,
    knows: after !== undefined,
  };
}

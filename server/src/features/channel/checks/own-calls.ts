import { noUsage } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import type { ChannelRow } from '#features/channel/channel-record.ts';
import { freePrice } from '#live/price-book.ts';
import { Purchases } from '#live/purchases.ts';
import { costReported } from '#relay/call/attempt-cost.ts';
import { addOwnCall } from '#roll-ups/own-usage.ts';
import type { OwnSpending, ProbedChannel } from './ask-provider.ts';

/** The same channel, whose tests and checks are added to the operator's own usage with their cost. */
export function countingOwn(
  deps: Pick<Deps, 'db' | 'live' | 'now'>,
  { id: channelId, cost_ratio }: Pick<ChannelRow, 'id' | 'cost_ratio'>,
  channel: ProbedChannel,
): ProbedChannel {
  const { db, live, now } = deps;
  const costFor = async ({ model, usage, served, failed }: OwnSpending): Promise<string | undefined> => {
    if (failed) return failed === 'refused' ? '0' : undefined;
    const rows = db.selectFrom('purchase_prices').where('channel_id', '=', channelId).where('removed_time', '=', 0);
    const purchases = new Purchases(await rows.selectAll().execute());
    const price = live.prices.find(model);
    const terms = purchases.find([model], now())?.price ?? price;
    // Tokens that were not reported have no known cost; a price per call needs none.
    if (served?.cost === undefined && (!terms || (terms.type === 'tokens' && !usage))) return undefined;
    const bought = { channel: { costRatio: cost_ratio ?? undefined, purchases }, price: price ?? freePrice };
    const named = { upstreamModel: model, billedModel: model };
    return costReported({ ...bought, ...named }, { served, usage: usage ?? noUsage })?.credits;
  };
  const spent = async (call: OwnSpending): Promise<void> => {
    const { model, usage, failed } = call;
    await addOwnCall(db, { channelId, model, failed: failed !== undefined, usage, cost: await costFor(call) }, now());
  };
  return { ...channel, spent };
}

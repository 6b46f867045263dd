import type { RouteCandidate, SkipReason } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import type { BookedPrice } from '#live/price-book.ts';
import type { LiveChannel } from '#live/routing-table.ts';
import { consider, nothingTried, type Wanted } from './choose.ts';
import { namesAt } from './offer.ts';

/** Every channel that has to do with a call, those that would be used first, and why the others would not. */
export function explainRoute(deps: Deps, wanted: Wanted): RouteCandidate[] {
  const { live } = deps;
  const { group, request } = wanted;
  const found = live.routes
    .channelsFor(group.symbol, request.model)
    .map((channel) => candidateOf(deps, wanted, channel));
  share(found);
  const resting = live.routes
    .restingFor(group.symbol, request.model)
    .map(({ id, name, priority, weight }): RouteCandidate => ({
      channel_id: id,
      channel_name: name,
      priority,
      weight,
      share: 0,
      skipped: 'switched_off',
      until: 0,
      upstream_model: request.model,
      billed_model: request.model,
      price: null,
    }));
  return [...found.toSorted((a, b) => b.share - a.share || b.priority - a.priority), ...resting];
}

function candidateOf(deps: Deps, wanted: Wanted, channel: LiveChannel): RouteCandidate {
  const { upstream, billed } = namesAt(channel, wanted.request.model);
  const { health, until } = deps.live.health.of(channel.id, upstream, Date.now());
  const price = deps.live.prices.find(billed);
  const considered = consider(deps, wanted, channel, nothingTried);
  const skip = typeof considered === 'string' ? considered : undefined;
  const skipped = skip === 'tried' || skip === undefined ? (health === 'frozen' ? 'frozen' : '') : skip;
  return {
    channel_id: channel.id,
    channel_name: channel.name,
    priority: channel.priority,
    weight: channel.weight,
    share: 0,
    skipped,
    until,
    upstream_model: upstream,
    billed_model: billed,
    price: price ? priceOf(billed, price) : null,
  };
}

function priceOf(
  model: string,
  { type, channel_type, input, output, extra_ratios }: BookedPrice,
): RouteCandidate['price'] {
  return { model, type, channel_type, input, output, extra_ratios };
}

/** How likely each is: by weight among those of the highest priority that can be used; frozen ones only if there is no other. */
function share(candidates: RouteCandidate[]): void {
  const of = (reason: SkipReason) => candidates.filter(({ skipped }) => skipped === reason);
  const drawn = of('').length > 0 ? of('') : of('frozen');
  const highest = Math.max(...drawn.map(({ priority }) => priority));
  const top = drawn.filter(({ priority }) => priority === highest);
  const total = top.reduce((sum, { weight }) => sum + weight, 0);
  for (const candidate of top) {
    candidate.share = candidate.weight / total;
    candidate.skipped = '';
  }
  for (const candidate of drawn) if (candidate.share === 0) candidate.skipped = 'lower_priority';
}

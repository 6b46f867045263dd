import type { BookedPrice, PriceBook } from '#live/price-book.ts';
import type { TaskOperation } from '#providers/task-operation.ts';
import { BadTaskRequest } from '#providers/video-order.ts';
import type { ChannelOffer } from '#relay/types/call-types.ts';
import type { TaskParts } from '#relay/types/parsed-request.ts';

export interface TaskPrice {
  price: BookedPrice;
  /** Name under which the price was found. */
  name: string;
  /** Seconds at a price per second, otherwise 1. */
  units: number;
  /** Length that is ordered; undefined: the vendor's adapter names none. */
  seconds?: number | undefined;
}

/**
 * The price of a task at a channel: the most specific name that has one. Prices by token do not apply, because tasks
 * report none. `unfit`: the vendor cannot do what the request says; the reason is kept in `task.unfit`.
 */
export function priceOfTask(
  prices: PriceBook,
  { operation, billedModel, upstreamModel }: ChannelOffer,
  task: TaskParts,
): TaskPrice | 'unfit' | undefined {
  const { quote } = operation as TaskOperation; // a call of the operation `tasks` is offered no other
  let seconds: number | undefined;
  try {
    const quoted = quote?.(task.order, billedModel, upstreamModel) ?? { prices: [] };
    ({ seconds } = quoted);
    for (const { name, perSecond } of quoted.prices) {
      const price = prices.exact(name);
      if (price?.type !== 'times') continue;
      if (!perSecond) return { price, name, units: 1, seconds };
      // Without a length there is no charge per second, and so no offer.
      return seconds !== undefined && seconds > 0 && Number.isFinite(seconds)
        ? { price, name, units: Math.ceil(seconds), seconds }
        : undefined;
    }
  } catch (error) {
    if (!(error instanceof BadTaskRequest)) throw error;
    task.unfit ??= error;
    return 'unfit';
  }
  const price = prices.find(billedModel);
  return price?.type === 'times' ? { price, name: billedModel, units: 1, seconds } : undefined;
}

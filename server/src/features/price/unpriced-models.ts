import type { Live } from '#live/live.ts';
import { namesAt } from '#relay/select/channel-offer.ts';

/**
 * Models of enabled channels without their own price, by number of channels. `refused` means that no default price
 * covers them either.
 */
export function unpricedModels(live: Live): { model: string; channels: number; refused: boolean }[] {
  const channels = new Map<string, Set<number>>();
  for (const group of live.groups.keys()) {
    for (const model of live.routes.modelsOf(group)) {
      for (const channel of live.routes.channelsFor(group, model)) {
        const { billed } = namesAt(channel, model);
        if (!live.prices.listed(billed)) channels.set(billed, (channels.get(billed) ?? new Set()).add(channel.id));
      }
    }
  }
  return [...channels]
    .map(([model, ids]) => ({ model, channels: ids.size, refused: live.prices.find(model) === undefined }))
    .toSorted((a, b) => b.channels - a.channels || (a.model < b.model ? -1 : 1));
}

import type { Live } from '#live/live.ts';
import { billedModel } from './available-models.ts';

/** Models of enabled channels whose calls no price covers, most channels first. */
export function unpricedModels(live: Live): { model: string; channels: number }[] {
  const channels = new Map<string, Set<number>>();
  for (const group of live.groups.keys()) {
    for (const model of live.routes.modelsOf(group)) {
      for (const channel of live.routes.channelsFor(group, model)) {
        const billed = billedModel(channel, model);
        if (!live.prices.listed(billed)) channels.set(billed, (channels.get(billed) ?? new Set()).add(channel.id));
      }
    }
  }
  return [...channels]
    .map(([model, ids]) => ({ model, channels: ids.size }))
    .toSorted((a, b) => b.channels - a.channels || (a.model < b.model ? -1 : 1));
}

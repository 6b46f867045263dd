import type { PriceDifference, PricePreview, PriceUpdateMode } from '@relay-hub/contract';

export type UpdateTab = 'changed' | 'added' | 'dropped' | 'unchanged' | 'rejected';

/** What stands to be looked at, with what matters most first. An update that only adds leaves the rest as it is. */
export function tabsOf(preview: PricePreview, mode: PriceUpdateMode): { value: UpdateTab; count: number }[] {
  const all: UpdateTab[] = mode === 'overwrite' ? ['changed', 'added', 'dropped', 'unchanged'] : ['added', 'unchanged'];
  const tabs = all.map((value) => ({ value, count: preview[value].length }));
  return preview.rejected.length > 0 ? [...tabs, { value: 'rejected', count: preview.rejected.length }] : tabs;
}

/** Models that jump, and prices that the list does not have, stay as they are until somebody ticks them. */
export const leftAtFirst = (preview: PricePreview): ReadonlySet<string> =>
  new Set(
    [...[...preview.changed, ...preview.added].filter(({ jumps }) => jumps.length > 0), ...preview.dropped].map(
      ({ model }) => model,
    ),
  );

export interface UpdateCounts {
  changed: number;
  added: number;
  dropped: number;
  total: number;
  /** Of the dropped ones, those whose calls are refused then: a channel has the model. */
  refused: number;
}

/** What is to be sent, and how much it is. */
export function choiceOf(preview: PricePreview, mode: PriceUpdateMode, left: ReadonlySet<string>) {
  const taken = (differences: readonly PriceDifference[]) => differences.filter(({ model }) => !left.has(model));
  const overwrites = mode === 'overwrite';
  const [added, changed, dropped] = [
    taken(preview.added),
    overwrites ? taken(preview.changed) : [],
    overwrites ? taken(preview.dropped) : [],
  ];
  const jumping = [...added, ...changed].filter(({ jumps }) => jumps.length > 0);
  const counts: UpdateCounts = {
    changed: changed.length,
    added: added.length,
    dropped: dropped.length,
    total: changed.length + added.length + dropped.length,
    refused: dropped.filter(({ served }) => served).length,
  };
  return {
    counts,
    body: { id: preview.id, mode, leave: [...left], confirmed: jumping.map(({ model }) => model) },
  };
}

/** The largest moves first; what cannot be told in a number (to or from zero) before all. */
export function byMove(differences: readonly PriceDifference[]): PriceDifference[] {
  const size = ({ factor }: PriceDifference) => (factor === null ? Infinity : Math.abs(Math.log(factor)));
  return differences.toSorted((a, b) => size(b) - size(a) || (a.model < b.model ? -1 : 1));
}

import type { PriceDifference, PricePreview, PriceUpdateMode } from '@relay-hub/contract';

export type UpdateTab = 'changed' | 'added' | 'dropped' | 'unchanged' | 'rejected' | 'remarks';

/** The tabs of a preview, most important first. Mode "add" shows additions only. */
export function tabsOf(preview: PricePreview, mode: PriceUpdateMode): { value: UpdateTab; count: number }[] {
  const all: UpdateTab[] = mode === 'overwrite' ? ['changed', 'added', 'dropped', 'unchanged'] : ['added', 'unchanged'];
  const some = (['rejected', 'remarks'] as const).filter((value) => preview[value].length > 0);
  return [...all, ...some].map((value) => ({ value, count: preview[value].length }));
}

/** Large changes, and models the list lacks, are not selected at first. */
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
  /** Dropped prices of models that a channel serves; their calls will be refused. */
  refused: number;
}

/** The request body with its counts. */
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

/** Largest relative change first; changes from or to zero, which have no percentage, come before all. */
export function byMove(differences: readonly PriceDifference[]): PriceDifference[] {
  const size = ({ factor }: PriceDifference) => (factor === null ? Infinity : Math.abs(Math.log(factor)));
  return differences.toSorted((a, b) => size(b) - size(a) || (a.model < b.model ? -1 : 1));
}

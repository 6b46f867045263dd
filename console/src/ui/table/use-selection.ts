import { useMemo, useState } from 'react';

export type RowKey = string | number;

export interface Selection<Row> {
  rows: readonly Row[];
  has: (row: Row) => boolean;
  toggle: (row: Row, on: boolean) => void;
  /** Adds or removes several rows. */
  toggleAll: (rows: readonly Row[], on: boolean) => void;
  clear: () => void;
}

/** Selected rows, kept across pages. */
export function useSelection<Row>(keyOf: (row: Row) => RowKey): Selection<Row> {
  const [chosen, setChosen] = useState<ReadonlyMap<RowKey, Row>>(new Map());
  const change = useMemo(() => {
    const toggleAll = (rows: readonly Row[], on: boolean) =>
      setChosen((now) => {
        const next = new Map(now);
        for (const row of rows) {
          if (on) next.set(keyOf(row), row);
          else next.delete(keyOf(row));
        }
        return next;
      });
    // Stable, so that selecting one row does not re-render the others.
    return { toggle: (row: Row, on: boolean) => toggleAll([row], on), toggleAll, clear: () => setChosen(new Map()) };
  }, [keyOf]);
  return useMemo(
    () => ({ rows: [...chosen.values()], has: (row) => chosen.has(keyOf(row)), ...change }),
    [chosen, keyOf, change],
  );
}

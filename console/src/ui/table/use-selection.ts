import { useMemo, useState } from 'react';

export type RowKey = string | number;

export interface Selection<Row> {
  rows: readonly Row[];
  has: (row: Row) => boolean;
  toggle: (row: Row, on: boolean) => void;
  /** Puts rows in or takes them out together. */
  toggleAll: (rows: readonly Row[], on: boolean) => void;
  clear: () => void;
}

/** Rows that were ticked, kept while the reader turns pages. */
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
    // The same while the list is: ticking one row draws no other.
    return { toggle: (row: Row, on: boolean) => toggleAll([row], on), toggleAll, clear: () => setChosen(new Map()) };
  }, [keyOf]);
  return useMemo(
    () => ({ rows: [...chosen.values()], has: (row) => chosen.has(keyOf(row)), ...change }),
    [chosen, keyOf, change],
  );
}

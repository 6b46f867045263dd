import { useEffect } from 'react';

/** The row of the record that is shown next to the list. */
export const activeRow = (): HTMLElement | null => document.querySelector<HTMLElement>('[data-active]');

/** Scrolls the list to the row of the record that is shown, whenever it changes. `shown`: its id or place in the list. */
export function useRowInSight(shown: number): void {
  useEffect(() => {
    if (shown >= 0) activeRow()?.scrollIntoView({ block: 'nearest' });
  }, [shown]);
}

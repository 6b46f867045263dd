import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';

/** How many changes each open form has that are not saved. */
const unsavedChanges = new Map<symbol, number>();

/** All changes of the page that are not saved. */
export const countUnsaved = (): number => [...unsavedChanges.values()].reduce((sum, each) => sum + each, 0);

/**
 * Holds up whatever would take the page away while there are unsaved changes: Back, a link, closing the tab. Undefined
 * while nothing is held up. A change of the search alone is the page's own doing, e.g. that it closes its form.
 */
export function useLeaveGuard(changes: number): { leave: () => void; stay: () => void } | undefined {
  const unsaved = changes > 0;
  useEffect(() => {
    const form = Symbol();
    unsavedChanges.set(form, changes);
    return () => void unsavedChanges.delete(form);
  }, [changes]);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next, action }) => unsaved && (isBack(action) || next.pathname !== current.pathname),
    enableBeforeUnload: () => unsaved,
    withResolver: true,
  });
  return blocker.status === 'blocked' ? { leave: blocker.proceed, stay: blocker.reset } : undefined;
}

const isBack = (action: string): boolean => action !== 'PUSH' && action !== 'REPLACE';

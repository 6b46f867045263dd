import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Number of unsaved changes, by open form. */
const unsavedChanges = new Map<symbol, number>();

/** Number of unsaved changes on the page. */
export const countUnsaved = (): number => [...unsavedChanges.values()].reduce((sum, each) => sum + each, 0);

/**
 * Blocks navigation away from unsaved changes: Back, a link, closing the tab. Returns undefined while nothing is
 * blocked. A push that changes only the search is not blocked: the page itself makes those, e.g. to close its form.
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

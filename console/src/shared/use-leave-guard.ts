import { useBlocker } from '@tanstack/react-router';

/**
 * Holds up whatever would take the page away while there are unsaved changes: Back, a link, closing the tab. Undefined
 * while nothing is held up. A change of the search alone is the page's own doing, e.g. that it closes its form.
 */
export function useLeaveGuard(unsaved: boolean): { leave: () => void; stay: () => void } | undefined {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next, action }) => unsaved && (isBack(action) || next.pathname !== current.pathname),
    enableBeforeUnload: () => unsaved,
    withResolver: true,
  });
  return blocker.status === 'blocked' ? { leave: blocker.proceed, stay: blocker.reset } : undefined;
}

const isBack = (action: string): boolean => action !== 'PUSH' && action !== 'REPLACE';

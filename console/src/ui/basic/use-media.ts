import { useSyncExternalStore } from 'react';

interface Watch {
  subscribe: (read: () => void) => () => void;
  matches: () => boolean;
}

const watches = new Map<string, Watch>();

function watch(query: string): Watch {
  const known = watches.get(query);
  if (known) return known;
  const list = matchMedia(query);
  const made: Watch = {
    subscribe: (read) => {
      list.addEventListener('change', read);
      return () => list.removeEventListener('change', read);
    },
    matches: () => list.matches,
  };
  watches.set(query, made);
  return made;
}

export function useMedia(query: string): boolean {
  const { subscribe, matches } = watch(query);
  return useSyncExternalStore(subscribe, matches);
}

const phone = '(width < 600px)';

export const isPhone = (): boolean => watch(phone).matches();

/** Below 600 px: rows are cards, drawers are full-screen. */
export const useIsPhone = (): boolean => useMedia(phone);

/** Below 900 px the menu is a sheet. */
export const useIsNarrow = (): boolean => useMedia('(width < 900px)');

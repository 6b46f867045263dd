import { storage } from '#api/storage.ts';
import { createStore, useStore } from '#api/store.ts';

const key = 'sidebar';
const opened = createStore(storage.get(key) !== 'closed');

/** Whether the sidebar of wide screens is open; stored in this browser. */
export function useSidebar(): { open: boolean; toggle: () => void } {
  const open = useStore(opened);
  const toggle = () => {
    storage.set(key, open ? 'closed' : 'open');
    opened.set(!open);
  };
  return { open, toggle };
}

import { useEffect } from 'react';

/** ⌘/Ctrl+Enter saves while there are changes. Part of the page, because the save bar may still be loading. */
export function useSaveKey(isDirty: boolean, save: () => void) {
  useEffect(() => {
    if (!isDirty) return undefined;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || event.defaultPrevented) return;
      event.preventDefault();
      save();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}

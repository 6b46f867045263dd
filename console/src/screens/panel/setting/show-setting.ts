const MARKED_MS = 1800;

/** Scrolls to a setting, marks it for a moment and focuses it, once rendered. */
export function showSetting(key: string): void {
  // Its tab may have to render first.
  setTimeout(() => {
    const row = document.getElementById(`setting-${key}`);
    row?.scrollIntoView({ block: 'center' });
    // A fade without movement, so it is kept with reduced motion.
    row?.animate([{ background: 'var(--color-accent-soft)' }, { background: 'transparent' }], MARKED_MS);
    row?.querySelector<HTMLElement>('input, textarea, [role=combobox], [role=group]')?.focus({ preventScroll: true });
  }, 80);
}

/** Scrolls to a setting and focuses it, once rendered. */
export function showSetting(key: string): void {
  // Its tab may have to render first.
  setTimeout(() => {
    const row = document.getElementById(`setting-${key}`);
    row?.scrollIntoView({ block: 'center' });
    row?.querySelector<HTMLElement>('input, textarea, [role=combobox], [role=group]')?.focus({ preventScroll: true });
  }, 80);
}

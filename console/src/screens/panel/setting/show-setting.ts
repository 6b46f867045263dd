/** Brings a setting into sight and puts the focus into it, once it is drawn. */
export function showSetting(key: string): void {
  // Its tab may have to be drawn first.
  setTimeout(() => {
    const row = document.getElementById(`setting-${key}`);
    row?.scrollIntoView({ block: 'center' });
    row?.querySelector<HTMLElement>('input, textarea, [role=combobox], [role=group]')?.focus({ preventScroll: true });
  }, 80);
}

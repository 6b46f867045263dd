import type { IconShape } from '#ui/basic/icon.tsx';

/** A page, a record or an action. */
export interface PaletteItem {
  /** Unique within the palette. */
  id: string;
  icon: IconShape;
  title: string;
  note?: string;
  /** Disabled, but still listed. */
  off?: boolean;
  run: () => void;
}

export interface PaletteGroup {
  title: string;
  items: PaletteItem[];
}

/** Whether every typed word occurs in one of the texts. */
export function matches(typed: string, ...texts: string[]): boolean {
  const whole = texts.join(' ').toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => whole.includes(word));
}

import type { IconShape } from '#ui/basic/icon.tsx';

/** One thing to go to or to do. */
export interface PaletteItem {
  /** Unique within the palette. */
  id: string;
  icon: IconShape;
  title: string;
  note?: string;
  /** It cannot be done now; it stays in its place and says so. */
  off?: boolean;
  run: () => void;
}

export interface PaletteGroup {
  title: string;
  items: PaletteItem[];
}

/** Whether every word that was typed occurs in one of the texts. */
export function matches(typed: string, ...texts: string[]): boolean {
  const whole = texts.join(' ').toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => whole.includes(word));
}

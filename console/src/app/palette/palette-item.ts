import type { ReactNode } from 'react';
import type { IconShape } from '#ui/basic/icon.tsx';

/** A page, a record or an action. */
export interface PaletteItem {
  /** Unique within the palette. */
  id: string;
  icon: IconShape;
  /** Replaces the icon: a mark of 20. */
  tile?: ReactNode;
  title: string;
  note?: string;
  /** Disabled, but still listed. */
  off?: boolean;
  /** Address that it leads to; such an item is remembered among the recent ones. */
  to?: string;
  run?: () => void;
}

export interface PaletteGroup {
  title: string;
  items: PaletteItem[];
}

/** A found record with its searchable texts. */
export interface Candidate<R> {
  record: R;
  name: string;
  /** Other searched texts by the name of their field. */
  fields: readonly (readonly [field: string, text: string])[];
}

/** Letters and digits only, so that `gpt4o` finds gpt-4o. */
export const plain = (text: string): string => text.toLowerCase().replaceAll(/[\s._/:-]+/g, '');

/**
 * Records in the order of how well they match: the name is the typed text, begins with it, a word of it does, it
 * contains the text; then by other fields. `by` is the matching field with its text, if it is not the name.
 */
export function ranked<R>(typed: string, candidates: readonly Candidate<R>[]): { record: R; by?: string }[] {
  const sought = typed.toLowerCase();
  const short = plain(typed);
  return candidates
    .map(({ record, name, fields }) => {
      const text = name.toLowerCase();
      if (plain(name) === short) return { record, rank: -1 };
      const at = text.indexOf(sought);
      if (at >= 0) return { record, rank: at === 0 ? 0 : /[\p{L}\p{N}]/u.test(text[at - 1] ?? '') ? 2 : 1 };
      if (short !== '' && plain(name).includes(short))
        return { record, rank: plain(name).startsWith(short) ? 0.5 : 2.5 };
      const place = fields.findIndex(([, value]) => short !== '' && plain(value).includes(short));
      const [field, value] = fields[place] ?? [];
      const by = field === undefined ? undefined : `${field}: ${value}`;
      return { record, rank: 3 + (place < 0 ? fields.length : place), ...(by !== undefined && { by }) };
    })
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ record, by }) => ({ record, ...(by !== undefined && { by }) }));
}

/** Whether every typed word occurs in one of the texts, whatever separates their parts. */
export function matches(typed: string, ...texts: string[]): boolean {
  const whole = texts.map(plain);
  return typed.split(/\s+/).every((word) => whole.some((text) => text.includes(plain(word))));
}

import { History } from 'lucide-react';
import { currentUser } from '#api/session.ts';
import { storage } from '#api/storage.ts';
import type { PaletteItem } from './palette-item.ts';

const key = 'palette';
const most = 5;

type Kept = Required<Pick<PaletteItem, 'id' | 'title' | 'note' | 'to'>>;

/** A browser can be shared: each user has their own entries. */
interface Stored {
  user: number;
  items: Kept[];
}

const isKept = (item: unknown): item is Kept =>
  typeof item === 'object' &&
  item !== null &&
  ['id', 'title', 'note', 'to'].every((name) => typeof Reflect.get(item, name) === 'string') &&
  String(Reflect.get(item, 'to')).startsWith('/');

function kept(): Kept[] {
  try {
    const stored = JSON.parse(storage.get(key) ?? '{}') as Partial<Stored>; // checked below
    return stored.user === currentUser()?.id && Array.isArray(stored.items) ? stored.items.filter(isKept) : [];
  } catch {
    // Written by something else: nothing is remembered.
    return [];
  }
}

/** The items that this user chose last, newest first. */
export const recentItems = (): PaletteItem[] =>
  kept().map((item) => ({ ...item, icon: History, id: `recent ${item.id}` }));

/** Remembers a chosen item that leads somewhere. */
export function rememberItem({ id, title, note = '', to }: PaletteItem): void {
  const user = currentUser()?.id;
  if (to === undefined || user === undefined) return;
  const plainId = id.replace(/^recent /, '');
  const items = [{ id: plainId, title, note, to }, ...kept().filter((item) => item.id !== plainId)].slice(0, most);
  storage.set(key, JSON.stringify({ user, items } satisfies Stored));
}

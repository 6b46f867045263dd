import { useCallback, useSyncExternalStore } from 'react';

export type Density = 'comfortable' | 'compact';

/** A user's preferences for one table. */
interface TablePrefs {
  density?: Density;
  /** Visibility of columns that differ from the default. */
  shown?: Record<string, boolean>;
}

const key = 'tables';
const nothing: TablePrefs = {};
const readers = new Set<() => void>();
let all: Record<string, TablePrefs> | undefined;

function read(): Record<string, TablePrefs> {
  if (all) return all;
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '{}');
    // Local storage is untrusted: drop unknown values.
    all = Object.fromEntries(
      Object.entries(typeof stored === 'object' && stored !== null ? stored : {}).filter(
        (entry): entry is [string, TablePrefs] => isPrefs(entry[1]),
      ),
    );
  } catch {
    all = {};
  }
  return all;
}

const isPrefs = (value: unknown): value is TablePrefs =>
  typeof value === 'object' &&
  value !== null &&
  (!('density' in value) || value.density === 'compact' || value.density === 'comfortable') &&
  (!('shown' in value) || (typeof value.shown === 'object' && value.shown !== null));

function change(name: string, prefs: TablePrefs) {
  all = { ...read(), [name]: { ...read()[name], ...prefs } };
  try {
    localStorage.setItem(key, JSON.stringify(all));
  } catch {
    // Without storage, preferences last until the page is closed.
  }
  for (const reader of readers) reader();
}

const subscribe = (reader: () => void) => {
  readers.add(reader);
  return () => readers.delete(reader);
};

/** Density and columns of a table, stored in this browser. */
export function useTablePrefs(name: string, defaultDensity: Density) {
  const prefs = useSyncExternalStore(subscribe, () => read()[name] ?? nothing);
  const { shown } = prefs;
  return {
    density: prefs.density ?? defaultDensity,
    /** Stable while the preferences do not change. */
    isShown: useCallback(
      (column: { id: string; hidden?: boolean | undefined }) => shown?.[column.id] ?? !column.hidden,
      [shown],
    ),
    setDensity: (density: Density) => change(name, { density }),
    setShown: (id: string, on: boolean) => change(name, { shown: { ...shown, [id]: on } }),
  };
}

/** `localStorage`, where the browser allows it; without it everything works, and nothing is remembered. */
type Kind = 'string' | 'number' | 'boolean';

/** The kind of each member of what is kept; a member that was added later does not compile without one. */
export type Shape<T> = { [K in keyof T]: T[K] extends string ? 'string' : T[K] extends number ? 'number' : 'boolean' };

/**
 * Whether something that was kept is still what was kept: an earlier version, another console on this origin or a person
 * may have written it, and a member of another kind would crash the page that shows it.
 */
export const isShaped = <T>(kept: unknown, shape: Shape<T>): kept is T =>
  typeof kept === 'object' &&
  kept !== null &&
  Object.entries<Kind>(shape as Record<string, Kind>).every(([name, kind]) => {
    const value: unknown = Reflect.get(kept, name);
    return typeof value === kind && (kind !== 'number' || Number.isFinite(value));
  });

export const storage = {
  get(key: string): string | null {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  set(key: string, value: string): void {
    try {
      localStorage.setItem(key, value);
    } catch {
      // full or forbidden
    }
  },
  remove(key: string): void {
    try {
      localStorage.removeItem(key);
    } catch {
      // forbidden
    }
  },
  /** The JSON under `key`; undefined when there is none, or something else. */
  getJson(key: string): unknown {
    try {
      return JSON.parse(storage.get(key) ?? '') as unknown;
    } catch {
      return undefined;
    }
  },
};

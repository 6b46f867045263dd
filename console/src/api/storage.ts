import { basePath } from '#base-path.ts';

type Kind = 'string' | 'number' | 'boolean';

/** The type of each stored member; a member added later does not compile without one. */
export type Shape<T> = { [K in keyof T]: T[K] extends string ? 'string' : T[K] extends number ? 'number' : 'boolean' };

/**
 * Whether a stored value still has its type: an earlier version, another app on this origin or a person may have
 * written it, and a member of another type would crash the page.
 */
export const isShaped = <T>(kept: unknown, shape: Shape<T>): kept is T =>
  typeof kept === 'object' &&
  kept !== null &&
  Object.entries<Kind>(shape as Record<string, Kind>).every(([name, kind]) => {
    const value: unknown = Reflect.get(kept, name);
    return typeof value === kind && (kind !== 'number' || Number.isFinite(value));
  });

/** Hubs below different paths of a domain share its storage. */
const nameOf = (key: string): string => basePath + key;

/** `localStorage` where the browser allows it; without it everything works but nothing is remembered. */
export const storage = {
  get(key: string): string | null {
    try {
      return localStorage.getItem(nameOf(key));
    } catch {
      // Storage is forbidden: the same as nothing stored.
      return null;
    }
  },
  set(key: string, value: string): void {
    try {
      localStorage.setItem(nameOf(key), value);
    } catch {
      // Storage is full or forbidden: nothing is remembered.
    }
  },
  remove(key: string): void {
    try {
      localStorage.removeItem(nameOf(key));
    } catch {
      // Storage is forbidden: nothing was stored.
    }
  },
  /** Calls a listener when another tab has changed the value of `key`, or emptied the storage. */
  onChange(key: string, listener: () => void): void {
    // Node, in which the build reads the first calls of a page, has no such function.
    globalThis.addEventListener?.('storage', ({ key: name }) => {
      if (name === null || name === nameOf(key)) listener();
    });
  },
  /** The JSON under `key`; undefined when missing or malformed. */
  getJson(key: string): unknown {
    try {
      return JSON.parse(storage.get(key) ?? '') as unknown;
    } catch {
      // Missing, or not written by this version.
      return undefined;
    }
  },
};

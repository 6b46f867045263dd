/** `localStorage`, where the browser allows it; without it everything works, and nothing is remembered. */
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

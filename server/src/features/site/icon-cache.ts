/** As long as browsers keep the marks of the build. */
const KEPT_S = 168 * 3600;
/** A host that failed is not asked again for this time. */
const RETRY_S = 600;
const MOST = 50;

export interface CachedIcon {
  type: string;
  body: Buffer;
}

interface Entry {
  icon: Promise<CachedIcon | undefined>;
  /** Unix seconds. */
  until: number;
}

/** The 50 icons that were used last, by address, each for 168 hours; a failure for ten minutes. */
export class IconCache {
  readonly #entries = new Map<string, Entry>();
  readonly #load: (address: string) => Promise<CachedIcon | undefined>;
  readonly #now: () => number;

  /** `load` resolves with undefined if there is no icon at the address; it must not throw. `now`: Unix seconds. */
  constructor(load: (address: string) => Promise<CachedIcon | undefined>, now: () => number) {
    this.#load = load;
    this.#now = now;
  }

  /** The icon at an address. Simultaneous requests share one fetch. */
  get(address: string): Promise<CachedIcon | undefined> {
    const known = this.#entries.get(address);
    const entry = known && known.until > this.#now() ? known : this.#fetch(address);
    // The order of the map is that of the last use.
    this.#entries.delete(address);
    this.#entries.set(address, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MOST && oldest !== undefined) this.#entries.delete(oldest);
    return entry.icon;
  }

  #fetch(address: string): Entry {
    const entry: Entry = { icon: this.#load(address), until: this.#now() + KEPT_S };
    void this.#shorten(entry);
    return entry;
  }

  async #shorten(entry: Entry): Promise<void> {
    if (!(await entry.icon)) entry.until = this.#now() + RETRY_S;
  }
}

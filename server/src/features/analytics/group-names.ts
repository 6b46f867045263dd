import type { UsageGrouping } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';

/** Limit of values per statement. */
const AT_ONCE = 500;

/** Resolves group keys to names with a cache; the name is empty if there is none. */
export class GroupNames {
  readonly #db: Db;
  readonly #by: UsageGrouping;
  readonly #owners: ReadonlyMap<number, string>;
  readonly #known = new Map<string, string>();

  constructor(db: Db, by: UsageGrouping, owners: ReadonlyMap<number, string>) {
    this.#db = db;
    this.#by = by;
    this.#owners = owners;
  }

  of(key: string): string {
    if (this.#by === 'model' || this.#by === 'tag') return key;
    if (this.#by === 'owner') return key === '0' ? '' : (this.#owners.get(Number(key)) ?? '');
    return this.#known.get(key) ?? '';
  }

  /** Loads the names of keys that `of` will be called with. */
  async meet(keys: readonly string[]): Promise<void> {
    const strangers = [...new Set(keys)].filter((key) => !this.#known.has(key));
    for (let at = 0; at < strangers.length; at += AT_ONCE)
      for (const { key, name } of await this.#named(strangers.slice(at, at + AT_ONCE)))
        this.#known.set(String(key), name);
    for (const key of strangers) if (!this.#known.has(key)) this.#known.set(key, '');
  }

  #named(keys: string[]): Promise<{ key: string | number; name: string }[]> {
    const ids = keys.map(Number);
    switch (this.#by) {
      case 'channel':
        return this.#db.selectFrom('channels').where('id', 'in', ids).select(['id as key', 'name']).execute();
      case 'user':
      case 'member':
        return this.#db.selectFrom('users').where('id', 'in', ids).select(['id as key', 'username as name']).execute();
      case 'token':
        return this.#db.selectFrom('tokens').where('id', 'in', ids).select(['id as key', 'name']).execute();
      case 'user_group':
        return this.#db
          .selectFrom('user_groups')
          .where('symbol', 'in', keys)
          .select(['symbol as key', 'name'])
          .execute();
      default:
        return Promise.resolve([]);
    }
  }
}

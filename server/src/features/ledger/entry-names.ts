import type { LedgerEntry } from '@relay-hub/contract';
import { role } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';

/** Owners do not see which administrator made a change. */
export type EntryReader = 'owner' | 'administrator';

export type EntryRow = Omit<LedgerEntry, 'username' | 'token_name' | 'actor' | 'actor_name'>;

interface NamedUser {
  username: string;
  role: number;
}

/** Resolves the users, tokens and actors of entries to names, with a cache. */
export class EntryNames {
  readonly #db: Db;
  readonly #reader: EntryReader;
  readonly #people = new Map<number, NamedUser>();
  readonly #tokens = new Map<number, string>();

  constructor(db: Db, reader: EntryReader) {
    this.#db = db;
    this.#reader = reader;
  }

  /** Rows as entries, limited to what the reader may see. */
  async resolve(rows: readonly EntryRow[]): Promise<LedgerEntry[]> {
    await this.#meet(rows.flatMap((row) => [row.user_id, row.actor_id]));
    await this.#meetTokens(rows.flatMap((row) => row.token_id ?? []));
    return rows.map((row) => {
      const actor = this.#actorOf(row);
      const isVisible = this.#reader === 'administrator' || actor === 'owner';
      return {
        ...row,
        username: this.#people.get(row.user_id)?.username ?? '',
        token_name: this.#tokens.get(row.token_id ?? 0) ?? '',
        actor,
        actor_id: isVisible ? row.actor_id : 0,
        actor_name: isVisible ? (this.#people.get(row.actor_id)?.username ?? '') : '',
      };
    });
  }

  #actorOf({ user_id: userId, actor_id: actorId }: EntryRow): LedgerEntry['actor'] {
    if (actorId === userId) return 'owner';
    const actor = this.#people.get(actorId);
    // When another user caused an entry, such as an invited one, the owner does not learn who.
    return actor && actor.role >= role.admin ? 'administrator' : 'system';
  }

  async #meet(ids: number[]): Promise<void> {
    const strangers = [...new Set(ids)].filter((id) => id !== 0 && !this.#people.has(id));
    if (strangers.length === 0) return;
    const people = await this.#db
      .selectFrom('users')
      .where('id', 'in', strangers)
      .select(['id', 'username', 'role'])
      .execute();
    for (const { id, ...person } of people) this.#people.set(id, person);
  }

  async #meetTokens(ids: number[]): Promise<void> {
    const strangers = [...new Set(ids)].filter((id) => !this.#tokens.has(id));
    if (strangers.length === 0) return;
    const tokens = await this.#db.selectFrom('tokens').where('id', 'in', strangers).select(['id', 'name']).execute();
    for (const { id, name } of tokens) this.#tokens.set(id, name);
  }
}

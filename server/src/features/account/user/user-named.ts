import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#db/tables.ts';

/**
 * Id of the account with a name, in any case: the present one, else the last one that had it when it was deleted. Null
 * if there is none.
 */
export const idNamed = (name: string): RawBuilder<number | null> => sql<number | null>`coalesce(
  (select id from users where lower(username) = lower(${name})),
  (select id from users where deleted_name is not null and lower(deleted_name) = lower(${name})
    order by deleted_time desc, id desc limit 1))`;

/** As `idNamed`, of one that also has the given id unless that is 0; undefined if there is none. */
export async function userNamed(db: Db, name: string, id = 0): Promise<number | undefined> {
  const { found } = await db.selectNoFrom(idNamed(name).as('found')).executeTakeFirstOrThrow();
  return found === null || (id !== 0 && found !== id) ? undefined : found;
}

import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { shapeOfName } from '#name-shape.ts';

/**
 * The shape of a new user name, to be stored with it. Throws `user.name_alike` where the name could be taken for that of
 * another account; the very same name is told by the clash of `users_username…`.
 */
export async function newShape(db: Kysely<Tables>, username: string, ownId = 0): Promise<string> {
  const shape = shapeOfName(username);
  const other = await db
    .selectFrom('users')
    .where('username_shape', '=', shape)
    .where('id', '<>', ownId)
    .select('username')
    .executeTakeFirst();
  const isSame = other?.username.toLowerCase() === username.toLowerCase();
  ensure(!other || isSame, 'user.name_alike', { field: 'username', name: username });
  return shape;
}

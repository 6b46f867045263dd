import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { shapeOfName } from '#name-shape.ts';

/**
 * The look-alike shape to store with a user name. Throws `user.name_alike` if another account's name looks the same; an
 * identical name is a unique clash of `users_username…`.
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

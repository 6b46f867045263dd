import { username as usernameRule } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import { shapeOfName } from '#name-shape.ts';
import { randomText } from '#secrets.ts';
import type { Identity } from '#features/account/identity/identity.ts';

const LONGEST = 12;

/** A free, valid user name: the provider's own if possible, else a similar one. */
export async function freeName(
  db: Db,
  { username, provider }: Pick<Identity, 'username' | 'provider'>,
): Promise<string> {
  // Some providers name people by their address: the part before the @ is the name.
  const wished = cut(username.replace(/(?<=.)@.*/s, '').replace(/[\s@\p{C}\p{DI}\u2800]/gu, ''), LONGEST);
  if (usernameRule.safeParse(wished).success && (await isFree(db, wished))) return wished;
  const stem = cut(wished, 6).length >= 2 ? cut(wished, 6) : provider;
  for (;;) {
    const name = `${stem}_${randomText(LONGEST - 1 - stem.length).slice(0, 5)}`;
    if (await isFree(db, name)) return name;
  }
}

/** The first `length` characters, without splitting a surrogate pair or leaving a trailing separator. */
export function cut(name: string, length: number): string {
  let found = '';
  for (const sign of name) {
    if (found.length + sign.length > length) break;
    found += sign;
  }
  return found.replace(/[-_.]+$/, '');
}

/** Whether no account has this name or one that looks alike. */
async function isFree(db: Db, name: string): Promise<boolean> {
  const found = await db
    .selectFrom('users')
    .where((eb) =>
      eb.or([
        eb(eb.fn<string>('lower', ['username']), '=', eb.fn<string>('lower', [eb.val(name)])),
        eb('username_shape', '=', shapeOfName(name)),
      ]),
    )
    .select('id')
    .executeTakeFirst();
  return found === undefined;
}

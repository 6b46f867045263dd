import type { TelegramCode } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import { fingerprint, randomText } from '#secrets.ts';

const LIFETIME_S = 180;
const LENGTH = 10;

const hashOf = (code: string): string => fingerprint(`telegram ${code}`);

/** Creates a one-time code that connects a Telegram account; earlier codes become invalid. */
export async function makeBindingCode(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  userId: number,
  bot: string,
): Promise<TelegramCode> {
  const code = randomText(LENGTH);
  const expires_time = now() + LIFETIME_S;
  await db.transaction().execute(async (trx) => {
    await trx
      .deleteFrom('oauth_states')
      .where('provider', '=', 'telegram')
      .where((eb) => eb.or([eb('user_id', '=', userId), eb('expires_time', '<=', now())]))
      .execute();
    await trx
      .insertInto('oauth_states')
      .values({
        state_hash: hashOf(code),
        provider: 'telegram',
        browser_hash: '',
        user_id: userId,
        kept: '',
        expires_time,
      })
      .execute();
  });
  return { code, bot, expires_time };
}

/** Consumes a code and returns its user id. Undefined for a code that is wrong, used or expired. */
export async function spendBindingCode(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  code: string,
): Promise<number | undefined> {
  const row = await db
    .deleteFrom('oauth_states')
    .where('state_hash', '=', hashOf(code))
    .where('provider', '=', 'telegram')
    .returning(['user_id', 'expires_time'])
    .executeTakeFirst();
  return row && row.expires_time > now() ? (row.user_id ?? undefined) : undefined;
}

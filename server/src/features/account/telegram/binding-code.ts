import type { TelegramCode } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import { fingerprint, randomText } from '#secrets.ts';

const LIFETIME_S = 180;
const LENGTH = 10;

const hashOf = (code: string): string => fingerprint(`telegram ${code}`);

/** A code with which a Telegram account can be bound to an account here, once; earlier ones are worth nothing any more. */
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

/** Whose code it is; it is used up by asking. Undefined for one that is wrong, used or expired. */
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

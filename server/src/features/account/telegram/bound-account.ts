import { userStatus } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';

/** The account that a Telegram account is connected with. */
export interface BoundAccount {
  id: number;
  username: string;
  group: string;
  /** Credits that can be spent, with those reserved for running calls. */
  quota: number;
  used_quota: number;
  isEnabled: boolean;
}

/** Undefined: no account is connected. */
export async function boundAccount(db: Db, telegramId: number): Promise<BoundAccount | undefined> {
  const row = await db
    .selectFrom('identities')
    .innerJoin('users', 'users.id', 'identities.user_id')
    .where('identities.provider', '=', 'telegram')
    .where('identities.subject', '=', String(telegramId))
    .where('users.deleted_time', 'is', null)
    .select(['users.id', 'users.username', 'users.group', 'users.used_quota', 'users.status'])
    .select((eb) => eb('users.quota', '+', eb.ref('users.held')).as('quota'))
    .executeTakeFirst();
  if (!row) return undefined;
  const { status, ...account } = row;
  return { ...account, isEnabled: status === userStatus.enabled };
}

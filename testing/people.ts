import { role, userStatus } from '@relay-hub/contract';
import type { Insertable } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { hashPassword } from '#passwords.ts';
import { post } from '#quota/ledger.ts';
import type { TestHub } from './hub.ts';
import { ApiClient } from './hub.ts';

export const PASSWORD = 'a-password-of-somebody';
const hash = hashPassword(PASSWORD);

export interface TestAccount {
  id: number;
  username: string;
}

/** An account with a signed-in browser. */
export interface TestPerson extends TestAccount {
  client: ApiClient;
}

let count = 0;

/** Inserts an account; by default an enabled plain user in the group `default`. */
export async function addAccount(
  { server }: TestHub,
  { quota = 0, ...more }: Partial<Insertable<Tables['users']>> = {},
): Promise<TestAccount> {
  const { db, now } = server.deps;
  const username = `person-${++count}`;
  const hashed = await hash;
  return db.transaction().execute(async (trx) => {
    const account = await trx
      .insertInto('users')
      .values({
        username,
        password_hash: hashed,
        role: role.user,
        status: userStatus.enabled,
        group: 'default',
        created_time: now(),
        ...more,
      })
      .returning(['id', 'username'])
      .executeTakeFirstOrThrow();
    if (quota > 0)
      await post(trx, {
        user_id: account.id,
        kind: 'gift',
        credits: quota,
        reference: `test:${account.id}`,
        actor_id: account.id,
        remark: '',
        created_time: now(),
      });
    return account;
  });
}

/** Adds an account and signs it in. A hub allows twenty sign-ins per address. */
export async function addPerson(hub: TestHub, more: Parameters<typeof addAccount>[1] = {}): Promise<TestPerson> {
  const account = await addAccount(hub, more);
  return { ...account, client: await new ApiClient(hub.url).signIn(account.username, PASSWORD) };
}

/** Inserts a passkey without a usable key; its id. */
export async function addPasskey({ server }: TestHub, userId: number): Promise<number> {
  const { db, now } = server.deps;
  const { id } = await db
    .insertInto('passkeys')
    .values({
      user_id: userId,
      credential_id: `credential-${userId}-${++count}`,
      public_key: '',
      counter: 0,
      transports: '',
      name: 'test',
      host: 'localhost',
      synced: false,
      created_time: now(),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

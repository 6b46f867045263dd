import { createHmac, hkdfSync, randomInt, timingSafeEqual } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { MailPurpose } from '#db/tables/sign-in.ts';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';

/** Lifetime of mailed codes and links, in seconds. */
export const lifetimeS: Record<MailPurpose, number> = { address: 600, login: 180, reset: 600 };

/** Failed attempts before a code is invalidated. */
const TRIES = 5;

type MailCodeDeps = Pick<Deps, 'db' | 'config' | 'now'>;

interface Issued {
  purpose: MailPurpose;
  /** In lower case. */
  email: string;
  /** The requester's browser, so that others asking for the same address neither replace nor consume the code. */
  holder: string;
  userId?: number | undefined;
}

export const newCode = (): string => String(randomInt(1_000_000)).padStart(6, '0');

/** Stores a code, replacing the same holder's earlier one for the address. */
export async function keepCode(
  { db, config, now }: MailCodeDeps,
  { purpose, email, holder, userId }: Issued,
  code: string,
): Promise<void> {
  await db.deleteFrom('mail_codes').where('expires_time', '<=', now()).execute();
  const row = {
    code_hash: hashOf(config.secretKey, purpose, email, code),
    user_id: userId ?? null,
    tries: 0,
    strange_tries: 0,
    expires_time: now() + lifetimeS[purpose],
  };
  await db
    .insertInto('mail_codes')
    .values({ purpose, email, holder, ...row })
    .onConflict((conflict) => conflict.columns(['purpose', 'email', 'holder']).doUpdateSet(row))
    .execute();
}

/** A verified code. It is consumed separately, by `useCode`. */
export interface RightCode {
  purpose: MailPurpose;
  email: string;
  holder: string;
  codeHash: string;
  userId: number | null;
}

/**
 * Checks a code, counting the attempt first. A code for an address may be sent by a program without cookies; those
 * attempts are counted apart from the requesting browser's. Throws `wrong`.
 */
export async function tryCode(
  { db, config, now }: MailCodeDeps,
  { purpose, email, holder }: Issued,
  typed: string,
  wrong: AppError,
): Promise<RightCode> {
  const live = db
    .selectFrom('mail_codes')
    .where('purpose', '=', purpose)
    .where('email', '=', email)
    .where('expires_time', '>', now());
  const own = await live.where('holder', '=', holder).select('holder').executeTakeFirst();
  const found =
    own ??
    (purpose === 'address'
      ? await live.select('holder').orderBy('expires_time', 'desc').orderBy('holder').executeTakeFirst()
      : undefined);
  if (!found) throw wrong;
  const counter = own ? 'tries' : 'strange_tries';
  const row = await db
    .updateTable('mail_codes')
    .set((eb) => ({ [counter]: eb(counter, '+', 1) }))
    .where('purpose', '=', purpose)
    .where('email', '=', email)
    .where('holder', '=', found.holder)
    .where('expires_time', '>', now())
    .where(counter, '<', TRIES)
    .returning(['code_hash', 'user_id'])
    .executeTakeFirst();
  const expected = Buffer.from(row?.code_hash ?? '');
  const given = Buffer.from(hashOf(config.secretKey, purpose, email, typed.replace(/\s/g, '')));
  if (!row || expected.length !== given.length || !timingSafeEqual(expected, given)) throw wrong;
  return { purpose, email, holder: found.holder, codeHash: row.code_hash, userId: row.user_id };
}

/** Consumes a verified code; of two racing requests one succeeds. Throws `wrong`. */
export async function useCode(
  trx: Transaction<Tables>,
  { purpose, email, holder, codeHash }: RightCode,
  wrong: AppError,
): Promise<void> {
  const used = await trx
    .deleteFrom('mail_codes')
    .where('purpose', '=', purpose)
    .where('email', '=', email)
    .where('holder', '=', holder)
    .where('code_hash', '=', codeHash)
    .returning('email')
    .executeTakeFirst();
  if (!used) throw wrong;
}

/** The error for a wrong code in the named field. */
export const wrongCode = (field: string): AppError => new AppError('mail.code', { field });

function hashOf(secretKey: string, purpose: MailPurpose, email: string, code: string): string {
  const key = Buffer.from(hkdfSync('sha256', secretKey, 'relay-hub', 'codes by mail', 32));
  return createHmac('sha256', key).update(`${purpose} ${email} ${code}`).digest('base64url');
}

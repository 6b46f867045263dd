import { randomBytes } from 'node:crypto';
import type { Db } from '#db/tables.ts';
import { fingerprint } from '#secrets.ts';

const CODES = 10;
const LENGTH = 16;
/** 32 characters without look-alikes: 80 bits per code. */
const signs = 'abcdefghjkmnopqrstuvwxyz23456789';

function newCode(): string {
  // 32 divides 256, so the distribution is uniform.
  return [...randomBytes(LENGTH)].map((byte) => signs[byte % 32]).join('');
}

const inFours = (code: string): string => code.match(/.{4}/g)?.join('-') ?? code;

/** Replaces all recovery codes; only hashes are stored. Returns the new codes. */
export async function renewRecoveryCodes(db: Db, userId: number): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode);
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  await db
    .insertInto('recovery_codes')
    .values(codes.map((code) => ({ user_id: userId, code_hash: fingerprint(code) })))
    .execute();
  return codes.map(inFours);
}

/** Consumes a code; false if it is unknown or used. */
export async function spendRecoveryCode(db: Db, userId: number, code: string, now: number): Promise<boolean> {
  const spent = await db
    .updateTable('recovery_codes')
    .set({ used_time: now })
    .where('user_id', '=', userId)
    .where('code_hash', '=', fingerprint(code))
    .where('used_time', '=', 0)
    .returning('user_id')
    .executeTakeFirst();
  return spent !== undefined;
}

import type { TwoStep } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import type { Db, Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import type { Secrets } from '#secrets.ts';
import { renewRecoveryCodes } from './recovery-codes.ts';

const PERIOD_S = 30;
/** Accepted clock drift in periods, either way. */
const WINDOW = 1;

const generator = (seed: string, names: { issuer: string; label: string } = { issuer: '', label: '' }): TOTP =>
  new TOTP({ ...names, algorithm: 'SHA1', digits: 6, period: PERIOD_S, secret: Secret.fromBase32(seed) });

/** 160 random bits, in base 32. */
const newSeed = (): string => new Secret({ size: 20 }).base32;

/** The otpauth URI for a QR code. */
const uriOf = (seed: string, names: { issuer: string; label: string }): string => generator(seed, names).toString();

/** The period that a code belongs to; undefined for a wrong one. */
function periodOf(seed: string, code: string, now: number): number | undefined {
  const delta = generator(seed).validate({ token: code, timestamp: now * 1000, window: WINDOW });
  return delta === null ? undefined : Math.floor(now / PERIOD_S) + delta;
}

/** Whether sign-in takes a second step, and how many recovery codes are left. */
export async function getTwoStep(db: Db, userId: number): Promise<TwoStep> {
  const [totp, codes] = await Promise.all([
    db.selectFrom('totp').where('user_id', '=', userId).select('confirmed_time').executeTakeFirst(),
    db
      .selectFrom('recovery_codes')
      .where('user_id', '=', userId)
      .where('used_time', '=', 0)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow(),
  ]);
  const enabledTime = totp?.confirmed_time ?? 0;
  return { enabled: enabledTime > 0, enabled_time: enabledTime, recovery_left: enabledTime > 0 ? codes.count : 0 };
}

/** Stores a new seed, not active yet, replacing an unconfirmed one. Throws `totp.on`. */
export async function beginTotp(
  db: Db,
  secrets: Secrets,
  userId: number,
  names: { issuer: string; label: string },
): Promise<{ secret: string; uri: string }> {
  const secret = newSeed();
  const seed_cipher = secrets.encrypt(secret);
  const begun = await db
    .insertInto('totp')
    .values({ user_id: userId, seed_cipher })
    .onConflict((clash) =>
      clash.column('user_id').doUpdateSet({ seed_cipher, last_step: 0 }).where('totp.confirmed_time', '=', 0),
    )
    .returning('user_id')
    .executeTakeFirst();
  ensure(begun, 'totp.on');
  return { secret, uri: uriOf(secret, names) };
}

/**
 * Activates the seed if the code matches it. Returns the recovery codes. Throws `totp.on`, `totp.none`, `totp.wrong`.
 */
export async function enableTotp(
  db: Kysely<Tables>,
  secrets: Secrets,
  { userId, code, now }: { userId: number; code: string; now: number },
): Promise<string[]> {
  const begun = await db.selectFrom('totp').where('user_id', '=', userId).selectAll().executeTakeFirst();
  ensure(begun, 'totp.none');
  ensure(begun.confirmed_time === 0, 'totp.on');
  const period = periodOf(secrets.decrypt(begun.seed_cipher), code, now);
  ensure(period !== undefined, 'totp.wrong', { field: 'code' });
  return db.transaction().execute(async (trx) => {
    const enabled = await trx
      .updateTable('totp')
      .set({ confirmed_time: now, last_step: period })
      .where('user_id', '=', userId)
      .where('confirmed_time', '=', 0)
      // Another seed may have been started meanwhile.
      .where('seed_cipher', '=', begun.seed_cipher)
      .returning('user_id')
      .executeTakeFirst();
    ensure(enabled, 'totp.none');
    return renewRecoveryCodes(trx, userId);
  });
}

/** Consumes an app code; false for a wrong or already used one. */
export async function spendTotp(
  db: Db,
  secrets: Secrets,
  { userId, code, now }: { userId: number; code: string; now: number },
): Promise<boolean> {
  const totp = await db
    .selectFrom('totp')
    .where('user_id', '=', userId)
    .where('confirmed_time', '>', 0)
    .select('seed_cipher')
    .executeTakeFirst();
  const period = totp && periodOf(secrets.decrypt(totp.seed_cipher), code, now);
  if (period === undefined) return false;
  const spent = await db
    .updateTable('totp')
    .set({ last_step: period })
    .where('user_id', '=', userId)
    .where('confirmed_time', '>', 0)
    .where('last_step', '<', period)
    .returning('user_id')
    .executeTakeFirst();
  return spent !== undefined;
}

/** Replaces the recovery codes. Throws `totp.off`. */
export async function renewCodes(db: Kysely<Tables>, userId: number): Promise<string[]> {
  return db.transaction().execute(async (trx) => {
    ensure((await getTwoStep(trx, userId)).enabled, 'totp.off');
    return renewRecoveryCodes(trx, userId);
  });
}

/** Removes seed and recovery codes. Returns whether two-step verification was on. */
export async function removeTotp(db: Db, userId: number): Promise<boolean> {
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  const gone = await db.deleteFrom('totp').where('user_id', '=', userId).returning('confirmed_time').executeTakeFirst();
  return (gone?.confirmed_time ?? 0) > 0;
}

import { userStatus } from '@relay-hub/contract';
import { type Kysely, sql } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import type { BaseDeps } from '#base-deps.ts';
import { AppError } from '#errors.ts';
import type { Mailer } from '#mail/mailer.ts';
import { sendMail } from '#mail/send-mail.ts';
import { addEvent } from '#notifications/add-event.ts';
import { notify } from '#notifications/notify.ts';
import type { Settings } from '#settings.ts';
import { creditsText } from '#quota/credits-text.ts';

const DAY_S = 86_400;
const AT_ONCE = 100;
/** Consecutive failures after which the mail server is blamed; the next round retries. */
const MOST_FAILURES = 3;
/** Pause before an address that refused a mail is tried again. */
const RETRY_S = 3600;

/** Ledger kinds that raise a balance on purpose if positive, such as a released dispute; refunds of calls do not. */
const topups = [
  'opening',
  'topup',
  'redemption',
  'gift',
  'reward',
  'refund',
  'dispute',
  'correction',
  'transfer',
] as const;

/** Dependencies of `remindBalances`. */
export type RemindDeps = Pick<BaseDeps, 'db' | 'live' | 'log' | 'now'> & { mailer: Mailer };

/** Ids whose mail failed, with the time of the next attempt. */
export type Failed = Map<number, number>;

interface LowBalance {
  id: number;
  kind: 'person' | 'team';
  username: string;
  email: string;
  language: string;
  /** Below 0: notified, but the mail failed. */
  reminded_time: number;
  balance: number;
  threshold: number;
}

/**
 * Tells and mails users whose balance fell below their threshold since their last reminder or top-up, and of a team its
 * owner and finance members. Each is marked before the mail is sent, so that it is sent at most once, on any node and
 * after any crash. Returns the number of accounts that were mailed.
 */
export async function remindBalances(
  deps: RemindDeps,
  failed: Failed = new Map(),
  isOver: () => boolean = () => false,
): Promise<number> {
  const { db, live, mailer, now } = deps;
  const threshold = thresholdOf(live.settings);
  await forgetReminded(db, threshold, now());
  for (const [id, until] of failed) if (until <= now()) failed.delete(id);
  let sent = 0;
  let failures = 0;
  for (let after = 0; ;) {
    const canMail = mailer.isSetUp();
    const poor = await findPoor(db, threshold, after, canMail);
    for (const account of poor) {
      if (isOver() || failures === MOST_FAILURES) return sent;
      if (failed.has(account.id) || !(await claim(db, account, threshold, canMail ? now() : -now()))) continue;
      const readers = canMail ? await readersOf(db, account) : [];
      if (readers.length === 0) continue;
      if (await remind(deps, account, readers)) {
        sent++;
        failures = 0;
      } else {
        failures++;
        failed.set(account.id, now() + RETRY_S);
      }
    }
    after = poor.at(-1)?.id ?? 0;
    if (poor.length < AT_ONCE) return sent;
  }
}

/**
 * Clears the mark of users with a sufficient balance: immediately after a top-up, else after a day, for example when
 * the threshold was changed back and forth.
 */
async function forgetReminded(db: Db, threshold: Threshold, now: number): Promise<void> {
  // Those whose mail failed, too.
  const sufficient = db
    .selectFrom('users')
    .where('reminded_time', '<', 0)
    .where(balance, '>=', threshold)
    .select(['id', 'reminded_time']);
  const again = await db
    .selectFrom('users')
    .where('reminded_time', '>', 0)
    .where(threshold, '>', 0)
    .where((eb) =>
      eb.or([
        eb.and([eb(balance, '>=', threshold), eb('reminded_time', '<=', now - DAY_S)]),
        eb.exists(
          eb
            .selectFrom('ledger')
            .whereRef('ledger.user_id', '=', 'users.id')
            // In the same second the order is unknown; one mail too few is better than one too many.
            .whereRef('ledger.created_time', '>', 'users.reminded_time')
            .where('ledger.kind', 'in', topups)
            .where('ledger.credits', '>', 0)
            .where('ledger.balance_after', '>=', threshold)
            .select('ledger.id'),
        ),
      ]),
    )
    .select(['id', 'reminded_time'])
    .unionAll(sufficient)
    .execute();
  // One by one: a statement that locks several accounts could deadlock with a batch of calls.
  for (const { id, reminded_time } of again)
    await db
      .updateTable('users')
      .set({ reminded_time: 0 })
      .where('id', '=', id)
      .where('reminded_time', '=', reminded_time)
      .execute();
}

/** Credits reserved by running calls are not spent yet. */
const balance = sql<number>`quota + held`;

/** The threshold of an account: its owner's, else the site's. Only one above zero counts. */
const thresholdOf = ({ QuotaRemindThreshold: site }: Pick<Settings, 'QuotaRemindThreshold'>) =>
  sql<number>`coalesce(users.remind_quota, ${site})`;

type Threshold = ReturnType<typeof thresholdOf>;

/** Those whose mail failed are found again only if it can be sent. */
const isPoor = (db: Db, threshold: Threshold, canMail: boolean) =>
  db
    .selectFrom('users')
    .where('used_quota', '>', 0)
    .where((eb) => {
      const isNew = eb('reminded_time', '=', 0);
      return canMail
        ? eb.or([isNew, eb.and([eb('reminded_time', '<', 0), eb.or([eb('email', '<>', ''), eb('kind', '=', 'team')])])])
        : isNew;
    })
    .where(threshold, '>', 0)
    .where(balance, '<', threshold)
    .where('status', '=', userStatus.enabled)
    .where('deleted_time', 'is', null);

const findPoor = (db: Db, threshold: Threshold, after: number, canMail: boolean): Promise<LowBalance[]> =>
  isPoor(db, threshold, canMail)
    .where('id', '>', after)
    .select(['id', 'kind', 'username', 'email', 'language', 'reminded_time'])
    .select([balance.as('balance'), threshold.as('threshold')])
    .orderBy('id')
    .limit(AT_ONCE)
    .execute();

/** Marks an account with a time (below 0: without a mail) and its event, unless another node has or it has one. */
function claim(db: Kysely<Tables>, account: LowBalance, threshold: Threshold, mark: number): Promise<boolean> {
  const { id, reminded_time: before, balance: left, threshold: limit } = account;
  return db.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('users')
      .set({ reminded_time: mark })
      .where('id', '=', id)
      .where('reminded_time', '=', before)
      .where(balance, '<', threshold)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return false;
    if (before !== 0) return true;
    const data = { balance: left, threshold: limit };
    const now = Math.abs(mark);
    await addEvent(trx, { type: 'balance.low', object: `user:${id}`, userId: id, severity: 'warning', data, now });
    await notify(trx, {
      userId: id,
      kind: 'balanceLow',
      severity: 'warning',
      object_id: 0,
      now,
      params: { left, threshold: limit },
    });
    return true;
  });
}

interface MailReader {
  email: string;
  language: string;
}

/** Who reads mails about an account: its person, or those who pay for a team. */
export async function readersOf(
  db: Db,
  { id, kind, email, language }: Pick<LowBalance, 'id' | 'kind' | 'email' | 'language'>,
): Promise<MailReader[]> {
  if (kind === 'person') return email === '' ? [] : [{ email, language }];
  return db
    .selectFrom('team_members')
    .innerJoin('users', 'users.id', 'team_members.user_id')
    .where('team_id', '=', id)
    .where('team_members.role', 'in', ['owner', 'billing'])
    .where('users.status', '=', userStatus.enabled)
    .where('users.deleted_time', 'is', null)
    .where('users.email', '<>', '')
    .orderBy('users.id')
    .select(['users.email', 'users.language'])
    .execute();
}

/** Whether a mail was accepted. If not, a later round tries again. */
async function remind(
  { db, live, mailer, log, now }: RemindDeps,
  { id, kind, username, balance: left, threshold }: LowBalance,
  readers: readonly MailReader[],
): Promise<boolean> {
  const { settings } = live;
  const base = settings.ServerAddress;
  const page = kind === 'team' ? `panel/team?team=${id}` : 'panel/topup';
  let sent = 0;
  for (const { email, language } of readers)
    try {
      await sendMail({ mailer, live }, email, [language], {
        kind: kind === 'team' ? 'teamLowBalance' : 'lowBalance',
        ...(base !== '' && { link: `${base}/${page}` }),
        values: { username, balance: creditsText(left, settings), threshold: creditsText(threshold, settings) },
      });
      sent++;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      log.warn({ user: id, code: error.code }, 'a balance reminder was not sent');
    }
  if (sent === 0) await db.updateTable('users').set({ reminded_time: -now() }).where('id', '=', id).execute();
  return sent > 0;
}

import { languageCodes, type PlanNames, userStatus } from '@relay-hub/contract';
import { sql } from 'kysely';
import { AppError } from '#errors.ts';
import { sendMail } from '#mail/send-mail.ts';
import { utcText } from '#mail/utc-text.ts';
import { notify } from '#notifications/notify.ts';
import { creditsText } from '#quota/credits-text.ts';
import { type Failed, readersOf, type RemindDeps } from './remind-balances.ts';

const DAY_S = 86_400;
/** Time before a renewal at which its owner is reminded. */
const NOTICE_S = 3 * DAY_S;
/** Shorter periods are not reminded: the mails would never end. */
const SHORTEST_S = 7 * DAY_S;
const AT_ONCE = 200;
/** Pause before a mail that failed is tried again. */
const RETRY_S = 3600;

interface Renewal {
  id: number;
  period: number;
  /** The period of the last reminder; below 0: notified, but the mail failed. */
  reminded_period: number;
  ends: number;
  names: PlanNames;
  price: number;
  user_id: number;
  kind: 'person' | 'team';
  username: string;
  email: string;
  language: string;
  balance: number;
}

/**
 * Tells and mails owners of plans that a renewal will be paid from the balance soon, and whether it covers it, once per
 * period. The notification and the mark are one transaction; the mail follows, at most once. `failed`: subscriptions
 * whose mail failed, with the time of the next attempt. Returns the number of plans of which a mail was sent.
 */
export async function remindRenewals(
  deps: RemindDeps,
  failed: Failed = new Map(),
  isOver: () => boolean = () => false,
): Promise<number> {
  const { db, mailer, now } = deps;
  for (const [id, until] of failed) if (until <= now()) failed.delete(id);
  let sent = 0;
  for (let after = 0; ;) {
    const canMail = mailer.isSetUp();
    const due = await findDue(deps, after, canMail);
    for (const renewal of due) {
      if (isOver()) return sent;
      if (failed.has(renewal.id) || !(await claim(deps, renewal, canMail))) continue;
      const readers = canMail ? await readersOf(db, { ...renewal, id: renewal.user_id }) : [];
      if (readers.length === 0) continue;
      if (await remind(deps, renewal, readers)) sent++;
      else failed.set(renewal.id, now() + RETRY_S);
    }
    if (due.length < AT_ONCE) return sent;
    after = due.at(-1)?.id ?? 0;
  }
}

/** Plans above `after` that renew soon for a price and whose owners have not been told, or mailed if mails can be sent. */
function findDue({ db, now }: RemindDeps, after: number, canMail: boolean): Promise<Renewal[]> {
  const time = now();
  return db
    .selectFrom('subscriptions as s')
    .innerJoin('subscription_periods as period', (join) =>
      join.onRef('period.subscription_id', '=', 's.id').onRef('period.number', '=', 's.period'),
    )
    .innerJoin('plan_versions as version', (join) =>
      join.on('version.id', '=', sql<number>`coalesce(s.next_version_id, s.version_id)`),
    )
    .innerJoin('plans', 'plans.id', 'version.plan_id')
    .innerJoin('users', 'users.id', 's.user_id')
    .where('s.id', '>', after)
    .where('s.status', '=', 'active')
    .where('s.renew', '=', true)
    .where('s.ends', '>', time)
    .where('s.ends', '<=', time + NOTICE_S)
    .where(sql<boolean>`period.ends - period.starts >= ${sql.lit(SHORTEST_S)}`)
    .where(({ eb, and, ref }) =>
      and([
        eb('s.reminded_period', '<>', ref('s.period')),
        ...(canMail ? [] : [eb('s.reminded_period', '<>', sql<number>`-s.period`)]),
      ]),
    )
    .where('users.status', '=', userStatus.enabled)
    .where('users.deleted_time', 'is', null)
    .select(['s.id', 's.period', 's.reminded_period', 's.ends', 's.user_id', 'plans.names', 'version.terms'])
    .select(['users.kind', 'users.username', 'users.email', 'users.language'])
    .select(sql<number>`users.quota + users.held`.as('balance'))
    .orderBy('s.id')
    .limit(AT_ONCE)
    .execute()
    .then((rows) => rows.map(({ terms, ...row }) => ({ ...row, price: terms.price })));
}

/** Marks a period, and notifies its owner the first time, unless another node has or the plan has changed. */
function claim({ db, now }: RemindDeps, renewal: Renewal, canMail: boolean): Promise<boolean> {
  const { id, period, reminded_period: before, ends, user_id: userId, price } = renewal;
  return db.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('subscriptions')
      .set({ reminded_period: canMail ? period : -period })
      .where('id', '=', id)
      .where('period', '=', period)
      .where('reminded_period', '=', before)
      .where('status', '=', 'active')
      .where('renew', '=', true)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return false;
    if (price === 0) return false;
    const params = { plan: nameIn(renewal.names, renewal.language), ends, price, missing: missingOf(renewal) };
    const severity = params.missing > 0 ? 'warning' : 'info';
    const fold = `${id} ${period}`;
    // A mail that failed has its notification.
    if (before !== -period)
      await notify(trx, { userId, kind: 'planRenews', severity, object_id: id, now: now(), fold, params });
    return true;
  });
}

const missingOf = ({ price, balance }: Pick<Renewal, 'price' | 'balance'>): number => Math.max(0, price - balance);

/** The name of a plan in a language, else in any. */
const nameIn = (names: PlanNames, language: string): string => {
  const code = languageCodes.find((each) => each === language) ?? 'en_US';
  return [names[code], names.en_US, ...Object.values(names)].find((name) => name) ?? '';
};

/** Whether a mail was accepted. If not, a later round tries again. */
async function remind(
  { db, live, mailer, log }: RemindDeps,
  renewal: Renewal,
  readers: Awaited<ReturnType<typeof readersOf>>,
): Promise<boolean> {
  const { settings } = live;
  const base = settings.ServerAddress;
  const { id, period, names, ends, price, username, balance } = renewal;
  const missing = missingOf(renewal);
  let sent = 0;
  for (const { email, language } of readers)
    try {
      await sendMail({ mailer, live }, email, [language], {
        kind: 'planRenews',
        ...(base !== '' && { link: `${base}/panel/topup` }),
        values: {
          plan: nameIn(names, language),
          username,
          date: utcText(ends),
          price: creditsText(price, settings),
          balance: creditsText(balance, settings),
          missing: creditsText(missing, settings),
          others: missing,
        },
      });
      sent++;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      log.warn({ subscription: id, code: error.code }, 'a reminder of a renewal was not sent');
    }
  if (sent === 0)
    await db
      .updateTable('subscriptions')
      .set({ reminded_period: -period })
      .where('id', '=', id)
      .where('reminded_period', '=', period)
      .execute();
  return sent > 0;
}

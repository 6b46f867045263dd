import { capName, type LimitMeasure, type LimitPeriod, tokenScope, userStatus } from '@relay-hub/contract';
import { sql } from 'kysely';
import { AppError } from '#errors.ts';
import { type EffectiveCap, effectiveCaps } from '#live/caller-limits.ts';
import type { MailEvent } from '#mail/write-mail.ts';
import type { LimitNoticeKind } from '#i18n/mail-texts.ts';
import { sendMail } from '#mail/send-mail.ts';
import { utcText } from '#mail/utc-text.ts';
import { creditsText } from '#quota/credits-text.ts';
import { addEvent } from '#notifications/add-event.ts';
import { notify } from '#notifications/notify.ts';
import type { RemindDeps } from './remind-balances.ts';

/** Percent of a limit at which events are written; mails are sent from `MAILED` on. */
const levels = [50, 80, 100];
const MAILED = 80;
const AT_ONCE = 500;
/** Limits of a minute or of calls at once are reached and left too quickly for a mail. */
const slow: ReadonlySet<LimitPeriod> = new Set(['hour', 'five_hours', 'day', 'week', 'month']);

interface NearLimit {
  tokenId: number;
  userId: number;
  name: string;
  starts: number;
  ends: number;
  used: number;
  warned_percent: number;
  /** That it has reached, and of its last warning in this period. */
  level: number;
  before: number;
  limit_mails: boolean;
  tokenName: string;
  email: string;
  language: string;
  cap: EffectiveCap;
}

/**
 * Writes an event when a token has used half, most and all of a limit, once per period of it, and mails its user when it
 * is most of it, unless they have turned these mails off. Each limit is marked before its mail is sent, so that it is sent
 * at most once. Returns the number of mails.
 */
export async function remindLimits(deps: RemindDeps, isOver: () => boolean = () => false): Promise<number> {
  const { mailer } = deps;
  let sent = 0;
  for (let after = 0; ;) {
    const { near, last, isFull } = await findNear(deps, after);
    for (const ofUser of Map.groupBy(near, ({ userId }) => userId).values()) {
      if (isOver()) return sent;
      const claimed = [];
      for (const limit of ofUser) if (await claim(deps, limit)) claimed.push(limit);
      const mailed = claimed.filter(
        ({ before, email, level, limit_mails: wanted }) => wanted && email !== '' && before < MAILED && level >= MAILED,
      );
      if (mailed.length > 0 && mailer.isSetUp() && (await remind(deps, mailed))) sent++;
    }
    if (!isFull) return sent;
    after = last;
  }
}

/** Limits of tokens above `after` that are nearly used up and whose users have not been warned. */
async function findNear({ db, now }: RemindDeps, after: number) {
  const tokens = await db
    .selectFrom('limit_counters')
    .where('token_id', '>', after)
    .where('ends', '>', now())
    .where('used', '>', 0)
    .where(isUnwarned)
    .select('token_id')
    .distinct()
    .orderBy('token_id')
    .limit(AT_ONCE)
    .execute();
  const ids = tokens.map(({ token_id }) => token_id);
  if (ids.length === 0) return { near: [], last: 0, isFull: false };
  const rows = await db
    .selectFrom('limit_counters as counter')
    .innerJoin('tokens', 'tokens.id', 'counter.token_id')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .leftJoin('user_groups', 'user_groups.symbol', 'users.group')
    .where('counter.token_id', 'in', ids)
    .where('ends', '>', now())
    .where(isUnwarned)
    .where('users.status', '=', userStatus.enabled)
    .where('tokens.deleted_time', 'is', null)
    .select(['counter.token_id as tokenId', 'counter.name', 'starts', 'ends', 'used'])
    .select(['warned_percent', 'users.id as userId', 'users.limit_mails'])
    .select(['tokens.name as tokenName', 'tokens.limits', 'users.email', 'users.language', 'user_groups.token_limits'])
    .execute();
  const near = rows.flatMap(({ limits, token_limits, ...row }): NearLimit[] => {
    const cap = effectiveCaps(limits, token_limits).find((one) => capName(one) === row.name);
    if (!cap || !slow.has(cap.period)) return [];
    const level = levels.findLast((percent) => row.used * 100 >= cap.amount * percent) ?? 0;
    const before = row.warned_percent;
    return level > before ? [{ ...row, cap, level, before }] : [];
  });
  return { near, last: ids.at(-1) ?? 0, isFull: ids.length === AT_ONCE };
}

const isUnwarned = sql<boolean>`warned_percent < ${sql.lit(Math.max(...levels))}`;

/** Marks a limit and writes its event, unless another node has or its period is over. */
function claim({ db, now }: RemindDeps, limit: NearLimit): Promise<boolean> {
  const { tokenId: id, userId, tokenName, name, starts, ends, used, cap, level, warned_percent } = limit;
  return db.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('limit_counters')
      .set({ warned_percent: level })
      .where('scope', '=', tokenScope(id))
      .where('name', '=', name)
      .where('starts', '=', starts)
      .where('warned_percent', '=', warned_percent)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return false;
    const { measure, period, amount } = cap;
    await addEvent(trx, {
      type: 'key.budget',
      object: `key:${id}`,
      userId,
      severity: level < MAILED ? 'info' : 'warning',
      data: { id, name: tokenName, percent: level, used, limit: amount, measure, period, resets: ends },
      now: now(),
    });
    if (level >= MAILED)
      await notify(trx, {
        userId,
        kind: 'limitNear',
        severity: 'warning',
        object_id: id,
        now: now(),
        fold: `${id} ${name} ${starts}`,
        params: { token: tokenName, measure, used, limit: amount },
      });
    return true;
  });
}

/** Whether the mail was accepted. If not, it is not sent again in this period. */
async function remind({ live, mailer, log }: RemindDeps, limits: readonly NearLimit[]): Promise<boolean> {
  const [first] = limits;
  if (!first) return false;
  const { email, language } = first;
  const base = live.settings.ServerAddress;
  const events = limits.map(({ cap, tokenName, used, ends }): MailEvent => {
    const text = (amount: number) => (cap.measure === 'credits' ? creditsText(amount, live.settings) : String(amount));
    return {
      kind: noticeOf(cap.measure, cap.period),
      values: { token: tokenName, used: text(used), limit: text(cap.amount), resets: utcText(ends) },
    };
  });
  try {
    await sendMail({ mailer, live }, email, [language], {
      kind: 'limitNear',
      ...(base !== '' && { link: `${base}/panel/token` }),
      events,
    });
    return true;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn({ code: error.code }, 'a warning of a limit was not sent');
    return false;
  }
}

const ofCredits: Record<string, LimitNoticeKind> = {
  hour: 'budgetHour',
  five_hours: 'budgetFiveHours',
  day: 'budgetDay',
  week: 'budgetWeek',
  month: 'budgetMonth',
};

const noticeOf = (measure: LimitMeasure, period: LimitPeriod): LimitNoticeKind =>
  measure === 'requests' ? 'requestsDay' : measure === 'tokens' ? 'tokensDay' : (ofCredits[period] ?? 'budgetDay');

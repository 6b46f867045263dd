import { capName, type LimitMeasure, type LimitPeriod, userStatus } from '@relay-hub/contract';
import { sql } from 'kysely';
import { AppError } from '#errors.ts';
import { type EffectiveCap, effectiveCaps } from '#live/caller-limits.ts';
import type { MailEvent } from '#mail/write-mail.ts';
import type { LimitNoticeKind } from '#mail/texts/mail-texts.ts';
import { sendMail } from '#mail/send-mail.ts';
import { utcText } from '#mail/utc-text.ts';
import { creditsText } from '#quota/credits-text.ts';
import { notify } from '#notifications/notify.ts';
import type { RemindDeps } from './remind-balances.ts';

/** Share of a limit from which its user is warned. */
const NEAR = 0.8;
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
  tokenName: string;
  email: string;
  language: string;
  cap: EffectiveCap;
}

/**
 * Mails users whose tokens have used most of a limit, once per period of it, unless they have turned these mails off.
 * Each limit is marked before its mail is sent, so that it is sent at most once. Returns the number of mails.
 */
export async function remindLimits(deps: RemindDeps, isOver: () => boolean = () => false): Promise<number> {
  const { mailer } = deps;
  if (!mailer.isSetUp()) return 0;
  let sent = 0;
  for (let after = 0; ;) {
    const { near, last, isFull } = await findNear(deps, after);
    for (const ofUser of Map.groupBy(near, ({ email }) => email).values()) {
      if (isOver()) return sent;
      const claimed = [];
      for (const limit of ofUser) if (await claim(deps, limit)) claimed.push(limit);
      if (claimed.length > 0 && (await remind(deps, claimed))) sent++;
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
    .whereRef('warned_starts', '<>', 'starts')
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
    .whereRef('warned_starts', '<>', 'starts')
    .where('users.email', '<>', '')
    .where('users.limit_mails', '=', true)
    .where('users.status', '=', userStatus.enabled)
    .where('tokens.deleted_time', 'is', null)
    .select(['counter.token_id as tokenId', 'counter.name', 'starts', 'ends', 'used'])
    .select('users.id as userId')
    .select(['tokens.name as tokenName', 'tokens.limits', 'users.email', 'users.language', 'user_groups.token_limits'])
    .execute();
  const near = rows.flatMap(({ limits, token_limits, ...row }): NearLimit[] => {
    const cap = effectiveCaps(limits, token_limits).find((one) => capName(one) === row.name);
    return cap && slow.has(cap.period) && row.used >= cap.amount * NEAR ? [{ ...row, cap }] : [];
  });
  return { near, last: ids.at(-1) ?? 0, isFull: ids.length === AT_ONCE };
}

/** Marks a limit, unless another node has or its period is over. */
async function claim({ db }: RemindDeps, { tokenId, name, starts }: NearLimit): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('limit_counters')
    .set({ warned_starts: sql.ref<number>('starts') })
    .where('token_id', '=', tokenId)
    .where('name', '=', name)
    .where('starts', '=', starts)
    .where('warned_starts', '<>', starts)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Whether the mail was accepted. If not, it is not sent again in this period. */
async function remind({ db, live, mailer, log, now }: RemindDeps, limits: readonly NearLimit[]): Promise<boolean> {
  const [first] = limits;
  if (!first) return false;
  for (const { tokenId, userId, tokenName, name, starts, used, cap } of limits)
    await notify(db, {
      userId,
      kind: 'limitNear',
      severity: 'warning',
      object_id: tokenId,
      now: now(),
      fold: `${tokenId} ${name} ${starts}`,
      params: { token: tokenName, measure: cap.measure, used, limit: cap.amount },
    });
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

import { tokenStatus, userStatus } from '@relay-hub/contract';
import { sql } from 'kysely';
import { AppError } from '#errors.ts';
import { sendMail } from '#mail/send-mail.ts';
import { utcText } from '#mail/utc-text.ts';
import { addEvent } from '#notifications/add-event.ts';
import { notify } from '#notifications/notify.ts';
import type { RemindDeps } from './remind-balances.ts';

const DAY_S = 86_400;
const AT_ONCE = 500;

interface ExpiringToken {
  id: number;
  userId: number;
  name: string;
  expires: number;
  email: string;
  language: string;
}

/**
 * Tells and mails users whose tokens expire within the days that they chose, once per token and expiry. A token that was created
 * for a shorter time is left out. Each token is marked before its mail is sent, so that it is sent at most once. Returns
 * the number of mails.
 */
export async function remindExpiry(deps: RemindDeps, isOver: () => boolean = () => false): Promise<number> {
  let sent = 0;
  for (let after = 0; ;) {
    const soon = await findExpiring(deps, after);
    for (const ofUser of Map.groupBy(soon, ({ userId }) => userId).values()) {
      if (isOver()) return sent;
      const claimed = [];
      for (const token of ofUser) if (await claim(deps, token)) claimed.push(token);
      if (!deps.mailer.isSetUp() || claimed[0]?.email === '') continue;
      if (claimed.length > 0 && (await remind(deps, claimed))) sent++;
    }
    if (soon.length < AT_ONCE) return sent;
    after = soon.at(-1)?.id ?? 0;
  }
}

/** Tokens above `after` that expire soon and whose users have not been reminded. */
function findExpiring({ db, now }: RemindDeps, after: number): Promise<ExpiringToken[]> {
  const time = now();
  const notice = sql<number>`users.expiry_mail_days * ${sql.lit(DAY_S)}`;
  return db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .where('tokens.id', '>', after)
    .where('tokens.expired_time', '>', time)
    .where('tokens.expired_time', '<=', sql<number>`${time} + ${notice}`)
    .where('tokens.created_time', '<', sql<number>`tokens.expired_time - ${notice}`)
    .whereRef('tokens.reminded_expiry', '<>', 'tokens.expired_time')
    .where('tokens.status', '=', tokenStatus.enabled)
    .where('tokens.deleted_time', 'is', null)
    .where('users.expiry_mail_days', '>', 0)
    .where('users.status', '=', userStatus.enabled)
    .where('users.deleted_time', 'is', null)
    .select(['tokens.id', 'tokens.name', 'tokens.expired_time as expires', 'users.email', 'users.language'])
    .select('users.id as userId')
    .orderBy('tokens.id')
    .limit(AT_ONCE)
    .execute();
}

/** Marks a token and writes its event, unless another node has or its expiry has changed. */
function claim({ db, now }: RemindDeps, { id, userId, name, expires }: ExpiringToken): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('tokens')
      .set({ reminded_expiry: expires })
      .where('id', '=', id)
      .where('expired_time', '=', expires)
      .where('reminded_expiry', '<>', expires)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return false;
    const data = { id, name, expires };
    await addEvent(trx, {
      type: 'key.expiring',
      object: `key:${id}`,
      userId,
      severity: 'warning',
      data,
      now: now(),
    });
    await notify(trx, {
      userId,
      kind: 'tokenExpires',
      severity: 'warning',
      object_id: id,
      now: now(),
      fold: `${id} ${expires}`,
      params: { token: name, expires },
    });
    return true;
  });
}

/** Whether the mail was accepted. If not, it is not sent again for this expiry. */
async function remind({ live, mailer, log }: RemindDeps, tokens: readonly ExpiringToken[]): Promise<boolean> {
  const [first] = tokens;
  if (!first) return false;
  const base = live.settings.ServerAddress;
  const events = tokens.map(({ name, expires }) => ({
    kind: 'tokenExpires' as const,
    values: { token: name, expires: utcText(expires) },
  }));
  try {
    await sendMail({ mailer, live }, first.email, [first.language], {
      kind: 'expiryNear',
      ...(base !== '' && { link: `${base}/panel/token` }),
      events,
    });
    return true;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn({ code: error.code }, 'a reminder of an expiry was not sent');
    return false;
  }
}

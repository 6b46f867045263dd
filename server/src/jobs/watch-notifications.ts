import type { BaseDeps } from '#base-deps.ts';
import type { Db } from '#db/tables.ts';
import { notify } from '#notifications/notify.ts';
import { isFirstNode } from './first-node.ts';
import { repeat } from './repeat.ts';

type WatchDeps = Pick<BaseDeps, 'config' | 'db' | 'log' | 'nodeId' | 'now'>;

const EVERY_MS = 60_000;
const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
const KEPT_S = 30 * DAY_S;
const KEPT_ROWS = 20_000;
/** Refused calls of a token for one reason within an hour. */
const FLOOD = 100;
const AT_ONCE = 50;
/** Orders that are looked at; older ones were seen before. */
const NEWEST_ORDERS = 5_000;

/** Once a minute, on one of the nodes: turns states that need attention into notifications, and deletes old ones. */
export const watchNotifications = (deps: WatchDeps): { stop(): Promise<void> } =>
  repeat({ name: 'states', everyMs: EVERY_MS, failure: 'notifications failed', log: deps.log }, async () => {
    if (await isFirstNode(deps)) await noticeStates(deps.db, deps.now());
  });

/** Each state is reported once, so this can run any number of times. */
export async function noticeStates(db: Db, now: number): Promise<void> {
  await noticeOrders(db, now);
  await noticeBackups(db, now);
  await noticeFloods(db, now);
  await forgetOld(db, now);
}

async function noticeOrders(db: Db, now: number): Promise<void> {
  const orders = await db
    .selectFrom('orders')
    .where('attention', '<>', 'none')
    .where('id', '>', (eb) =>
      eb.selectFrom('orders').select((all) => all(all.fn.max('id'), '-', NEWEST_ORDERS).as('from')),
    )
    .select(['id', 'trade_no', 'attention'])
    .orderBy('id', 'desc')
    .limit(AT_ONCE)
    .execute();
  for (const { id, trade_no, attention } of orders)
    await notifyOnce(db, {
      userId: 0,
      kind: 'order',
      severity: 'warning',
      object_id: id,
      now,
      fold: `${id} ${attention}`,
      params: { attention, trade_no },
    });
}

async function noticeBackups(db: Db, now: number): Promise<void> {
  const failed = await db
    .selectFrom('backups')
    .where('state', '=', 'failed')
    .where('ended_time', '>', now - DAY_S)
    .select(['id', 'error'])
    .execute();
  for (const { id, error } of failed)
    await notifyOnce(db, {
      userId: 0,
      kind: 'backupFailed',
      severity: 'error',
      object_id: id,
      now,
      fold: String(id),
      params: { reason: error },
    });
}

async function noticeFloods(db: Db, now: number): Promise<void> {
  const floods = await db
    .selectFrom('refusals')
    .where('created_at', '>', now - HOUR_S)
    .where('count', '>=', FLOOD)
    .select(['token_id', 'username', 'token_name', 'reason', 'status', 'hour', 'count'])
    .orderBy('created_at', 'desc')
    .limit(AT_ONCE)
    .execute();
  for (const { token_id, username, token_name, reason, status, hour, count } of floods)
    await notifyOnce(db, {
      userId: 0,
      kind: 'refusals',
      severity: 'warning',
      object_id: token_id,
      now,
      fold: `${token_id} ${reason} ${hour}`,
      params: { username, token: token_name, reason, status, calls: count },
    });
}

/** Without counting it again. */
async function notifyOnce(db: Db, what: Parameters<typeof notify>[1] & { fold: string }): Promise<void> {
  const known = await db
    .selectFrom('notifications')
    .where('user_id', '=', what.userId)
    .where('fold', '=', `${what.kind} ${what.fold}`)
    .select('id')
    .executeTakeFirst();
  if (!known) await notify(db, what);
}

async function forgetOld(db: Db, now: number): Promise<void> {
  const beyond = await db
    .selectFrom('notifications')
    .select('id')
    .orderBy('id', 'desc')
    .offset(KEPT_ROWS)
    .limit(1)
    .executeTakeFirst();
  const gone = await db
    .deleteFrom('notifications')
    .where((eb) => eb.or([eb('time', '<', now - KEPT_S), ...(beyond ? [eb('id', '<=', beyond.id)] : [])]))
    .executeTakeFirst();
  if (gone.numDeletedRows === 0n) return;
  await db
    .deleteFrom('notification_reads')
    .where('notification_id', 'not in', (eb) => eb.selectFrom('notifications').select('id'))
    .execute();
}

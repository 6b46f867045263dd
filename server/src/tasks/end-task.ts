import { sql } from 'kysely';
import type { Db } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { addEvent } from '#notifications/add-event.ts';
import { refundCharge, uncountRefund } from '#quota/refund-charge.ts';
import { finalStatuses, plainText, type TaskRow } from './task-rows.ts';

interface TaskFailure {
  status: 'FAILURE' | 'CANCEL';
  reason: string;
  /** Milliseconds since 1970; left out: now. */
  finishMs?: number | undefined;
  /** Nothing is returned. */
  keepsCharge?: boolean;
}

const LONGEST_REASON = 1000;

interface EndedTask {
  task_id: string;
  user_id: number;
  status: 'SUCCESS' | 'FAILURE' | 'CANCEL';
  credits: number;
  now: number;
}

/** Writes the event of a task's end. */
export const tellTaskEnd = (trx: Db, { task_id, user_id: userId, status, credits, now }: EndedTask): Promise<number> =>
  addEvent(trx, { type: 'task.ended', object: `task:${task_id}`, userId, data: { task_id, status, credits }, now });

/**
 * Ends an unfinished task without a result and, as a rule, returns its charge, in one transaction. Returns false if it had ended:
 * of several nodes only one ends it.
 */
export function failTask(
  { db, now: clock }: Pick<Deps, 'db' | 'now'>,
  { id }: Pick<TaskRow, 'id'>,
  { status, reason: text, finishMs, keepsCharge = false }: TaskFailure,
): Promise<boolean> {
  const now = clock();
  const reason = plainText(text, LONGEST_REASON);
  return db.transaction().execute(async (trx) => {
    const task = await trx
      .updateTable('tasks')
      .set({
        status,
        fail_reason: reason,
        progress: 100,
        finish_ms: finishMs ?? now * 1000,
        // A response that its caller has deleted was delivered: its reservation stays charged.
        ...(keepsCharge ? { settled_quota: sql<number>`quota` } : { refunded: sql<boolean>`quota > 0` }),
        next_poll_at: 0,
        updated_at: now,
      })
      .where('id', '=', id)
      .where('status', 'not in', finalStatuses) // the guard: only one of racing nodes ends it
      .returning(['task_id', 'user_id', 'token_id', 'quota', 'token_quota', 'request_id'])
      .executeTakeFirst();
    if (!task) return false;
    const credits = keepsCharge ? task.quota : 0;
    await tellTaskEnd(trx, { ...task, status, credits, now });
    if (task.quota === 0 || keepsCharge) return true;
    await refundCharge(trx, {
      userId: task.user_id,
      tokenId: task.token_id,
      credits: task.quota,
      fromToken: task.token_quota,
      reference: `task:${task.task_id}`,
      remark: reason.slice(0, 200),
      now,
    });
    const row = await trx
      .selectFrom('logs')
      .where('request_id', '=', task.request_id)
      .select(['id', 'metadata'])
      .executeTakeFirst();
    // Old rows may have been deleted; the ledger keeps both entries.
    if (!row) return true;
    await uncountRefund(trx, { tokenId: task.token_id, credits: task.quota }, row.metadata?.limits ?? []);
    await trx
      .updateTable('logs')
      .set({ metadata: JSON.stringify({ ...row.metadata, task_refund: task.quota }) })
      .where('id', '=', row.id)
      .execute();
    return true;
  });
}

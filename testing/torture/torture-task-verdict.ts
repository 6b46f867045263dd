import { isFinalTask } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { TaskSimulator } from '#upstream-simulator/task-services.ts';

export interface TaskVerdict {
  tasks: number;
  /** Numbers of tasks by their last status. */
  ended: Record<string, number>;
  refunded: number;
  /** Tasks that a customer was given and that do not exist, or that have not ended. */
  lost: string[];
  /** Charges, refunds and results that contradict what happened at the service. */
  wrong: string[];
}

/** Compares rows and ledger with what the service did and customers received. */
export async function judgeTasks(
  db: Kysely<Tables>,
  simulator: TaskSimulator,
  received: readonly string[],
): Promise<TaskVerdict> {
  const rows = await db.selectFrom('tasks').selectAll().execute();
  const entries = await db.selectFrom('ledger').where('kind', 'in', ['settle', 'refund']).selectAll().execute();
  const byReference = Map.groupBy(entries, ({ reference }) => reference);
  const creditsOf = (reference: string) => (byReference.get(reference) ?? []).map(({ credits }) => credits);
  const verdict: TaskVerdict = { tasks: rows.length, ended: {}, refunded: 0, lost: [], wrong: [] };
  const known = new Set(rows.map(({ task_id }) => task_id));
  for (const id of received) if (!known.has(id)) verdict.lost.push(`task ${id}: a customer has it, and no row`);
  for (const row of rows) {
    const { task_id, status, quota, request_id, upstream_id } = row;
    const name = `task ${task_id} (${status})`;
    verdict.ended[status] = (verdict.ended[status] ?? 0) + 1;
    if (!isFinalTask(status)) verdict.lost.push(`${name}: it has not ended`);
    const charge = creditsOf(`call:${request_id}`);
    const refund = creditsOf(`task:${task_id}`);
    if (row.refunded) verdict.refunded++;
    if (charge.length !== 1 || charge[0] !== -quota) verdict.wrong.push(`${name}: charged ${charge.join(', ')}`);
    const due = status === 'SUCCESS' ? [] : [quota];
    if (refund.join() !== due.join()) verdict.wrong.push(`${name}: returned ${refund.join(', ')}`);
    const made = simulator.tasks.get(upstream_id);
    const isDelivered = made?.steps.some((step) => step.status === 'SUCCESS' && !step.empty);
    if (status === 'SUCCESS' && !isDelivered) verdict.wrong.push(`${name}: the service did not deliver it`);
    const sentAs = made && ownIdOf(made);
    if (status === 'SUCCESS' && sentAs !== undefined && sentAs !== task_id)
      verdict.wrong.push(`${name}: it has the result of ${sentAs}`);
  }
  const submissions = Map.groupBy(simulator.tasks.values(), ({ id, body }) => ownIdOf({ body }) ?? id);
  for (const [id, made] of submissions)
    if (made.length > 1) verdict.wrong.push(`task ${id}: submitted ${made.length} times`);
  return verdict;
}

/** Our id, at services that keep it. */
function ownIdOf({ body }: { body: Readonly<Record<string, unknown>> }): string | undefined {
  const { state } = body;
  return typeof state === 'string' ? state : undefined;
}

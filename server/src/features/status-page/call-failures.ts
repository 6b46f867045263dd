import { sql } from 'kysely';
import type { Db } from '#db/tables.ts';

interface FailedCalls {
  model: string;
  /** Empty: a failure of a call that was made. */
  endpoint: string;
  hour: number;
  calls: number;
  /** Refused for lack of a channel, so that no other roll-up has it. */
  isRefusal: boolean;
}

/** Failed calls by model and hour, without those that a request or its caller caused. */
export async function callFailures(db: Db, from: number, until: number): Promise<FailedCalls[]> {
  const failed = await sql<Omit<FailedCalls, 'isRefusal' | 'endpoint'>>`
    select model_name as model, hour, sum(calls) as calls from failures
    where hour >= ${from} and hour < ${until} and kind not in ('request', 'caller')
    group by model_name, hour`.execute(db);
  const refused = await db
    .selectFrom('refusals')
    .where('hour', '>=', from)
    .where('hour', '<', until)
    // The index is by time of the last call, which is not before the hour.
    .where('created_at', '>=', from)
    .where('reason', '=', 'no_available_channel')
    .where('status', '=', 503)
    .groupBy(['model_name', 'endpoint', 'hour'])
    .select(({ fn }) => ['model_name as model', 'endpoint', 'hour', fn.sum<number>('count').as('calls')])
    .execute();
  return [
    ...failed.rows.map((row) => ({ ...row, endpoint: '', isRefusal: false })),
    ...refused.map((row) => ({ ...row, isRefusal: true })),
  ];
}

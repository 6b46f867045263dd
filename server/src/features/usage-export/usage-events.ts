import { logType } from '@relay-hub/contract';
import { sql } from 'kysely';
import { byId } from '#db/dialect-differences.ts';
import type { Db } from '#db/tables.ts';
import type { UsageEvent } from '#db/tables/bills.ts';

/** Some events in the order of their ids, and the id up to which they are complete. */
interface ReadUsage {
  events: UsageEvent[];
  position: number;
}

interface Range {
  after: number;
  upTo: number;
  limit: number;
}

/** Charged calls and free ones that were answered; failed ones, and those that came with an import, have no usage. */
export async function callsIn(db: Db, { after, upTo, limit }: Range): Promise<ReadUsage> {
  const { rows } = await sql<{
    id: number;
    type: number;
    request_id: string;
    failed: boolean;
    created_at: number;
    user_id: number;
    token_id: number;
    model_name: string;
    quota: number;
    prompt_tokens: number;
    completion_tokens: number;
    cached_tokens: number;
    metadata: string | { plans?: { credits?: number }[] } | null;
    customer_id: string | null;
    tag: string | null;
  }>`
    select l.id, l.type, l.request_id, l.failed, l.created_at, l.user_id, l.token_id, l.model_name, l.quota,
      l.prompt_tokens, l.completion_tokens, l.cached_tokens, l.metadata, u.customer_id, t.tag
    from (select * from ${byId(db, 'logs')} where id > ${after} and id <= ${upTo} order by id limit ${limit}) l
    left join users u on u.id = l.user_id left join tokens t on t.id = l.token_id
    order by l.id`.execute(db);
  const events = rows.flatMap((row): UsageEvent[] => {
    const metadata =
      typeof row.metadata === 'string' ? (JSON.parse(row.metadata) as typeof row.metadata) : row.metadata;
    const planned = typeof metadata === 'object' ? (metadata?.plans ?? []) : [];
    const credits = planned.reduce((sum, { credits: part = 0 }) => sum + part, row.quota);
    const isUsage = row.type === logType.consume && !row.request_id.startsWith('import-');
    if (!isUsage || (row.failed && credits === 0)) return [];
    return [
      {
        id: `call:${row.request_id}`,
        time: row.created_at,
        customer: row.customer_id ?? '',
        user_id: row.user_id,
        token_id: row.token_id,
        cost_centre: row.tag ?? '',
        model: row.model_name,
        calls: 1,
        input_tokens: row.prompt_tokens,
        output_tokens: row.completion_tokens,
        cached_tokens: row.cached_tokens,
        credits,
      },
    ];
  });
  return { events, position: rows.length < limit ? upTo : (rows.at(-1)?.id ?? upTo) };
}

/** Charges of tasks and batches that were returned, as negative usage. */
export async function returnsIn(db: Db, { after, upTo, limit }: Range): Promise<ReadUsage> {
  const { rows } = await sql<{
    id: number;
    reference: string;
    created_time: number;
    user_id: number;
    credits: number;
    customer_id: string | null;
  }>`
    select l.id, l.reference, l.created_time, l.user_id, l.credits, u.customer_id
    from (
      select * from ${byId(db, 'ledger')} where id > ${after} and id <= ${upTo} and kind = 'refund'
        and reference like 'task:%' order by id limit ${limit}
    ) l left join users u on u.id = l.user_id
    order by l.id`.execute(db);
  const events = rows.map((row): UsageEvent => ({
    id: row.reference,
    time: row.created_time,
    customer: row.customer_id ?? '',
    user_id: row.user_id,
    token_id: 0,
    cost_centre: '',
    model: '',
    calls: 0,
    input_tokens: 0,
    output_tokens: 0,
    cached_tokens: 0,
    credits: -row.credits,
  }));
  return { events, position: rows.length < limit ? upTo : (rows.at(-1)?.id ?? upTo) };
}

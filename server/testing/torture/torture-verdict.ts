import type { LogMetadata } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { CallerSide } from './torture-call.ts';
import type { PlannedCall } from './torture-plan.ts';

/** A call as seen by the upstream. Milliseconds since 1970. */
export interface UpstreamSide {
  arrivedAt: number;
  /** When its reply was sent completely; undefined: never. */
  finishedAt: number | undefined;
}

export interface TorturedCall {
  plan: PlannedCall;
  node: number;
  seen: CallerSide;
  upstream: UpstreamSide | undefined;
}

/** When a process was killed. */
export interface Kill {
  node: number;
  at: number;
}

export interface TortureVerdict {
  charged: number;
  released: number;
  failed: number;
  /** Calls that should have a charge or a row and have none. */
  lost: string[];
  /** Calls with more than one charge or row. */
  doubled: string[];
  /** Rows that contradict what happened. */
  wrong: string[];
}

/** How long a reply may be in transit: what a killed process had read of it is unknown. */
const ON_ITS_WAY_MS = 1_000;

/** Compares the rows with what callers and upstream saw. */
export async function judgeRows(
  db: Kysely<Tables>,
  calls: readonly TorturedCall[],
  kills: readonly Kill[],
): Promise<TortureVerdict> {
  const rows = new Map<string, CallRow[]>();
  for (const row of await db
    .selectFrom('logs')
    .where('model_name', 'like', 'torture-%')
    .select(['model_name', 'quota', 'prompt_tokens', 'failed', 'metadata'])
    .execute()) {
    rows.set(row.model_name, [...(rows.get(row.model_name) ?? []), row]);
  }
  const verdict: TortureVerdict = { charged: 0, released: 0, failed: 0, lost: [], doubled: [], wrong: [] };
  for (const call of calls) judgeCall(verdict, call, rows.get(`torture-${call.plan.n}`) ?? [], kills);
  return verdict;
}

type CallRow = Pick<Tables['logs'], 'model_name' | 'quota' | 'prompt_tokens' | 'failed'> & {
  metadata: LogMetadata | null;
};

/** The maximum cost of a call: its prompt at ratio 1, and its limit of 200 tokens plus a few at 2. */
const mostOf = (n: number): number => 1000 + n + 2 * 208;

function judgeCall(
  verdict: TortureVerdict,
  call: TorturedCall,
  rows: readonly CallRow[],
  kills: readonly Kill[],
): void {
  const { plan, seen, upstream, node } = call;
  const name = `call ${plan.n} (${plan.leave}, ${plan.behaviour.fault ?? plan.behaviour.status ?? 'well'})`;
  if (rows.length > 1) verdict.doubled.push(`${name}: ${rows.length} rows`);
  const [row] = rows;
  if (plan.second !== '') {
    const isServed = upstream !== undefined || seen.status === 200 || (row?.quota ?? 0) > 0;
    if (isServed) verdict.wrong.push(`${name}: a body of two meanings, with ${plan.second}, was served`);
    return;
  }
  if (!row) {
    if (upstream) verdict.lost.push(`${name}: it reached the upstream and has no row`);
    return;
  }
  const outcome = row.metadata?.outcome;
  const whole = upstream?.finishedAt !== undefined && !plan.behaviour.fault && !plan.behaviour.status;
  const killed = kills.some(
    (kill) => kill.node === node && (!upstream?.finishedAt || kill.at < upstream.finishedAt + ON_ITS_WAY_MS),
  );
  if (outcome === 'released') verdict.released++;
  else if (row.failed && row.quota === 0) verdict.failed++;
  else verdict.charged++;

  if (seen.whole && (outcome === 'released' || row.failed)) verdict.lost.push(`${name}: received in full, ${outcome}`);
  else if (whole && !killed && (outcome === 'released' || row.failed))
    verdict.lost.push(`${name}: the upstream finished it, ${outcome}`);
  else if (outcome === 'released' && !killed) verdict.wrong.push(`${name}: released, and nobody was killed`);
  else if (whole && row.metadata?.usage_source === 'upstream' && row.prompt_tokens !== 1000 + plan.n)
    verdict.wrong.push(`${name}: ${row.prompt_tokens} prompt tokens`);
  else if (plan.lies && row.quota > mostOf(plan.n))
    verdict.wrong.push(`${name}: charged ${row.quota} for a usage that cannot be true`);
}

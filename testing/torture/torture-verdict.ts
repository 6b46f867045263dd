import type { LogMetadata } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { CallerSide } from './torture-call.ts';
import { MOST_OUTPUT } from './torture-call.ts';
import { creditsOf, LONG, type PlannedCall } from './torture-plan.ts';

/** A call as seen by the upstream. Milliseconds since 1970. */
export interface UpstreamSide {
  arrivedAt: number;
  /** When its reply was sent completely; undefined: never. */
  finishedAt: number | undefined;
  /** It was asked for the option without a price. */
  askedForSpeed: boolean;
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

/** A frozen node that was presumed dead: its leases were released under its open calls. */
export interface Freeze {
  node: number;
  until: number;
}

export interface TortureVerdict {
  charged: number;
  released: number;
  failed: number;
  /** Charges that were compared with what the upstream billed, by what was particular to them. */
  compared: Record<'plain' | 'long' | 'priority' | 'flex' | 'searches', number>;
  /** Calls that should have a charge or a row and have none. */
  lost: string[];
  /** Calls with more than one charge or row. */
  doubled: string[];
  /** Rows that contradict what happened. */
  wrong: string[];
  /** Calls whose balance did not cover their cost, each with its reason. */
  unpaid: string[];
}

/** How long a reply may be in transit: what a killed process had read of it is unknown. */
const ON_ITS_WAY_MS = 1_000;

/** Compares the rows with what callers and upstream saw. */
export async function judgeRows(
  db: Kysely<Tables>,
  calls: readonly TorturedCall[],
  { kills, freeze }: { kills: readonly Kill[]; freeze: Freeze | undefined },
): Promise<TortureVerdict> {
  const rows = new Map<string, CallRow[]>();
  for (const row of await db
    .selectFrom('logs')
    .where('model_name', 'like', 'torture-%')
    .select(['model_name', 'quota', 'prompt_tokens', 'failed', 'metadata'])
    .execute()) {
    rows.set(row.model_name, [...(rows.get(row.model_name) ?? []), row]);
  }
  const compared = { plain: 0, long: 0, priority: 0, flex: 0, searches: 0 };
  const lists = { lost: [], doubled: [], wrong: [], unpaid: [] };
  const verdict: TortureVerdict = { charged: 0, released: 0, failed: 0, compared, ...lists };
  for (const call of calls) {
    const found = rows.get(`torture-${call.plan.n}`) ?? [];
    judgeCall(verdict, call, found, kills);
    for (const row of found) judgeShortfall(verdict, call, row, freeze);
  }
  return verdict;
}

/**
 * A reservation is paid whatever happens, so a shortfall is at most what the call cost beyond it. Only the leases of a
 * node that was presumed dead cover nothing.
 */
function judgeShortfall(
  { unpaid, wrong }: TortureVerdict,
  { plan, node, upstream }: TorturedCall,
  row: CallRow,
  freeze: Freeze | undefined,
): void {
  const { shortfall = 0, reserved = 0 } = row.metadata ?? {};
  if (shortfall === 0) return;
  const cost = row.quota + shortfall;
  const beyond = Math.max(0, cost - reserved);
  const wasFrozen = freeze?.node === node && (upstream?.arrivedAt ?? Infinity) < freeze.until;
  const reported = `the upstream reported ${row.prompt_tokens} prompt tokens${plan.lies ? ' and an impossible answer' : ''}`;
  const why = shortfall > beyond && wasFrozen ? 'its node was presumed dead' : reported;
  const line = `call ${plan.n} of caller ${plan.caller}: cost ${cost}, reserved ${reserved}, unpaid ${shortfall} (${why})`;
  unpaid.push(line);
  if (shortfall > beyond && !wasFrozen) wrong.push(`${line}: the reservation was not paid`);
}

type CallRow = Pick<Tables['logs'], 'model_name' | 'quota' | 'prompt_tokens' | 'failed'> & {
  metadata: LogMetadata | null;
};

/** Answers within one call whose provider may search, as docs/usage.md bounds them. */
const MOST_TURNS = 100;

/** Highest cost of a call: with its limit of output, and a few tokens more. */
const mostOf = ({ usage, order }: PlannedCall): number =>
  creditsOf({ ...usage, completion: (MOST_OUTPUT + 8) * ('tools' in order ? MOST_TURNS : 1) });

/** Compares a charge with what the upstream billed. */
function judgeCharge(verdict: TortureVerdict, { plan }: TorturedCall, name: string, row: CallRow): void {
  const { usage } = plan;
  const credits = row.quota + (row.metadata?.shortfall ?? 0);
  if (plan.lies) {
    if (credits > mostOf(plan)) verdict.wrong.push(`${name}: charged ${credits} for a usage that cannot be true`);
    return;
  }
  if (credits !== creditsOf(usage)) {
    const what = `${usage.prompt} + ${usage.completion} tokens, ${usage.tier}, ${usage.searches} searches`;
    verdict.wrong.push(`${name}: charged ${credits} instead of ${creditsOf(usage)} for ${what}`);
  }
  const { compared } = verdict;
  const [isLong, isSearch] = [usage.prompt > LONG, usage.searches > 0];
  if (isLong) compared.long++;
  if (isSearch) compared.searches++;
  if (usage.tier !== 'default') compared[usage.tier]++;
  else if (!isLong && !isSearch) compared.plain++;
}

/** Balances and quotas that were ever, or are, below zero. */
export async function overdrawn(db: Kysely<Tables>, userIds: readonly number[]): Promise<string[]> {
  const entries = await db
    .selectFrom('ledger')
    .where('user_id', 'in', userIds)
    .where('balance_after', '<', 0)
    .select(['user_id', 'balance_after'])
    .execute();
  const tokens = await db
    .selectFrom('tokens')
    .where('user_id', 'in', userIds)
    .where('remain_quota', '<', 0)
    .select(['id', 'remain_quota'])
    .execute();
  return [
    ...entries.map((entry) => `balance of user ${entry.user_id}: ${entry.balance_after}`),
    ...tokens.map((token) => `quota of token ${token.id}: ${token.remain_quota}`),
  ];
}

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
  if (plan.refused !== '') {
    const isServed = upstream !== undefined || seen.status === 200 || (row?.quota ?? 0) > 0;
    if (isServed) verdict.wrong.push(`${name}: a body with ${plan.refused} was served`);
    return;
  }
  if (upstream?.askedForSpeed) verdict.wrong.push(`${name}: an option without a price was sent`);
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
  else if (whole && row.metadata?.usage_source === 'upstream') judgeCharge(verdict, call, name, row);
}

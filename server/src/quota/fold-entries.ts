import type { Kysely, Transaction } from 'kysely';
import { locked } from '#db/dialect-differences.ts';
import type { Tables } from '#db/tables.ts';

const DAY_S = 86_400;
/** Entries per transaction, so that the writer is never blocked for long. */
const ENTRIES_AT_ONCE = 300;

type Entry = Pick<Tables['ledger'], 'kind' | 'credits' | 'balance_after' | 'reference' | 'created_time'> & {
  id: number;
};

/** Start of the first UTC day from `from` on, and before `until`, that has charges of calls; undefined: there is none. */
export async function nextDayWithCalls(db: Kysely<Tables>, from: number, until: number): Promise<number | undefined> {
  const { time } = await db
    .selectFrom('ledger')
    .where('kind', '=', 'settle')
    .where('created_time', '>=', from)
    .where('created_time', '<', until)
    .select(({ fn }) => fn.min<number | null>('created_time').as('time'))
    .executeTakeFirstOrThrow();
  return time === null ? undefined : time - (time % DAY_S);
}

/**
 * Folds the charges of each account on a UTC day: charges that follow each other become the last of them, with their sum
 * and the reference `calls:<number>:<id>`. Its balance stays, so the chain of balances holds; an account whose chain does
 * not is left alone. Charges with a row in the log, or of a task, stay. Safe to interrupt and to repeat. Returns how many
 * entries are gone, and the accounts left alone. `rest` is called between transactions.
 */
export async function foldDay(
  db: Kysely<Tables>,
  day: number,
  rest: () => Promise<boolean>,
): Promise<{ gone: number; broken: number[] }> {
  const accounts = await db
    .selectFrom('ledger')
    .where('kind', '=', 'settle')
    .where('created_time', '>=', day)
    .where('created_time', '<', day + DAY_S)
    .groupBy('user_id')
    .select(({ fn }) => ['user_id' as const, fn.min('id').as('first'), fn.max('id').as('last')])
    .execute();
  const folded = { gone: 0, broken: [] as number[] };
  for (const { user_id: userId, first, last } of accounts) {
    for (let from: number | undefined = first; from !== undefined;) {
      const page: FoldedPage = await db
        .transaction()
        .execute((trx) => foldPage(trx, { userId, from: from ?? first, last, day }));
      folded.gone += page.gone;
      if (page.isBroken) folded.broken.push(userId);
      from = page.isBroken ? undefined : page.next;
      if (!(await rest())) return folded;
    }
  }
  return folded;
}

interface FoldedPage {
  gone: number;
  isBroken: boolean;
  /** The entry to go on with; undefined: the account is done. */
  next: number | undefined;
}

async function foldPage(
  trx: Transaction<Tables>,
  { userId, from, last, day }: { userId: number; from: number; last: number; day: number },
): Promise<FoldedPage> {
  // Excludes the signing of days, whose entries must not become part of another day's.
  await locked(trx.selectFrom('log_cleanup').where('id', '=', 1).select('id'), trx).execute();
  const signed = await trx
    .selectFrom('signed_days')
    .where('entries_to', '>=', from)
    .where('entries_to', '<', last)
    .select('entries_to')
    .execute();
  const ends = signed.map(({ entries_to: end }) => end);
  const ofAccount = trx
    .selectFrom('ledger')
    .where('user_id', '=', userId)
    .where('id', '>=', from)
    .where('id', '<=', last);
  const entries = await locked(
    ofAccount
      .select(['id', 'kind', 'credits', 'balance_after', 'reference', 'created_time'])
      .orderBy('id')
      .limit(ENTRIES_AT_ONCE),
    trx,
  ).execute();
  const end = entries.at(-1)?.id ?? last;
  const sum = async () =>
    (
      await ofAccount
        .where('id', '<=', end)
        .select(({ fn }) => fn.sum<number | null>('credits').as('credits'))
        .executeTakeFirstOrThrow()
    ).credits;
  const before = await sum();
  const kept = await keptCalls(trx, userId, entries);
  let gone = 0;
  for (const run of runsOf(entries, (entry) => isFoldable(entry, kept, day), ends)) {
    if (!(await foldRun(trx, userId, run))) return { gone, isBroken: true, next: undefined };
    gone += run.length - 1;
  }
  if ((await sum()) !== before)
    throw new Error(`the entries of user ${userId} have another sum after they were folded`);
  return { gone, isBroken: false, next: entries.length < ENTRIES_AT_ONCE || end === last ? undefined : end };
}

/** Replaces a run by its last entry. False, without changes, if its balances do not follow from its credits. */
async function foldRun(trx: Transaction<Tables>, userId: number, run: readonly Entry[]): Promise<boolean> {
  const [first, last] = [run[0], run.at(-1)];
  if (!first || !last || first === last) return true;
  let balance = first.balance_after - first.credits;
  for (const { credits, balance_after } of run) if ((balance += credits) !== balance_after) return false;
  const calls = run.reduce((count, { reference }) => count + callsIn(reference), 0);
  const { numDeletedRows } = await trx
    .deleteFrom('ledger')
    .where('user_id', '=', userId)
    .where('id', '>=', first.id)
    .where('id', '<', last.id)
    .executeTakeFirst();
  if (Number(numDeletedRows) !== run.length - 1) throw new Error('other entries are between the charges of a run');
  await trx
    .updateTable('ledger')
    .set({
      credits: run.reduce((sum, { credits }) => sum + credits, 0),
      reference: `calls:${calls}:${last.id}`,
      token_id: null,
    })
    .where('id', '=', last.id)
    .execute();
  return true;
}

const folded = /^calls:(\d+):/;
/** Calls that a charge is of. */
export const callsIn = (reference: string): number => Number(folded.exec(reference)?.[1] ?? 1);
const requestOf = (reference: string): string => reference.replace(/^call:/, '');

function isFoldable({ kind, reference, created_time }: Entry, kept: ReadonlySet<string>, day: number): boolean {
  return kind === 'settle' && created_time >= day && created_time < day + DAY_S && !kept.has(requestOf(reference));
}

/** Request ids whose charge is compared with a row or a task. */
async function keptCalls(trx: Transaction<Tables>, userId: number, entries: readonly Entry[]): Promise<Set<string>> {
  const ids = entries.filter(({ kind }) => kind === 'settle').map(({ reference }) => requestOf(reference));
  if (ids.length === 0) return new Set();
  const rows = await trx.selectFrom('logs').where('request_id', 'in', ids).select('request_id').execute();
  const tasks = await trx
    .selectFrom('tasks')
    .where('user_id', '=', userId)
    .where('request_id', 'in', ids)
    .select('request_id')
    .execute();
  return new Set([...rows, ...tasks].map(({ request_id: id }) => id));
}

/** Entries that follow each other and can be folded, at least two; none goes past one of the `ends`. */
function* runsOf(
  entries: readonly Entry[],
  isPart: (entry: Entry) => boolean,
  ends: readonly number[],
): Generator<Entry[]> {
  let run: Entry[] = [];
  for (const entry of entries) {
    const before = run.at(-1)?.id ?? entry.id;
    const isSplit = ends.some((end) => before <= end && end < entry.id);
    if (isSplit || !isPart(entry)) {
      if (run.length > 1) yield run;
      run = [];
    }
    if (isPart(entry)) run.push(entry);
  }
  if (run.length > 1) yield run;
}

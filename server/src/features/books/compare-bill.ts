import { type BillCause, type BillQuestion, type BillReport, type ComparedLine, modelKey } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import type { UsageSums } from '#db/tables/roll-ups.ts';
import { ownUsage } from '#roll-ups/own-usage.ts';
import { usageByGroup } from '#roll-ups/usage-by-group.ts';
import { addUsage, COST_UNITS, noUsage } from '#roll-ups/usage-scope.ts';
import type { WallClock } from '#roll-ups/wall-clock.ts';

const CREDITS_PER_USD = 500_000;
const LISTED = 500;
/** Quantities within this share count as equal: providers and tokenizers count a little differently. */
const SAME = 0.02;
/** Costs within this share count as equal. */
const EQUAL = 0.005;

interface Line extends ComparedLine {
  key: string;
  rows: number;
}

/**
 * Compares the lines of a bill with the roll-ups of its channels. Days are those of `clock`; without `from` and `to`, from
 * the first to the last one of the bill.
 */
export async function compareBill(
  db: Db,
  {
    lines,
    channel_ids: channels,
    rate,
    unit,
    ...span
  }: Omit<BillQuestion, 'time_zone'> & { from?: string; to?: string },
  clock: WallClock,
): Promise<BillReport> {
  const dates = lines.map(({ date }) => date).toSorted();
  const { from = dates[0] ?? '', to = dates.at(-1) ?? '' } = span;
  const found = new Map<string, Line>();
  const lineOf = (date: string, model: string): Line => {
    const key = modelKey(model);
    let line = found.get(`${date} ${key}`);
    if (!line) {
      const sides = { bill: { ...nothing }, ours: { ...nothing }, tests: { ...nothing } };
      line = { ...emptyLine, date, model, models: [], key, rows: 0, ...sides };
      found.set(`${date} ${key}`, line);
    }
    return line;
  };
  for (const { date, model, cost, requests, input, output, rows } of lines) {
    const line = lineOf(date, model);
    const add = { cost: cost === null ? null : cost * rate, requests, input, output };
    for (const name of sides) line.bill[name] = plus(line.bill[name], add[name]);
    line.rows += rows;
  }
  for (const [date, model, sums] of await oursOf(db, channels, { from, to, clock })) {
    const line = lineOf(date, model);
    line.models.push(model);
    line.ours.cost = plus(line.ours.cost, sums.cost / COST_UNITS / CREDITS_PER_USD);
    line.ours.requests = plus(line.ours.requests, sums.request_count - sums.failed_count);
    line.ours.input = plus(line.ours.input, Math.max(sums.prompt_tokens, sums.cache_input));
    line.ours.output = plus(line.ours.output, sums.completion_tokens);
    line.uncosted += sums.quota - sums.costed;
  }
  const hours = { channels, from: clock.startOf(from), until: clock.dayEnd(clock.startOf(to)) };
  for (const { hour, model_name: model, ...sums } of await ownUsage(db, hours)) {
    const { tests } = lineOf(clock.dateOf(hour), model);
    tests.cost = plus(tests.cost, sums.cost / COST_UNITS / CREDITS_PER_USD);
    tests.requests = plus(tests.requests, sums.calls - sums.failed);
    tests.input = plus(tests.input, sums.prompt_tokens);
    tests.output = plus(tests.output, sums.completion_tokens);
  }
  const all = [...found.values()];
  // A file of quantities alone has no costs to compare.
  const hasCosts = lines.some(({ cost }) => cost !== null);
  for (const { bill, ours, tests } of all)
    for (const one of [bill, ours, tests]) if (one.cost !== null) one.cost = rounded(one.cost);
  for (const line of all) line.difference = hasCosts ? rounded((line.bill.cost ?? 0) - (line.ours.cost ?? 0)) : 0;
  const models = Map.groupBy(all, ({ key }) => key);
  for (const line of all)
    Object.assign(line, causeOf(line, { unit: unit * rate, days: models.get(line.key) ?? [line], hasCosts }));
  const order = ({ date, model }: Line) => `${date} ${model}`;
  all.sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference) || (order(a) < order(b) ? -1 : 1));
  const sum = (of: (line: Line) => number) => rounded(all.reduce((total, line) => total + of(line), 0));
  return {
    from,
    to,
    bill: sum(({ bill }) => bill.cost ?? 0),
    ours: sum(({ ours }) => ours.cost ?? 0),
    lines: all.slice(0, LISTED),
    line_count: all.length,
    causes: [...Map.groupBy(all, ({ cause }) => cause)]
      .map(([cause, some]) => ({
        cause,
        lines: some.length,
        difference: rounded(some.reduce((total, { difference }) => total + difference, 0)),
      }))
      .toSorted((a, b) => Math.abs(b.difference) - Math.abs(a.difference)),
  };
}

const sides = ['cost', 'requests', 'input', 'output'] as const;
const nothing: ComparedLine['bill'] = { cost: null, requests: null, input: null, output: null };
const emptyLine = { uncosted: 0, difference: 0, cause: 'none' as const, factor: null };
const plus = (a: number | null, b: number | null): number | null => (b === null ? a : (a ?? 0) + b);
/** Dollars to 10^-9, so that sums of decimals have no binary remainders. */
const rounded = (dollars: number): number => Math.round(dollars * 1e9) / 1e9;
const near = (a: number, b: number, share: number): boolean =>
  Math.abs(a - b) <= share * Math.max(Math.abs(a), Math.abs(b));

interface Circumstances {
  /** Dollars to which each row of the bill may be rounded. */
  unit: number;
  /** All days of the model. */
  days: readonly Line[];
  hasCosts: boolean;
}

function causeOf(line: Line, circumstances: Circumstances): { cause: BillCause; factor: number | null } {
  const cause = causeWithout(line, circumstances);
  if (cause.cause === 'none' || cause.cause === 'rounding' || line.tests.requests === null) return cause;
  // The provider bills the tests of its channels, too.
  const ours = { ...nothing };
  for (const name of sides) ours[name] = plus(line.ours[name], line.tests[name]);
  const tested = causeWithout({ ...line, ours, models: [line.model] }, circumstances).cause;
  return tested === 'none' || tested === 'rounding' ? { cause: 'test', factor: null } : cause;
}

/** The cause without regard to tests. */
function causeWithout(
  line: Line,
  { unit, days, hasCosts }: Circumstances,
): { cause: BillCause; factor: number | null } {
  const { bill, ours, rows, uncosted, models } = line;
  const told = (cause: BillCause, factor: number | null = null) => ({ cause, factor });
  if (rows === 0 && models.length === 0) return told('none');
  if (rows === 0) return told('only_here');
  if (models.length === 0) return told((bill.cost ?? bill.requests ?? bill.input ?? 0) === 0 ? 'none' : 'only_bill');
  const quantities = (['requests', 'input', 'output'] as const).flatMap((name): [number, number][] => {
    const [theirs, mine] = [bill[name], ours[name]];
    return theirs === null || mine === null ? [] : [[theirs, mine]];
  });
  const isSame = quantities.every(([theirs, mine]) => near(theirs, mine, SAME));
  const [cost, ourCost] = [bill.cost ?? 0, ours.cost ?? 0];
  const isEqual = !hasCosts || near(cost, ourCost, EQUAL);
  if (isEqual && isSame) return told('none');
  if (isSame && Math.abs(cost - ourCost) <= (rows * unit) / 2) return told('rounding');
  if (days.length > 1 && hasCosts) {
    const total = (of: (day: Line) => number) => days.reduce((sum, day) => sum + of(day), 0);
    const sums = [total((day) => day.bill.cost ?? 0), total((day) => day.ours.cost ?? 0)] as const;
    if (near(...sums, EQUAL) && days.every((day) => day.uncosted === 0)) return told('day');
  }
  if (!isSame) return told(quantities.some(([theirs, mine]) => theirs > mine * (1 + SAME)) ? 'more' : 'fewer');
  if (uncosted > 0) return told('unknown_cost');
  if (quantities.length === 0) return told('cost');
  return told('price', ourCost > 0 ? Math.round((cost / ourCost) * 1e4) / 1e4 : null);
}

/** Sums of the channels by day and model. */
async function oursOf(
  db: Db,
  channels: readonly number[],
  { from, to, clock }: { from: string; to: string; clock: WallClock },
): Promise<[date: string, model: string, sums: UsageSums][]> {
  const points: { start: number; end: number }[] = [];
  const until = clock.dayEnd(clock.startOf(to));
  for (let start = clock.startOf(from); start < until; start = clock.dayEnd(start))
    points.push({ start, end: clock.dayEnd(start) });
  const sums = new Map<string, [date: string, model: string, sums: UsageSums]>();
  for (const channelId of new Set(channels)) {
    const range = { from: points[0]?.start ?? 0, until, points };
    for (const row of await usageByGroup(db, { by: 'model', scope: { channelId }, ...range })) {
      const date = clock.dateOf(row.start);
      const before = sums.get(`${date} ${row.key}`)?.[2] ?? noUsage;
      sums.set(`${date} ${row.key}`, [date, row.key, addUsage(before, row)]);
    }
  }
  return [...sums.values()];
}

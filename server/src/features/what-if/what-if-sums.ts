import {
  type WhatIfGrouping,
  whatIfGroupings,
  type WhatIfGroup,
  type WhatIfReport,
  type WhatIfSums,
} from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import { COST_UNITS } from '#roll-ups/usage-scope.ts';
import { GroupNames } from '#features/analytics/group-names.ts';
import { pricedAgain, type OtherTerms, type PricedRow } from './price-again.ts';

/** Groups of each kind in a report. */
const MOST_GROUPS = 2000;

export interface SummedRow extends PricedRow {
  user_id: number;
  quota: number;
}

const noSums = (): WhatIfSums => ({
  calls: 0,
  charged: 0,
  would_charge: 0,
  cost: 0,
  would_cost: 0,
  costed: 0,
  would_costed: 0,
});

/** Sums of calls priced again. Costs are thousandths of a credit until the report is made. */
export class WhatIfSummary {
  readonly #terms: OtherTerms;
  readonly #total = noSums();
  readonly #groups = new Map<WhatIfGrouping, Map<string, WhatIfSums>>(whatIfGroupings.map((by) => [by, new Map()]));
  #unpriced = 0;
  #byPlans = 0;
  #uncollected = 0;

  constructor(terms: OtherTerms) {
    this.#terms = terms;
  }

  add(row: SummedRow): void {
    const { metadata, channel_id: channel } = row;
    const again = pricedAgain(row, this.#terms);
    const { plans = [], shortfall = 0, group_name: group = '' } = metadata ?? {};
    if (!again) this.#unpriced++;
    else {
      this.#byPlans += plans.reduce((sum, { credits }) => sum + credits, 0);
      this.#uncollected += shortfall;
    }
    const { charged, wouldCharge, costs, knew, knows } = again ?? {
      charged: row.quota,
      wouldCharge: row.quota,
      costs: [],
      knew: false,
      knows: false,
    };
    const keys = { model: row.model_name, user: String(row.user_id), user_group: group, channel: String(channel) };
    const sums = whatIfGroupings.map((by) => this.#sumsOf(by, keys[by]));
    for (const sum of [this.#total, ...sums]) {
      sum.calls++;
      sum.charged += charged;
      sum.would_charge += wouldCharge;
      if (knew) sum.costed += charged;
      if (knows) sum.would_costed += wouldCharge;
    }
    for (const [id, before, after] of costs) {
      // As in roll-ups, a cost belongs to the channel of its attempt.
      const ofChannel = this.#sumsOf('channel', String(id));
      for (const sum of [this.#total, ...sums.slice(0, -1), ofChannel]) {
        sum.cost += before;
        sum.would_cost += after;
      }
    }
  }

  async report(db: Db, owners: ReadonlyMap<number, string>): Promise<WhatIfReport> {
    const groups: Partial<WhatIfReport['groups']> = {};
    for (const by of whatIfGroupings)
      groups[by] = await namedGroups(db, { by, owners }, this.#groups.get(by) ?? new Map());
    return {
      total: inCredits(this.#total),
      unpriced: this.#unpriced,
      by_plans: this.#byPlans,
      uncollected: this.#uncollected,
      groups: groups as WhatIfReport['groups'], // the loop has set every grouping
    };
  }

  #sumsOf(by: WhatIfGrouping, key: string): WhatIfSums {
    const groups = this.#groups.get(by) ?? new Map<string, WhatIfSums>();
    let sums = groups.get(key);
    if (!sums) groups.set(key, (sums = noSums()));
    return sums;
  }
}

const inCredits = (sums: WhatIfSums): WhatIfSums => ({
  ...sums,
  cost: sums.cost / COST_UNITS,
  would_cost: sums.would_cost / COST_UNITS,
});

const sizeOf = ({ charged, would_charge: would, cost, would_cost: wouldCost }: WhatIfSums): number =>
  Math.abs(would - charged) + Math.abs(wouldCost - cost) / COST_UNITS;

/** Sums with names, the largest difference first, then the largest charge. */
async function namedGroups(
  db: Db,
  { by, owners }: { by: WhatIfGrouping; owners: ReadonlyMap<number, string> },
  found: ReadonlyMap<string, WhatIfSums>,
): Promise<WhatIfGroup[]> {
  const sorted = [...found].toSorted(
    ([a, x], [b, y]) => sizeOf(y) - sizeOf(x) || y.charged - x.charged || (a < b ? -1 : 1),
  );
  const shown = sorted.slice(0, MOST_GROUPS);
  const names = new GroupNames(db, by, owners);
  await names.meet(shown.map(([id]) => id));
  const groups = shown.map(([id, sums]) => ({ id, name: names.of(id), ...inCredits(sums) }));
  if (sorted.length === shown.length) return groups;
  const rest = noSums();
  for (const [, sums] of sorted.slice(MOST_GROUPS))
    for (const name of Object.keys(rest) as (keyof WhatIfSums)[]) rest[name] += sums[name];
  return [...groups, { id: '', name: '', ...inCredits(rest) }];
}

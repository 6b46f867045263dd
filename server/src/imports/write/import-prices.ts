import type { Price } from '@relay-hub/contract';
import { changePrices, type InForce, type PriceToSet } from '#features/price/change-prices.ts';
import { listPrices } from '#features/price/price-queries.ts';
import type { ArrivingPrice } from '#imports/read/arriving-price.ts';
import { keepRecord } from './import-groups.ts';
import { type ImportRun, stateOf } from './record-rules.ts';

interface PricePlan {
  set: PriceToSet[];
  /** States by model, for the records. */
  records: Map<string, string>;
}

const stateOfPrice = ({
  type,
  input,
  output,
  extra_ratios,
  rules = [],
}: Pick<Price, 'type' | 'input' | 'output' | 'extra_ratios' | 'rules'>) =>
  stateOf([
    type,
    input,
    output,
    Object.entries(extra_ratios ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    // Without rules the state is that of earlier versions.
    ...(rules.length === 0 ? [] : [rules]),
  ]);

/** Takes over all prices as one change that can be undone. A price that was entered here by hand stays. */
export async function importPrices(run: ImportRun, prices: ReadonlyMap<string, ArrivingPrice>): Promise<void> {
  const { db, source } = run;
  const rows = await db
    .selectFrom('import_records')
    .where('source', '=', source)
    .where('kind', '=', 'price')
    .select(['old_id', 'old_state', 'new_state'])
    .execute();
  const records = new Map(rows.map((record) => [record.old_id, record]));
  if (!run.apply) {
    planPrices(run, prices, { records, inForce: new Map((await listPrices(db)).map((price) => [price.model, price])) });
    return;
  }
  await changePrices(db, { actorId: run.actorId, now: run.now, source: run.remark }, async (inForce, trx) => {
    const plan = planPrices(run, prices, { records, inForce });
    for (const [model, state] of plan.records) await keepRecord(trx, run, { kind: 'price', oldId: model }, state);
    return { set: plan.set, end: [] };
  });
}

function planPrices(
  { report }: ImportRun,
  prices: ReadonlyMap<string, ArrivingPrice>,
  { records, inForce }: { records: ReadonlyMap<string, { old_state: string; new_state: string }>; inForce: InForce },
): PricePlan {
  const plan: PricePlan = { set: [], records: new Map() };
  for (const [model, price] of prices) {
    const state = stateOfPrice(price);
    const record = records.get(model);
    const here = inForce.get(model);
    const stateHere = here && stateOfPrice(here);
    if (record?.old_state === state || stateHere === state) {
      report.count('price', 'same');
      if (!record) plan.records.set(model, state);
      continue;
    }
    const isOwn = here?.source === 'own' && !(record && stateHere === record.new_state);
    if (isOwn) {
      report.count('price', 'left');
      report.remark('price_own', model);
      continue;
    }
    report.count('price', here ? 'changed' : 'added');
    for (const difference of differencesHere(here)) report.remark('price_differs', `${model}: ${difference}`);
    // The old program charged a price for every length, tier and time; rules here would change it.
    plan.set.push({ ...price, rules: price.rules ?? [], source: 'own' });
    plan.records.set(model, state);
  }
  return plan;
}

/** Kinds of calls that cost more here than their tokens, which the old program charged alike. */
function differencesHere(here: Price | undefined): string[] {
  const fees = here?.fees ?? [];
  return fees.length === 0 ? [] : [`fees here for ${fees.map(({ event }) => event).join(', ')}`];
}

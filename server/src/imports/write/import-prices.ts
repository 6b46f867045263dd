import type { Price, PriceRule } from '@relay-hub/contract';
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
    const isOwn = here?.source === 'own' && !(record && stateHere === record.new_state);
    const isSame = record?.old_state === state || stateHere === state;
    if (isSame || !isOwn)
      for (const difference of differencesHere(price, here, inForce.get(`batch/${model}`)))
        report.remark('price_differs', `${model}: ${difference}`);
    if (isSame) {
      report.count('price', 'same');
      if (!record) plan.records.set(model, state);
      continue;
    }
    if (isOwn) {
      report.count('price', 'left');
      report.remark('price_own', model);
      continue;
    }
    report.count('price', here ? 'changed' : 'added');
    // The old program charged a price for every length, tier and time; rules here would change it.
    plan.set.push({ ...price, rules: price.rules ?? [], source: 'own' });
    plan.records.set(model, state);
  }
  return plan;
}

/** Kinds of calls that are charged otherwise than there, or than here until now. */
function differencesHere(price: ArrivingPrice, here: Price | undefined, batch: Price | undefined): string[] {
  const fees = (here?.fees ?? []).map(({ event }) => event);
  const kept = new Set(priceKinds(price.rules));
  const ended = priceKinds(here?.rules).filter((kind) => !kept.has(kind));
  return [
    ...(fees.length > 0 ? [`fees here for ${fees.join(', ')}`] : []),
    ...(ended.length > 0 ? [`one price as there, while the price here has rules for ${ended.join(', ')}`] : []),
    ...(batch ? [`batches cost what ${batch.model} says here`] : []),
  ];
}

/** Kinds of calls that rules tell apart. */
export const priceKinds = (rules: readonly PriceRule[] = []): string[] => [
  ...new Set(
    rules.flatMap((rule) => [
      ...(rule.zone !== undefined ? ['hours'] : []),
      ...(rule.over !== undefined || rule.up_to !== undefined ? ['lengths'] : []),
      ...(rule.modes ?? []).map((mode) => (mode === 'batch' ? 'batches' : 'tiers')),
      ...(rule.regions ? ['regions'] : []),
      ...(rule.reasoning !== undefined ? ['reasoning'] : []),
    ]),
  ),
];

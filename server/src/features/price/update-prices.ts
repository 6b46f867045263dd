import { createHash, randomUUID } from 'node:crypto';
import type {
  Language,
  ParsedOf,
  PriceChange,
  PricePreview,
  PriceUpdateMode,
  PriceUpdateSource,
} from '@relay-hub/contract';
import type { priceUpdateApi } from '@relay-hub/contract';
import type { Kysely, Transaction } from 'kysely';
import type { Deps } from '#deps.ts';
import type { Tables } from '#db/tables.ts';
import type { PreviewedList } from '#db/tables/models.ts';
import { AppError, ensure } from '#errors.ts';
import { summaryOf } from './public-lists/public-list.ts';
import type { PriceChangeContext, InForce } from './change-prices.ts';
import { changePrices } from './change-prices.ts';
import { differencesOf, planUpdate } from './plan-update.ts';
import { listPrices } from './price-queries.ts';
import type { PriceList } from './price-source.ts';
import { checkRows, readSource } from './price-source.ts';

/** Long enough to review six hundred lines. */
const PREVIEW_SECONDS = 3600;

type ServedCheck = (model: string) => boolean;

/** Reads a source and computes its changes; stores the list, so that exactly this one can be applied. */
export async function previewUpdate(
  deps: Pick<Deps, 'config' | 'db' | 'live'>,
  source: PriceUpdateSource,
  isServed: ServedCheck,
  { actorId, now, language }: PriceChangeContext & { language: Language },
): Promise<PricePreview> {
  const inForce = await pricesInForce(deps.db);
  const { format, prices, rejected, remarks } = await readSource(source, { ...deps, language, inForce, now });
  const list = { prices, refused: namesOf(rejected), isPartial: format !== 'own' };
  const address = source.from === 'address' ? source.address : '';
  const id = randomUUID();
  await deps.db
    .deleteFrom('price_previews')
    .where('created_time', '<', now - PREVIEW_SECONDS)
    .execute();
  await deps.db
    .insertInto('price_previews')
    .values({
      id,
      actor_id: actorId,
      source: address || source.from,
      in_force: fingerprint(inForce),
      list: JSON.stringify(list),
      created_time: now,
    })
    .execute();
  return {
    id,
    from: source.from,
    address,
    format,
    created_time: now,
    total: prices.length + rejected.length,
    own: [...inForce.values()].filter((price) => price.source === 'own').length,
    ...differencesOf(list, inForce, isServed),
    rejected: rejected.map((row) => ({ ...row, kept: inForce.has(row.model) })),
    remarks: summaryOf(remarks),
  };
}

/**
 * Applies a preview, once. Throws `price.preview_gone`; `price.changed_meanwhile` if other prices are active than at
 * the preview; `price.jump` with the models to confirm.
 */
export async function applyUpdate(
  db: Kysely<Tables>,
  { id, ...choice }: ParsedOf<(typeof priceUpdateApi)['apply']>['body'],
  act: PriceChangeContext,
): Promise<PriceChange | null> {
  // The change's record contains its source, so the source is read first.
  const kept = await db.selectFrom('price_previews').where('id', '=', id).selectAll().executeTakeFirst();
  ensure(kept && kept.created_time >= act.now - PREVIEW_SECONDS, 'price.preview_gone');
  // A list without a valid row would only drop prices.
  ensure(kept.list.prices.length > 0, 'price.source_format');
  const { change } = await changePrices(
    db,
    { ...act, kind: 'update', mode: choice.mode, source: kept.source },
    async (inForce, trx) => {
      await takePreview(trx, id);
      ensure(kept.in_force === fingerprint(inForce), 'price.changed_meanwhile');
      const source = kept.source === 'built_in' ? 'built_in' : 'remote';
      return planUpdate(
        differencesOf(kept.list, inForce, () => false),
        choice,
        source,
      );
    },
  );
  return change;
}

/** Only one of two concurrent calls deletes the preview; a rollback restores it. */
async function takePreview(trx: Transaction<Tables>, id: string): Promise<void> {
  const taken = await trx.deleteFrom('price_previews').where('id', '=', id).returning('id').executeTakeFirst();
  ensure(taken, 'price.preview_gone');
}

/** The update of older clients: validates and applies a whole list at once. */
export async function syncPrices(
  db: Kysely<Tables>,
  rows: unknown[],
  mode: PriceUpdateMode,
  { language, ...act }: PriceChangeContext & { language: Language },
): Promise<PriceChange | null> {
  const list = checkRows(rows, language);
  const [wrong] = list.rejected;
  if (wrong)
    throw new AppError('price.source_row', {
      field: [wrong.row - 1, wrong.field].filter((part) => part !== '').join('.'),
      row: wrong.row,
      name: wrong.model,
      column: wrong.field,
      problem: wrong.problem,
    });
  const { change } = await changePrices(db, { ...act, kind: 'update', mode, source: 'list' }, (inForce) =>
    planUpdate(
      differencesOf({ prices: list.prices, refused: [] }, inForce, () => false),
      { mode, leave: [], confirmed: [] },
      'remote',
    ),
  );
  return change;
}

const pricesInForce = async (db: Kysely<Tables>): Promise<InForce> =>
  new Map((await listPrices(db)).map((price) => [price.model, price]));

const namesOf = (rejected: PriceList['rejected']): PreviewedList['refused'] => [
  ...new Set(rejected.map(({ model }) => model).filter((model) => model !== '')),
];

/** Versions are never reused or edited, so they identify the active prices. */
function fingerprint(inForce: InForce): string {
  const versions = [...inForce.values()].map(({ version }) => version).toSorted((a, b) => a - b);
  return createHash('sha256').update(versions.join()).digest('hex');
}

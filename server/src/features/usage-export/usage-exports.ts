import type { NewUsageExport, UsageExport, UsageExportEdit } from '@relay-hub/contract';
import { billingSystems } from '@relay-hub/contract';
import { type Selectable, sql } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { hintOf } from '#secrets.ts';
import { destination, ensureSameDestination } from '#stored-secrets.ts';
import { type BillingTarget, NotTaken, testBillingSystem } from './billing-systems.ts';

export type ExportRow = Selectable<Tables['usage_exports']>;

const MOST_WAITING = 10_000;

export async function listExports(db: Db): Promise<UsageExport[]> {
  const rows = await db.selectFrom('usage_exports').orderBy('name').selectAll().execute();
  return Promise.all(rows.map((row) => shownExport(db, row)));
}

/** Throws `record.exists`, `way.field_needed`, `way.secret`, `outbound.address` and `analytics.future`. */
export async function createExport(
  { db, secrets, now }: Pick<Deps, 'db' | 'secrets' | 'now'>,
  { since, key, secret, ...given }: NewUsageExport,
): Promise<UsageExport> {
  const address = addressOf(given.kind, given.address);
  ensure(given.kind === 'cloudevents' || key !== '', 'way.field_needed', { field: 'key' });
  ensureSecret(secret);
  const row = await db
    .insertInto('usage_exports')
    .values({
      ...given,
      address,
      config_cipher: secrets.encrypt(JSON.stringify({ key, secret })),
      key_hint: key === '' ? '' : hintOf(key),
      signed: secret !== '',
      ...(await positionsSince(db, since, now())),
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returningAll()
    .executeTakeFirst();
  ensure(row, 'record.exists', { field: 'name', name: given.name });
  return shownExport(db, row);
}

/** Throws as `createExport`, `record.not_found` and, if a kept secret would go elsewhere, `channel.key_again`. */
export async function updateExport(
  deps: Pick<Deps, 'db' | 'secrets'>,
  id: number,
  { key, secret, ...given }: UsageExportEdit,
): Promise<UsageExport> {
  const { db, secrets } = deps;
  const before = await exportOf(db, id);
  const kept = targetOf(deps, before);
  const address = addressOf(before.kind, given.address);
  ensureSameDestination(
    destination(before.address),
    destination(address),
    { key: key === '' && kept.key !== '', secret: secret === '' && kept.secret !== '' },
    'channel.key_again',
  );
  ensureSecret(secret);
  const other = await db
    .selectFrom('usage_exports')
    .where('name', '=', given.name)
    .where('id', '<>', id)
    .select('id')
    .executeTakeFirst();
  ensure(!other, 'record.exists', { field: 'name', name: given.name });
  const config = { key: key || kept.key, secret: secret || kept.secret };
  const row = await db
    .updateTable('usage_exports')
    .set({
      ...given,
      address,
      config_cipher: secrets.encrypt(JSON.stringify(config)),
      key_hint: config.key === '' ? '' : hintOf(config.key),
      signed: config.secret !== '',
      failures: 0,
      next_time: 0,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return shownExport(db, row);
}

/** Throws `record.not_found`. */
export async function removeExport(db: Db, id: number): Promise<void> {
  await exportOf(db, id);
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('refused_usage').where('export_id', '=', id).execute();
    await trx.deleteFrom('usage_exports').where('id', '=', id).execute();
  });
}

/** Throws `record.not_found` and `channel.upstream_failed`. */
export async function testExport(
  deps: Pick<Deps, 'config' | 'db' | 'live' | 'now' | 'secrets'>,
  id: number,
): Promise<void> {
  try {
    await testBillingSystem(targetOf(deps, await exportOf(deps.db, id)), deps);
  } catch (error) {
    if (error instanceof NotTaken) throw new AppError('channel.upstream_failed', { reason: error.message });
    throw error;
  }
}

/** Sends all calls since a day again. Throws `record.not_found` and `analytics.future`. */
export async function restartExport(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  id: number,
  since: string,
): Promise<UsageExport> {
  const positions = await positionsSince(db, since, now());
  const row = await db
    .updateTable('usage_exports')
    .set({ ...positions, failures: 0, next_time: 0 })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  ensure(row, 'record.not_found');
  return shownExport(db, row);
}

/** Sends the refused events again. Throws `record.not_found`. */
export async function retryExport(db: Db, id: number): Promise<UsageExport> {
  await exportOf(db, id);
  await db.updateTable('refused_usage').set({ waiting: true }).where('export_id', '=', id).execute();
  await db.updateTable('usage_exports').set({ failures: 0, next_time: 0 }).where('id', '=', id).execute();
  return shownExport(db, await exportOf(db, id));
}

export function targetOf({ secrets }: Pick<Deps, 'secrets'>, row: ExportRow): BillingTarget {
  const { key, secret } = JSON.parse(secrets.decrypt(row.config_cipher)) as Record<'key' | 'secret', string>; // as stored above
  const { kind, address, event, measure } = row;
  return { kind, address, event, measure, key, secret };
}

async function exportOf(db: Db, id: number): Promise<ExportRow> {
  const row = await db.selectFrom('usage_exports').where('id', '=', id).selectAll().executeTakeFirst();
  if (!row) throw new AppError('record.not_found');
  return row;
}

function addressOf(kind: ExportRow['kind'], given: string): string {
  const address = given || billingSystems[kind];
  ensure(address !== '', 'way.field_needed', { field: 'address' });
  const url = URL.parse(address);
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:';
  ensure(url && isHttp && url.username === '' && url.password === '', 'outbound.address', { field: 'address' });
  return address;
}

const ensureSecret = (secret: string): void =>
  ensure(secret === '' || /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret), 'way.secret', { field: 'secret' });

/** Ids before the first call and entry of a day, or the last ones. Throws `analytics.future`. */
async function positionsSince(
  db: Db,
  since: string | undefined,
  now: number,
): Promise<Pick<ExportRow, 'log_position' | 'ledger_position'>> {
  const from = since === undefined ? now + 1 : Date.parse(since) / 1000;
  ensure(since === undefined || from <= now, 'analytics.future', { field: 'since' });
  const { rows } = await sql<{ logs: number; ledger: number; log: number | null; entry: number | null }>`
    select coalesce((select max(id) from logs), 0) as logs, coalesce((select max(id) from ledger), 0) as ledger,
      (select id from logs where created_at >= ${from} order by created_at, id limit 1) as log,
      (select min(id) from ledger where created_time >= ${from}) as entry`.execute(db);
  const [row] = rows;
  const before = (first: number | null | undefined, last: number | undefined) =>
    since === undefined || first === null || first === undefined ? (last ?? 0) : first - 1;
  return { log_position: before(row?.log, row?.logs), ledger_position: before(row?.entry, row?.ledger) };
}

/** With what waits and what was refused, without secrets. */
async function shownExport(
  db: Db,
  { config_cipher: _cipher, log_position: position, ledger_position: _entry, failures: _failures, ...row }: ExportRow,
): Promise<UsageExport> {
  const waiting = await sql<{ count: number; first: number | null }>`
    select count(*) as count, min(created_at) as first
    from (select created_at from logs where id > ${position} order by id limit ${MOST_WAITING}) l`.execute(db);
  const refused = await db
    .selectFrom('refused_usage')
    .where('export_id', '=', row.id)
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max<number | null>('id').as('last')])
    .executeTakeFirstOrThrow();
  const last =
    refused.last === null
      ? undefined
      : await db.selectFrom('refused_usage').where('id', '=', refused.last).select('reason').executeTakeFirst();
  return {
    ...row,
    refused: refused.count,
    last_refusal: last?.reason ?? '',
    waiting: waiting.rows[0]?.count ?? 0,
    waiting_since: waiting.rows[0]?.first ?? 0,
  };
}

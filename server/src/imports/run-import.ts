import { type Price, role, userStatus } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { listPrices } from '#features/price/price-queries.ts';
import { type Change, touch } from '#live/revisions.ts';
import type { Secrets } from '#secrets.ts';
import type { OldWorld } from './read/old-world.ts';
import { readChannels } from './read/read-channels.ts';
import { readCodes } from './read/read-codes.ts';
import { readGateways } from './read/read-gateways.ts';
import { readOptions } from './read/read-options.ts';
import { readOrders } from './read/read-orders.ts';
import { readPasskeys } from './read/read-passkeys.ts';
import { modelsInUse, readPrices } from './read/read-prices.ts';
import { remarkSubscriptions } from './read/remark-subscriptions.ts';
import { readTasks } from './read/read-tasks.ts';
import { readTokens } from './read/read-tokens.ts';
import { type ArrivingUser, isPrivileged, readUsers } from './read/read-users.ts';
import { readWorld } from './read/read-world.ts';
import { Report } from './report.ts';
import type { OldDatabase } from './sources/old-database.ts';
import { channelRules } from './write/channel-rules.ts';
import { codeRules } from './write/code-rules.ts';
import { gatewayRules } from './write/gateway-rules.ts';
import { importGroups } from './write/import-groups.ts';
import { importLogs } from './write/import-logs.ts';
import { importOptions } from './write/import-options.ts';
import { importPrices, priceKinds } from './write/import-prices.ts';
import { importRecords } from './write/import-records.ts';
import { orderRules } from './write/order-rules.ts';
import { passkeyRules } from './write/passkey-rules.ts';
import { type ImportRun, type LinkedKind, linkedKinds } from './write/record-rules.ts';
import { matching, noteKey, remarkStopped, ServedModels, type WorkingKey } from './write/stopped-keys.ts';
import { taskRules } from './write/task-rules.ts';
import { tokenRules } from './write/token-rules.ts';
import { userRules } from './write/user-rules.ts';

/** The import is refused; nothing was written. */
export class ImportError extends Error {}

export interface ImportOptions {
  /** The operator's name for the old database; empty: that of its program. */
  source: string;
  apply: boolean;
  /** Lets imported users in after this run. */
  final: boolean;
  accessTokens: boolean;
  /** Accounts with administrator rights come, and keep them; otherwise they are only listed. */
  administrators?: boolean;
  /** Settings that decide about security come; otherwise they are only listed. */
  securitySettings?: boolean;
  /** Also the calls of the old log. */
  logs?: boolean;
  progress?: ImportRun['progress'];
}

export interface ImportTarget {
  db: Kysely<Tables>;
  secrets: Secrets;
  now: number;
  /** Of this server; default: none. */
  basePath?: string;
}

/**
 * Takes over a database of one-hub, done-hub, one-api or new-api, or only says what would happen. Throws
 * `OldDatabaseError` and `ImportError`.
 */
export async function runImport(
  database: OldDatabase,
  { db, secrets, now, basePath = '' }: ImportTarget,
  options: ImportOptions,
): Promise<{ report: Report; program: string; source: string }> {
  const report = new Report();
  const world = await readWorld(database, report);
  const { program } = world;
  const source = options.source || program;
  const before = await db.selectFrom('imports').where('source', '=', source).selectAll().executeTakeFirst();
  if (before && before.program !== program)
    throw new ImportError(`${source} is the name of an import from ${before.program}. Choose another one with --name.`);
  const run: ImportRun = {
    db,
    secrets,
    now,
    basePath,
    source,
    report,
    run: (before?.runs ?? 0) + 1,
    apply: options.apply,
    pending: !before || before.final_time === 0,
    actorId: await rootId(db),
    remark: source,
    ids: await knownIds(db, source),
    owners: new Map(),
    administrators: options.administrators ?? false,
    securitySettings: options.securitySettings ?? false,
    progress: options.progress ?? (() => {}),
  };
  await refuseAnother(run, database);
  if (options.apply) await beginRun(run, program);
  await importAll(run, world, options);
  if (options.logs) await importLogs(run, database);
  if (options.apply) await endRun(run, options.final);
  return { report, program, source };
}

async function importAll(run: ImportRun, world: OldWorld, { accessTokens, final }: ImportOptions): Promise<void> {
  await importGroups(run, world.groups.values());
  const groups = new Map([...world.groups.values()].map((group) => [group.symbol, group]));
  const users = readUsers(world, { accessTokens, administrators: run.administrators, lost: (id) => noteLost(run, id) });
  await importRecords(run, await userRules(run), noting(run, users));
  await remarkSubscriptions(world);
  await importRecords(run, await passkeyRules(run), readPasskeys(world));
  const keys: WorkingKey[] = [];
  const tokens = collected(readTokens(world), (token) => noteKey(run, keys, token));
  await importRecords(run, await tokenRules(run, groups), tokens);
  const served = new ServedModels();
  await importRecords(
    run,
    channelRules(run),
    collected(readChannels(world), (channel) => served.note(run, channel)),
  );
  const prices = await readPrices(world);
  await importPrices(run, prices);
  const here = await listPrices(run.db);
  const isPriced = matching([...prices.keys(), ...here.map(({ model }) => model)]);
  await remarkUnpriced(run, world, { isPriced, priced: [...prices.keys()], here });
  await remarkStopped(run, keys, { served, isPriced, groups });
  await importOptions(run, readOptions(world));
  await importRecords(run, await codeRules(run), readCodes(world));
  await importRecords(run, await gatewayRules(run, world.options), readGateways(world));
  await importRecords(run, await orderRules(run), readOrders(world, { final }));
  await importRecords(run, await taskRules(run), readTasks(world));
}

async function* collected<T>(arrivals: AsyncIterable<T>, note: (arrival: T) => void): AsyncIterable<T> {
  for await (const arrival of arrivals) {
    note(arrival);
    yield arrival;
  }
}

const noting = (run: ImportRun, users: AsyncIterable<ArrivingUser>): AsyncIterable<ArrivingUser> =>
  collected(users, ({ oldId, group, status, role: is }) => {
    const enabled = status === userStatus.enabled;
    run.owners.set(oldId, { group, enabled, privileged: isPrivileged({ role: is }), lost: false });
  });

const noteLost = (run: ImportRun, id: number): void =>
  void run.owners.set(id, { group: '', enabled: true, privileged: false, lost: true });

/** Models that were called there, at whatever price, and that calls here are refused for. */
async function remarkUnpriced(
  run: ImportRun,
  world: OldWorld,
  { isPriced, priced, here }: { isPriced: (model: string) => boolean; priced: readonly string[]; here: Price[] },
): Promise<void> {
  const wasPriced = matching(priced);
  for (const [model, where] of await modelsInUse(world, run.now)) {
    if (!isPriced(model)) run.report.remark('unpriced', `${model} (${where})`);
    if (!isPriced(model) || wasPriced(model)) continue;
    const kinds = priceKinds(here.find((price) => matching([price.model])(model))?.rules);
    const rules = kinds.length > 0 ? `, with rules for ${kinds.join(', ')}` : '';
    run.report.remark('price_differs', `${model} (${where}): not priced there, at our own price here${rules}`);
  }
}

async function rootId(db: Kysely<Tables>): Promise<number> {
  const root = await db
    .selectFrom('users')
    .where('role', '=', role.root)
    .where('deleted_time', 'is', null)
    .select('id')
    .orderBy('id')
    .executeTakeFirst();
  if (!root) throw new ImportError('There is no super administrator here. Start the server once first.');
  return root.id;
}

async function knownIds(db: Kysely<Tables>, source: string): Promise<ImportRun['ids']> {
  const ids: ImportRun['ids'] = { user: new Map(), token: new Map(), channel: new Map(), gateway: new Map() };
  const rows = await db
    .selectFrom('import_records')
    .where('source', '=', source)
    .where('kind', 'in', linkedKinds)
    .select(['kind', 'old_id', 'new_id'])
    .execute();
  for (const { kind, old_id, new_id } of rows) ids[kind as LinkedKind].set(Number(old_id), new_id);
  return ids;
}

/** Another installation of the same program under the same name would be taken for changes of the first. */
async function refuseAnother({ db, source }: ImportRun, database: OldDatabase): Promise<void> {
  const rows = await db
    .selectFrom('import_records')
    .where('source', '=', source)
    .where('kind', '=', 'user')
    .select(['old_id', 'figures'])
    .execute();
  if (rows.length === 0) return;
  const names = new Map(rows.map(({ old_id, figures }) => [Number(old_id), figures.name]));
  let [same, other] = [0, 0];
  for await (const row of database.rows('users')) {
    const name = names.get(Number(row['id']));
    if (name === undefined) continue;
    if (name === String(row['username']).trim()) same++;
    else other++;
  }
  if (other > same)
    throw new ImportError(
      `Another database was imported under the name ${source}: most users have other names. Choose one with --name.`,
    );
}

async function beginRun({ db, source, now, run }: ImportRun, program: string): Promise<void> {
  await db
    .insertInto('imports')
    .values({ source, program, started_time: now, runs: run })
    .onConflict((conflict) => conflict.column('source').doUpdateSet({ started_time: now, ended_time: 0, runs: run }))
    .execute();
}

const changes: readonly Change[] = ['groups', 'callers', 'routes', 'settings'];

async function endRun({ db, source, now }: ImportRun, isFinal: boolean): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.updateTable('imports').set({ ended_time: now }).where('source', '=', source).execute();
    if (isFinal) {
      for (const [kind, table] of [
        ['user', 'users'],
        ['code', 'redemptions'],
      ] as const)
        await trx
          .updateTable(table)
          .set({ import_pending: false })
          .where('import_pending', '=', true)
          .where('id', 'in', (eb) =>
            eb.selectFrom('import_records').where('source', '=', source).where('kind', '=', kind).select('new_id'),
          )
          .execute();
      await trx.updateTable('imports').set({ final_time: now }).where('source', '=', source).execute();
    }
    for (const change of changes) await touch(trx, change);
  });
}

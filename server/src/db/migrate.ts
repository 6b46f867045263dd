import { setTimeout as rest } from 'node:timers/promises';
import { codeOf } from '#caught-error.ts';
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { Migrator } from 'kysely/migration';
import * as firstPath from './migrations/0001-first-path.ts';
import * as leases from './migrations/0002-leases.ts';
import * as ledger from './migrations/0003-ledger.ts';
import * as priceChanges from './migrations/0004-price-changes.ts';
import * as redemptions from './migrations/0005-redemptions.ts';
import * as logPages from './migrations/0006-log-pages.ts';
import * as accounts from './migrations/0007-accounts.ts';
import * as usageOfUsers from './migrations/0008-usage-of-users.ts';
import * as channelFields from './migrations/0009-channel-fields.ts';
import * as optionHistory from './migrations/0010-option-history.ts';
import * as registration from './migrations/0011-registration.ts';
import * as identities from './migrations/0012-identities.ts';
import * as secondFactor from './migrations/0013-second-factor.ts';
import * as checkImages from './migrations/0014-check-images.ts';
import * as privateNetworks from './migrations/0015-private-networks.ts';
import * as namesAndRoutingFields from './migrations/0016-names-and-routing-fields.ts';
import * as usageWarnings from './migrations/0018-usage-warnings.ts';
import * as refusals from './migrations/0020-refusals.ts';
import * as attemptsOfChannels from './migrations/0021-attempts-of-channels.ts';
import * as payments from './migrations/0022-payments.ts';
import * as registerIp from './migrations/0023-register-ip.ts';
import * as tasks from './migrations/0024-tasks.ts';
import * as taskFiles from './migrations/0025-task-files.ts';
import * as telegramMenus from './migrations/0028-telegram-menus.ts';
import * as upstreamObjects from './migrations/0029-upstream-objects.ts';
import * as tokenLimits from './migrations/0031-token-limits.ts';
import * as imports from './migrations/0032-imports.ts';
import * as familyScope from './migrations/0033-family-scope.ts';
import * as batches from './migrations/0034-batches.ts';
import * as clientSecrets from './migrations/0035-client-secrets.ts';
import * as tokenRotation from './migrations/0036-token-rotation.ts';
import * as backups from './migrations/0038-backups.ts';
import * as minutesAndNotifications from './migrations/0039-minutes-and-notifications.ts';
import * as speedsAndTokens from './migrations/0040-speeds-and-tokens.ts';
import * as sitePictures from './migrations/0041-site-pictures.ts';
import * as backgroundNode from './migrations/0042-background-node.ts';
import * as attemptsByKey from './migrations/0046-attempts-by-key.ts';
import * as callsOfTokens from './migrations/0050-calls-of-tokens.ts';
import * as closedAccounts from './migrations/0051-closed-accounts.ts';
import * as balanceErrors from './migrations/0052-balance-errors.ts';
import * as requestRules from './migrations/0053-request-rules.ts';
import * as cacheAffinity from './migrations/0054-cache-affinity.ts';
import * as priceRules from './migrations/0055-price-rules.ts';
import * as unpricedOptions from './migrations/0056-unpriced-options.ts';
import * as responsesOfUsers from './migrations/0062-responses-of-users.ts';
import * as incidents from './migrations/0064-incidents.ts';
import * as troublesOfNodes from './migrations/0065-troubles-of-nodes.ts';
import * as blocksAndModelSwitch from './migrations/0066-blocks-and-model-switch.ts';
import * as announcementsAndStatus from './migrations/0067-announcements-and-status.ts';
import * as changedUsers from './migrations/0068-changed-users.ts';
import * as skippedTests from './migrations/0070-skipped-tests.ts';
import * as channelCosts from './migrations/0072-channel-costs.ts';
import * as pendingSums from './migrations/0076-pending-sums.ts';
import * as costSums from './migrations/0078-cost-sums.ts';
import * as purchasePrices from './migrations/0080-purchase-prices.ts';
import * as accessKeys from './migrations/0082-access-keys.ts';
import * as signedDays from './migrations/0083-signed-days.ts';
import * as monthsOfUsers from './migrations/0084-months-of-users.ts';
import * as callsByEndpoint from './migrations/0085-calls-by-endpoint.ts';
import * as replyCache from './migrations/0086-reply-cache.ts';
import * as channelLimits from './migrations/0088-channel-limits.ts';
import * as waitsForLimits from './migrations/0089-waits-for-limits.ts';
import * as teams from './migrations/0090-teams.ts';
import * as limitScopes from './migrations/0094-limit-scopes.ts';
import * as plans from './migrations/0095-plans.ts';
import * as virtualModels from './migrations/0098-virtual-models.ts';
import * as tagsForWishes from './migrations/0099-tags-for-wishes.ts';
import * as statesOfNodes from './migrations/0100-states-of-nodes.ts';
import * as monthsOfTheLog from './migrations/0101-months-of-the-log.ts';
import * as daysByUser from './migrations/0102-days-by-user.ts';
import * as leasesOfLimits from './migrations/0103-leases-of-limits.ts';
import * as whatIfs from './migrations/0105-what-ifs.ts';
import * as bills from './migrations/0106-bills.ts';
import * as sourcesOfMembers from './migrations/0111-sources-of-members.ts';
import * as scim from './migrations/0112-scim.ts';
import * as usesOfReplies from './migrations/0113-uses-of-replies.ts';
import * as learntLimits from './migrations/0114-learnt-limits.ts';
import * as versionsOfNodes from './migrations/0115-expand-versions-of-nodes.ts';
import * as archivesOfTheLog from './migrations/0118-expand-archives-of-the-log.ts';
import * as preferencesOfGroups from './migrations/0119-expand-preferences-of-groups.ts';
import * as inviterShares from './migrations/0121-expand-inviter-shares.ts';
import * as usageExports from './migrations/0126-expand-usage-exports.ts';
import * as guardRules from './migrations/0128-expand-guard-rules.ts';
import * as hooksOfGuards from './migrations/0129-expand-hooks-of-guards.ts';
import { isPostgres } from './dialect-differences.ts';
import type { Tables } from './tables.ts';
import type { RegisteredNode } from './tables/site.ts';

/**
 * In order. A migration that has run is never edited. The name says whether nodes of an older version may run
 * meanwhile (decision 0118): one with `expand` only adds what they tolerate, one with `contract` waits until none is
 * running. All others, up to 0114, have to run alone.
 */
export const migrations: Record<string, Migration> = {
  '0001-first-path': firstPath,
  '0002-leases': leases,
  '0003-ledger': ledger,
  '0004-price-changes': priceChanges,
  '0005-redemptions': redemptions,
  '0006-log-pages': logPages,
  '0007-accounts': accounts,
  '0008-usage-of-users': usageOfUsers,
  '0009-channel-fields': channelFields,
  '0010-option-history': optionHistory,
  '0011-registration': registration,
  '0012-identities': identities,
  '0013-second-factor': secondFactor,
  '0014-check-images': checkImages,
  '0015-private-networks': privateNetworks,
  '0016-names-and-routing-fields': namesAndRoutingFields,
  '0018-usage-warnings': usageWarnings,
  '0020-refusals': refusals,
  '0021-attempts-of-channels': attemptsOfChannels,
  '0022-payments': payments,
  '0023-register-ip': registerIp,
  '0024-tasks': tasks,
  '0025-task-files': taskFiles,
  '0028-telegram-menus': telegramMenus,
  '0029-upstream-objects': upstreamObjects,
  '0031-token-limits': tokenLimits,
  '0032-imports': imports,
  '0033-family-scope': familyScope,
  '0034-batches': batches,
  '0035-client-secrets': clientSecrets,
  '0036-token-rotation': tokenRotation,
  '0038-backups': backups,
  '0039-minutes-and-notifications': minutesAndNotifications,
  '0040-speeds-and-tokens': speedsAndTokens,
  '0041-site-pictures': sitePictures,
  '0042-background-node': backgroundNode,
  '0046-attempts-by-key': attemptsByKey,
  '0050-calls-of-tokens': callsOfTokens,
  '0051-closed-accounts': closedAccounts,
  '0052-balance-errors': balanceErrors,
  '0053-request-rules': requestRules,
  '0054-cache-affinity': cacheAffinity,
  '0055-price-rules': priceRules,
  '0056-unpriced-options': unpricedOptions,
  '0062-responses-of-users': responsesOfUsers,
  '0064-incidents': incidents,
  '0065-troubles-of-nodes': troublesOfNodes,
  '0066-blocks-and-model-switch': blocksAndModelSwitch,
  '0067-announcements-and-status': announcementsAndStatus,
  '0068-changed-users': changedUsers,
  '0070-skipped-tests': skippedTests,
  '0072-channel-costs': channelCosts,
  '0076-pending-sums': pendingSums,
  '0078-cost-sums': costSums,
  '0080-purchase-prices': purchasePrices,
  '0082-access-keys': accessKeys,
  '0083-signed-days': signedDays,
  '0084-months-of-users': monthsOfUsers,
  '0085-calls-by-endpoint': callsByEndpoint,
  '0086-reply-cache': replyCache,
  '0088-channel-limits': channelLimits,
  '0089-waits-for-limits': waitsForLimits,
  '0090-teams': teams,
  '0094-limit-scopes': limitScopes,
  '0095-plans': plans,
  '0098-virtual-models': virtualModels,
  '0099-tags-for-wishes': tagsForWishes,
  '0100-states-of-nodes': statesOfNodes,
  '0101-months-of-the-log': monthsOfTheLog,
  '0102-days-by-user': daysByUser,
  '0103-leases-of-limits': leasesOfLimits,
  '0105-what-ifs': whatIfs,
  '0106-bills': bills,
  '0111-sources-of-members': sourcesOfMembers,
  '0112-scim': scim,
  '0113-uses-of-replies': usesOfReplies,
  '0114-learnt-limits': learntLimits,
  '0115-expand-versions-of-nodes': versionsOfNodes,
  '0118-expand-archives-of-the-log': archivesOfTheLog,
  '0119-expand-preferences-of-groups': preferencesOfGroups,
  '0121-expand-inviter-shares': inviterShares,
  '0126-expand-usage-exports': usageExports,
  '0128-expand-guard-rules': guardRules,
  '0129-expand-hooks-of-guards': hooksOfGuards,
};

type Phase = 'expand' | 'contract' | 'alone';

const phaseOf = (name: string): Phase =>
  name.startsWith('expand-', 5) ? 'expand' : name.startsWith('contract-', 5) ? 'contract' : 'alone';

/** The last migration that this build has. */
export const lastMigration = (): string => Object.keys(migrations).toSorted().at(-1) ?? '';

/** Timeout for the lock of a table: statements of running nodes wait behind it. */
const LOCK_MS = 2_000;
const LOCK_TRIES = 30;
const LOCK_REST_MS = 1_000;
const LOCK_NOT_AVAILABLE = '55P03';

/** This build cannot use the database. Nothing was changed. */
export class MigrationError extends Error {}

/** Nodes of an older version are running, which need what the steps would remove. */
class StillNeeded extends Error {}

type IsAlive = (node: RegisteredNode) => boolean;
/** `schema`: the last migration that it knows; absent before 0115. */
type SchemaNode = RegisteredNode & { schema?: string | null };

/** Running nodes that do not know all of the migrations. */
const olderNodes = async (db: Kysely<Tables>, names: readonly string[], isAlive: IsAlive): Promise<SchemaNode[]> => {
  const nodes: SchemaNode[] = await db.selectFrom('nodes').selectAll().execute();
  return nodes.filter((node) => isAlive(node) && names.some((name) => name > (node.schema ?? '')));
};

/**
 * Migrates the database to this build and returns the migrations that ran. While nodes of an older version run, only steps
 * that they tolerate do; `finishUpgrade` has to be called for the others later. Throws `MigrationError` if the database
 * must not be touched.
 */
export async function migrate(db: Kysely<Tables>, isAlive: IsAlive = () => false): Promise<string[]> {
  const executed = await executedIn(db);
  const pending = Object.keys(migrations).filter((name) => !executed.includes(name));
  if (executed.length === 0) return run(db, pending);
  const alone = pending.filter((name) => phaseOf(name) === 'alone');
  const running = alone.length > 0 ? await olderNodes(db, alone, isAlive) : [];
  // A running process of an older build would keep writing the old schema and lose data.
  if (running.length > 0)
    throw new MigrationError(
      `The database has to be brought up to date, and ${running.length} process(es) of an older version are running on it ` +
        `(${running.map(({ host, pid }) => `${host.split(' ')[0]} ${pid}`).join(', ')}). Stop them first; one that was ` +
        'killed is forgotten after a minute.',
    );
  const ran = await run(
    db,
    pending.filter((name) => phaseOf(name) !== 'contract'),
  );
  await finishUpgrade(db, isAlive);
  return ran;
}

/** Runs the steps that had to wait for nodes of older versions. Returns those that still do. */
export async function finishUpgrade(db: Kysely<Tables>, isAlive: IsAlive): Promise<string[]> {
  const waiting = await waitingSteps(db);
  if (waiting.length === 0) return [];
  try {
    // Under the lock that a starting node waits for after it has registered.
    await run(db, waiting, async (trx) => {
      if ((await olderNodes(trx, waiting, isAlive)).length > 0) throw new StillNeeded();
    });
    return [];
  } catch (error) {
    if (error instanceof StillNeeded) return waiting;
    throw error;
  }
}

/** Steps of this build that wait until no node of an older version is running. */
export async function waitingSteps(db: Kysely<Tables>): Promise<string[]> {
  const executed = await executedIn(db);
  return Object.keys(migrations).filter((name) => phaseOf(name) === 'contract' && !executed.includes(name));
}

/** Waits for steps that another node is running. Throws `MigrationError` if this build does not tolerate them. */
export const refuseUntolerated = async (db: Kysely<Tables>): Promise<void> => void (await run(db, []));

/**
 * Runs the given migrations in order, in one transaction on PostgreSQL; those that another process has run are skipped.
 * `guard` runs in it before the first one.
 */
async function run(
  db: Kysely<Tables>,
  wanted: readonly string[],
  guard?: (trx: Kysely<Tables>) => Promise<void>,
): Promise<string[]> {
  for (let tries = 1; ; tries++) {
    const executed = await executedIn(db);
    const newer = untolerated(executed);
    if (newer.length > 0)
      throw new MigrationError(
        `The database was written by a newer version: it has ${newer.join(', ')}, unknown here. Start that version again, or ` +
          'restore the backup from before the upgrade (docs/upgrade.md). Nothing was changed.',
      );
    const isNew = executed.length === 0;
    const steps = Object.fromEntries(executed.map((name): [string, Migration] => [name, { up: async () => {} }]));
    for (const [at, name] of wanted.entries()) {
      const step = migrations[name];
      if (step)
        steps[name] = {
          up: async (trx) => {
            if (at === 0) await guard?.(trx);
            if (phaseOf(name) !== 'alone' && !isNew && isPostgres(trx))
              await sql`set local lock_timeout = ${sql.lit(LOCK_MS)}`.execute(trx);
            await step.up(trx);
          },
        };
    }
    const provider = { getMigrations: async () => steps };
    const { error, results = [] } = await new Migrator({
      db,
      provider,
      allowUnorderedMigrations: true,
    }).migrateToLatest();
    if (!error) return results.map(({ migrationName }) => migrationName);
    if (error instanceof StillNeeded) throw error;
    if (codeOf(error) === LOCK_NOT_AVAILABLE && tries < LOCK_TRIES) await rest(LOCK_REST_MS);
    // Not if another process has run migrations meanwhile.
    else if ((await executedIn(db).catch(() => executed)).length === executed.length) {
      const reason = error instanceof Error ? error.message : 'unknown';
      throw new MigrationError(
        isNew
          ? `The database cannot be brought up to date (${reason}). It was written by another program; nothing in it was replaced.`
          : `The database cannot be brought up to date (${reason}).`,
      );
    }
  }
}

/** Names of the migrations that the database has. */
async function executedIn(db: Kysely<Tables>): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === 'kysely_migration')) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
}

/** Migrations that this build does not know, and that do not only add what it tolerates. */
const untolerated = (schema: readonly string[]): string[] =>
  newerThanThisBuild(schema).filter((name) => phaseOf(name) !== 'expand');

/** Those of the given migrations that this build does not know. */
export const newerThanThisBuild = (schema: readonly string[]): string[] =>
  schema.filter((name) => !(name in migrations));

/** Whether the schema is this build's; steps that wait for older nodes may be missing. */
export async function isCurrent(db: Kysely<Tables>): Promise<boolean> {
  const executed = await executedIn(db);
  return Object.keys(migrations).every((name) => executed.includes(name) || phaseOf(name) === 'contract');
}

/** For tools that read every older schema: throws `MigrationError` for a newer one, and for other databases. */
export async function refuseNewer(db: Kysely<Tables>): Promise<void> {
  const executed = await executedIn(db);
  if (executed.length === 0)
    throw new MigrationError('The database is not one of Relay Hub, or it was never started on it.');
  if (untolerated(executed).length > 0)
    throw new MigrationError('The database was written by a newer version. Use the command of that version.');
}

/** For tools, which never migrate: throws `MigrationError` unless the schema is this build's. */
export async function refuseUnlessCurrent(db: Kysely<Tables>): Promise<void> {
  await refuseNewer(db);
  if (!(await isCurrent(db)))
    throw new MigrationError(
      'The database was written by an older version. Start this one on it once: it brings it up to date.',
    );
}

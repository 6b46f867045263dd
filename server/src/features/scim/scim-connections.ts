import { randomBytes } from 'node:crypto';
import type { ScimConnection } from '@relay-hub/contract';
import type { FastifyRequest } from 'fastify';
import { type Kysely, type Selectable, sql } from 'kysely';
import { given } from '#db/given.ts';
import type { Db, Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { clientIp } from '#http/client-ip.ts';
import { networkOf } from '#http/client-network.ts';
import { noteUse, SEEN_S } from '#http/session/session.ts';
import { fingerprint } from '#secrets.ts';
import { ScimError } from './scim-error.ts';

export type ConnectionRow = Selectable<Tables['scim_connections']>;

const PREFIX = 'scim_';
const WINDOW_S = 1200;

/** The connection whose secret a request bears. Throws 401 otherwise, and `request.too_many` after many attempts. */
export async function connectionOf(request: FastifyRequest, deps: Deps): Promise<ConnectionRow> {
  const { db, now, config, limiter, live } = deps;
  const ip = clientIp(request.raw, config.trustedProxies);
  const secret = /^bearer\s+(scim_[0-9a-f]{40})\s*$/i.exec(request.headers.authorization ?? '')?.[1];
  const found =
    secret === undefined
      ? undefined
      : await db
          .selectFrom('scim_connections')
          .where('secret_hash', '=', fingerprint(secret.toLowerCase()))
          .selectAll()
          .executeTakeFirst();
  if (!found) {
    const seconds = await limiter.hit(`scim:${networkOf(ip)}`, live.settings.CriticalRateLimit * 3, WINDOW_S);
    if (seconds > 0) throw new AppError('request.too_many', { seconds });
    throw new ScimError(401, 'The secret of a SCIM connection is needed in the header Authorization.');
  }
  if (now() - found.used_time > SEEN_S || found.used_ip !== ip)
    noteUse(db.updateTable('scim_connections').set({ used_time: now(), used_ip: ip }).where('id', '=', found.id));
  return found;
}

const shownColumns = (db: Db) =>
  db
    .selectFrom('scim_connections as own')
    .select(['own.id', 'own.name', 'own.hint', 'own.adopts', 'own.admins', 'own.created_time', 'own.used_time'])
    .select('own.used_ip')
    .select(
      sql<number>`(select count(*) from scim_users where connection_id = own.id and deleted_time is null)`.as('users'),
    )
    .select(sql<number>`(select count(*) from scim_groups where connection_id = own.id)`.as('groups'));

/** Oldest first. */
export const listConnections = (db: Db): Promise<ScimConnection[]> => shownColumns(db).orderBy('own.id').execute();

async function getConnection(db: Db, id: number): Promise<ScimConnection> {
  const row = await shownColumns(db).where('own.id', '=', id).executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'id' });
  return row;
}

/** 160 random bits. */
const newSecret = (): string => PREFIX + randomBytes(20).toString('hex');

const secretColumns = (secret: string) => ({
  secret_hash: fingerprint(secret),
  hint: `${secret.slice(0, PREFIX.length + 4)}••••${secret.slice(-4)}`,
  used_time: 0,
  used_ip: '',
});

export async function createConnection(
  db: Db,
  settings: { name: string; adopts: boolean; admins: boolean },
  now: number,
): Promise<{ connection: ScimConnection; secret: string }> {
  const secret = newSecret();
  const { id } = await db
    .insertInto('scim_connections')
    .values({ ...settings, ...secretColumns(secret), created_time: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { connection: await getConnection(db, id), secret };
}

/** Throws `record.not_found`. */
export async function updateConnection(
  db: Db,
  id: number,
  change: { name?: string | undefined; adopts?: boolean | undefined; admins?: boolean | undefined },
): Promise<ScimConnection> {
  const columns = given(change);
  if (Object.keys(columns).length > 0)
    await db.updateTable('scim_connections').set(columns).where('id', '=', id).execute();
  return getConnection(db, id);
}

/** Throws `record.not_found`. */
export async function rotateSecret(db: Db, id: number): Promise<{ connection: ScimConnection; secret: string }> {
  const secret = newSecret();
  await db.updateTable('scim_connections').set(secretColumns(secret)).where('id', '=', id).execute();
  return { connection: await getConnection(db, id), secret };
}

/** Accounts and memberships stay, as if people had given them. Throws `record.not_found`. */
export async function removeConnection(db: Kysely<Tables>, id: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const gone = trx.deleteFrom('scim_connections').where('id', '=', id).returning('id');
    ensure(await gone.executeTakeFirst(), 'record.not_found', { field: 'id' });
    const users = trx.selectFrom('scim_users').where('connection_id', '=', id).select('user_id');
    const members = trx.updateTable('team_members').set({ source: '' }).where('source', '=', 'scim');
    await members.where('user_id', 'in', users).execute();
    await trx.deleteFrom('scim_group_members').where('user_id', 'in', users).execute();
    for (const table of ['scim_users', 'scim_groups'] as const)
      await trx.deleteFrom(table).where('connection_id', '=', id).execute();
  });
}

/** Groups of all connections by name. */
export const listGroups = (db: Db) =>
  db
    .selectFrom('scim_groups as own')
    .select(['own.name', 'own.external_id'])
    .select(sql<number>`(select count(*) from scim_group_members where group_id = own.id)`.as('members'))
    .orderBy('own.name_key')
    .limit(500)
    .execute();

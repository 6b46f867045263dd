import { oneLine, role, userStatus } from '@relay-hub/contract';
import type { FastifyRequest } from 'fastify';
import type { Selectable, Transaction } from 'kysely';
import * as z from 'zod/mini';
import { locked } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';
import { uniqueClash } from '#db/unique-clash.ts';
import type { Deps } from '#deps.ts';
import { endAccess } from '#features/account/access/end-access.ts';
import { cut, freeName } from '#features/account/oauth/name-for.ts';
import { createAccount } from '#features/account/user/create-account.ts';
import { joinTeamsIn } from '#features/team/team-groups.ts';
import { clientIp } from '#http/client-ip.ts';
import { isObject, type Json, listOr, objectOr } from '#json.ts';
import { holdAccounts } from '#quota/ledger.ts';
import type { ConnectionRow } from './scim-connections.ts';
import { ensureScim, ScimError } from './scim-error.ts';
import { patch } from './scim-patch.ts';
import { coreUser, enterpriseUser } from './scim-schemas.ts';
import * as resources from './scim-resources.ts';
import type { ScimCall } from './scim-resources.ts';

type Row = Selectable<Tables['scim_users']>;
type Account = Pick<Selectable<Tables['users']>, 'id' | 'username' | 'role' | 'status' | 'display_name' | 'email'>;

const LARGEST = 64 * 1024;
const taken = 'Another resource of this connection, or another account, has this name or address.';
const protectedAccount = 'This connection may not change an administrator.';

/** The parts of a resource that have an effect, and the rest. */
interface Given {
  userName: string;
  externalId: string;
  active: boolean | undefined;
  displayName: string;
  email: string;
  /** Stored form. */
  resource: Json;
}

const text = z.string().check(z.maxLength(255));
const flag = z.pipe(
  z.union([z.boolean(), z.string()]),
  z.pipe(
    z.transform((value: boolean | string) => String(value).toLowerCase()),
    z.enum(['true', 'false']),
  ),
);
const attributes = z.object({
  userName: text.check(z.trim(), z.minLength(1)),
  externalId: z._default(z.nullable(text), null),
  active: z.optional(flag),
  displayName: z.optional(z.nullable(text)),
});

/** Reads a whole resource. Throws `invalidValue`. */
function readUser(document: Json): Given {
  const parsed = attributes.safeParse(document);
  const [issue] = parsed.error?.issues ?? [];
  ensureScim(parsed.success, 400, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`, 'invalidValue');
  const { userName, externalId, active, displayName } = parsed.data;
  const { id: _id, schemas: _schemas, meta: _meta, groups: _groups, password: _password, ...resource } = document;
  const stored = JSON.stringify(resource);
  ensureScim(
    stored.length <= LARGEST && !stored.includes('\\u0000'),
    400,
    'The resource is too large.',
    'invalidValue',
  );
  const { formatted, givenName, familyName } = objectOr(document['name']);
  const full = [givenName, familyName].filter((part) => typeof part === 'string').join(' ');
  const names = [displayName, formatted, full, userName.replace(/(?<=.)@.*/s, '')];
  const [named = ''] = names.flatMap((name) => (typeof name === 'string' && name.trim() !== '' ? [name] : []));
  return {
    userName,
    externalId: externalId ?? '',
    active: active === undefined ? undefined : active === 'true',
    displayName: cut(oneLine(named), 20),
    email: addressIn(document, userName),
    resource,
  };
}

/** The primary address, else the first, else a user name that is one; empty if an account cannot have it. */
function addressIn(document: Json, userName: string): string {
  const emails = listOr(document['emails']).filter(isObject);
  const primary = emails.find(({ primary: is }) => String(is).toLowerCase() === 'true') ?? emails[0];
  const address = typeof primary?.['value'] === 'string' ? primary['value'].trim() : userName;
  return address.length <= 50 && z.email().safeParse(address).success ? address : '';
}

const isProtected = ({ admins }: ConnectionRow, { role: rank }: Pick<Account, 'role'>): boolean =>
  rank >= role.root || (rank >= role.admin && !admins);

const fullDocument = (row: Row): Json => structuredClone(row.resource);

function shown(row: Row, account: Account, groups: readonly GroupOfUser[], { base }: ScimCall): Json {
  const location = `${base}/Users/${row.user_id}`;
  const { externalId: _externalId, active: _active, ...kept } = row.resource;
  return {
    schemas: [coreUser, ...(Object.hasOwn(kept, enterpriseUser) ? [enterpriseUser] : [])],
    id: String(row.user_id),
    ...(row.external_id !== '' && { externalId: row.external_id }),
    ...kept,
    active: row.active && account.status === userStatus.enabled,
    groups: groups
      .filter(({ user_id: user }) => user === row.user_id)
      .map(({ id, name }) => ({ value: String(id), display: name, $ref: `${base}/Groups/${id}`, type: 'direct' })),
    meta: resources.metaOf('User', row, location),
  };
}

interface GroupOfUser {
  user_id: number;
  id: number;
  name: string;
  external_id: string;
}

export const groupsOf = (db: Db, users: readonly number[]): Promise<GroupOfUser[]> =>
  users.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('scim_group_members as members')
        .innerJoin('scim_groups', 'scim_groups.id', 'members.group_id')
        .where('members.user_id', 'in', users)
        .orderBy('scim_groups.id')
        .select(['members.user_id', 'scim_groups.id', 'scim_groups.name', 'scim_groups.external_id'])
        .execute();

const accountColumns = [
  'users.id',
  'users.username',
  'users.role',
  'users.status',
  'users.display_name',
  'users.email',
] as const;

const rows = (db: Db, { connection }: ScimCall) =>
  db
    .selectFrom('scim_users as own')
    .innerJoin('users', 'users.id', 'own.user_id')
    .where('own.connection_id', '=', connection.id)
    .where('own.deleted_time', 'is', null);

/** Users by `userName`, `externalId`, `id`, `displayName` or `emails.value`. */
export async function listUsers(call: ScimCall, query: resources.ListInput): Promise<Json> {
  const { db } = call.deps;
  let found = rows(db, call);
  const attribute = ['username', 'externalid', 'id', 'displayname', 'emails.value', 'emails.type', 'emails'];
  for (const { path, value } of resources.termsOf(query.filter, attribute)) {
    const lower = value.toLowerCase();
    if (path === 'username') found = found.where('own.user_key', '=', lower);
    else if (path === 'externalid') found = found.where('own.external_id', '=', value);
    else if (path === 'id') found = found.where('own.user_id', '=', /^\d{1,15}$/.test(value) ? Number(value) : 0);
    else if (path === 'displayname') found = found.where('users.display_name', '=', value);
    else if (path !== 'emails.type')
      found = found.where((eb) => eb(eb.fn<string>('lower', ['users.email']), '=', lower));
  }
  const { offset, limit } = resources.pageOf(query);
  const { total } = await found.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const page = await found
    .selectAll('own')
    .select(accountColumns)
    .orderBy('own.user_id')
    .offset(offset)
    .limit(Math.max(1, limit))
    .execute();
  const read = page.slice(0, limit);
  const groups = await groupsOf(
    db,
    read.map(({ user_id }) => user_id),
  );
  return resources.listReply(
    read.map((row) => resources.chosen(shown(row, row, groups, call), query)),
    total,
    offset,
  );
}

/** Throws 404. */
export async function getUser(call: ScimCall, id: number, db: Db = call.deps.db): Promise<Json> {
  const row = await rows(db, call)
    .where('own.user_id', '=', id)
    .selectAll('own')
    .select(accountColumns)
    .executeTakeFirst();
  ensureScim(row, 404, 'The user does not exist.');
  return shown(row, row, await groupsOf(db, [id]), call);
}

/**
 * Creates an account, brings a removed one back, or takes an existing one over if the connection may. Throws 409
 * `uniqueness`.
 */
export async function createUser(call: ScimCall, body: unknown): Promise<Json> {
  const document: Json = {};
  patch(document, [{ op: 'add', value: body }]);
  const given = readUser(document);
  const { user, resource } = await orTaken(() =>
    call.deps.db.transaction().execute(async (trx) => {
      const account = (await formerAccount(trx, call, given)) ?? (await adoptedAccount(trx, call, given));
      const id = account?.id ?? (await newAccount(trx, call, given));
      const self = account ?? (await holdAccount(trx, id));
      await trx.deleteFrom('scim_users').where('user_id', '=', id).where('deleted_time', 'is not', null).execute();
      const { now } = call.deps;
      await trx
        .insertInto('scim_users')
        .values({
          user_id: id,
          connection_id: call.connection.id,
          ...columnsOf(given),
          active: given.active ?? true,
          version: 1,
          created_time: now(),
          changed_time: now(),
        })
        .execute();
      await setActive(trx, self, given.active ?? true);
      await noteUser(trx, call, self, null, given);
      return { user: id, resource: await getUser(call, id, trx) };
    }),
  );
  await call.deps.live.usersChanged(user);
  return resource;
}

const columnsOf = ({ userName, externalId, resource }: Given) => ({
  user_key: userName.toLowerCase(),
  external_id: externalId,
  resource: JSON.stringify(resource),
});

async function holdAccount(trx: Transaction<Tables>, id: number): Promise<Account> {
  const row = trx.selectFrom('users').where('id', '=', id).where('deleted_time', 'is', null).select(accountColumns);
  const account = await locked(row, trx).executeTakeFirst();
  ensureScim(account, 404, 'The user does not exist.');
  return account;
}

/** The account that this connection removed earlier. Throws 409 for a name in use. */
async function formerAccount(
  trx: Transaction<Tables>,
  { connection }: ScimCall,
  { userName, externalId }: Given,
): Promise<Account | undefined> {
  const known = await trx
    .selectFrom('scim_users')
    .where('connection_id', '=', connection.id)
    .where((eb) =>
      eb.or([
        eb('user_key', '=', userName.toLowerCase()),
        ...(externalId === '' ? [] : [eb('external_id', '=', externalId)]),
      ]),
    )
    .select(['user_id', 'deleted_time'])
    .orderBy('deleted_time', 'desc')
    .execute();
  ensureScim(!known.some(({ deleted_time: gone }) => gone === null), 409, taken, 'uniqueness');
  const [former] = known;
  return former && changeable(connection, await holdAccount(trx, former.user_id));
}

function changeable(connection: ConnectionRow, account: Account): Account {
  ensureScim(!isProtected(connection, account), 403, protectedAccount);
  return account;
}

/** The account with the address. Throws 409 unless it is free and the connection may take it over. */
async function adoptedAccount(
  trx: Transaction<Tables>,
  { connection }: ScimCall,
  { email, userName }: Given,
): Promise<Account | undefined> {
  const found = await trx
    .selectFrom('users')
    .where((eb) =>
      eb(
        eb.fn<string>('lower', ['email']),
        'in',
        [email || userName, userName].map((each) => each.toLowerCase()),
      ),
    )
    .where('kind', '=', 'person')
    .where('deleted_time', 'is', null)
    .select('id')
    .execute();
  const [first] = found;
  if (!first) return undefined;
  const managed = await trx
    .selectFrom('scim_users')
    .where('user_id', '=', first.id)
    .where('deleted_time', 'is', null)
    .select('user_id')
    .executeTakeFirst();
  ensureScim(found.length === 1 && connection.adopts && !managed, 409, taken, 'uniqueness');
  return changeable(connection, await holdAccount(trx, first.id));
}

/** A new account, which signs in with OpenID under its user name. */
async function newAccount(trx: Transaction<Tables>, { deps, request }: ScimCall, given: Given): Promise<number> {
  const { userName, displayName, email } = given;
  const named = { provider: 'oidc' as const, username: userName };
  const account = {
    username: await freeName(trx, named),
    display_name: displayName,
    email,
    avatar_url: '',
    password_hash: '',
    aff: '',
  };
  const ip = clientIp(request.raw, deps.config.trustedProxies);
  const id = await createAccount(trx, account, { settings: deps.live.settings, now: deps.now(), ip });
  await awaitSignIn(trx, id, userName);
  return id;
}

async function awaitSignIn(trx: Transaction<Tables>, user: number, userName: string): Promise<void> {
  await trx
    .insertInto('awaited_identities')
    .values({ provider: 'oidc', name: userName.toLowerCase(), user_id: user })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Replaces the attributes of a user; an external id that is left out is kept. */
export const replaceUser = (call: ScimCall, id: number, body: unknown): Promise<Json> =>
  changeUser(call, id, (before) => {
    const document: Json = {};
    patch(document, [{ op: 'add', value: body }]);
    return { externalId: before['externalId'], ...document };
  });

/** Throws 403, 404, 409 `uniqueness`, 412, and `invalidValue`. */
export async function changeUser(call: ScimCall, id: number, change: (document: Json) => Json): Promise<Json> {
  const { deps, connection, request } = call;
  const resource = await orTaken(() =>
    deps.db.transaction().execute(async (trx) => {
      await rowOf(trx, call, id);
      // Accounts before other rows, like the batches of calls.
      const account = await holdAccount(trx, id);
      const row = await rowOf(trx, call, id);
      resources.checkVersion(request, row.version);
      changeable(connection, account);
      const before = readUser(fullDocument(row));
      const given = readUser(change(fullDocument(row)));
      const active = given.active ?? row.active;
      await trx
        .updateTable('scim_users')
        .set({ ...columnsOf(given), active, version: row.version + 1, changed_time: deps.now() })
        .where('user_id', '=', id)
        .execute();
      await changeAccount(trx, account, before, given);
      if (active !== row.active || !active) await setActive(trx, account, active);
      await noteUser(trx, call, account, { ...before, active: row.active }, { ...given, active });
      return getUser(call, id, trx);
    }),
  );
  await deps.live.usersChanged(id);
  return resource;
}

async function rowOf(trx: Transaction<Tables>, { connection }: ScimCall, id: number): Promise<Row> {
  const found = trx.selectFrom('scim_users').where('user_id', '=', id).where('connection_id', '=', connection.id);
  const row = await found.where('deleted_time', 'is', null).selectAll().executeTakeFirst();
  ensureScim(row, 404, 'The user does not exist.');
  return row;
}

/** Keeps what people changed in the meantime, unless the provider changes it as well. */
async function changeAccount(trx: Transaction<Tables>, account: Account, before: Given, given: Given): Promise<void> {
  const change = {
    ...(given.displayName !== before.displayName && { display_name: given.displayName }),
    ...(given.email !== before.email && given.email !== '' && { email: given.email }),
  };
  if (Object.keys(change).length > 0) await trx.updateTable('users').set(change).where('id', '=', account.id).execute();
  if (given.userName.toLowerCase() === before.userName.toLowerCase()) return;
  const waiting = trx.deleteFrom('awaited_identities').where('provider', '=', 'oidc').where('user_id', '=', account.id);
  if (await waiting.returning('user_id').executeTakeFirst()) await awaitSignIn(trx, account.id, given.userName);
}

/** Sessions, access keys and tokens of a disabled account end at once. */
async function setActive(trx: Transaction<Tables>, { id, status }: Account, active: boolean): Promise<void> {
  const wanted = active ? userStatus.enabled : userStatus.disabled;
  if (status !== wanted) await trx.updateTable('users').set({ status: wanted }).where('id', '=', id).execute();
  if (!active) await endAccess(trx, id);
}

/** Disables the account and ends its memberships by groups; balance and history stay. Throws 403, 404. */
export async function removeUser(call: ScimCall, id: number): Promise<void> {
  const { deps, connection, request } = call;
  await deps.db.transaction().execute(async (trx) => {
    await rowOf(trx, call, id);
    const account = await holdAccount(trx, id);
    const row = await rowOf(trx, call, id);
    resources.checkVersion(request, row.version);
    changeable(connection, account);
    await setActive(trx, account, false);
    await trx
      .updateTable('scim_users')
      .set({ active: false, deleted_time: deps.now() })
      .where('user_id', '=', id)
      .execute();
    await trx.deleteFrom('scim_group_members').where('user_id', '=', id).execute();
    await trx.deleteFrom('awaited_identities').where('user_id', '=', id).execute();
    await joinTeamsIn(trx, { ...personOf(account), by: byOf(call), groups: [], source: 'scim', request }, deps);
    await noteUser(trx, call, account, { ...readUser(fullDocument(row)), active: row.active }, null);
  });
  await deps.live.usersChanged(id);
}

const personOf = ({ id, username }: Account) => ({ user: { id, name: username } });
export const byOf = ({ connection }: ScimCall) => ({ id: 0, name: connection.name });

/** Applies the present groups of users to their memberships; resolves with those who gained or lost one. */
export async function rejoin(trx: Transaction<Tables>, call: ScimCall, users: readonly number[]): Promise<number[]> {
  if (users.length === 0) return [];
  const { deps, request, connection } = call;
  const accounts = await trx
    .selectFrom('users')
    .where('id', 'in', users)
    .select(accountColumns)
    .orderBy('id')
    .execute();
  const groups = await groupsOf(trx, users);
  const changed: number[] = [];
  for (const account of accounts) {
    if (isProtected(connection, account)) continue;
    const own = groups.filter(({ user_id: user }) => user === account.id);
    const names = own.flatMap(({ name, external_id: external }) => [name, ...(external === '' ? [] : [external])]);
    const person = { ...personOf(account), by: byOf(call), groups: names, source: 'scim' as const, request };
    if (await joinTeamsIn(trx, person, deps)) changed.push(account.id);
  }
  return changed;
}

async function noteUser(
  trx: Transaction<Tables>,
  call: ScimCall,
  { id, username }: Account,
  before: Given | null,
  after: Given | null,
): Promise<void> {
  const told = (given: Given | null): Json | null =>
    given && {
      user_name: given.userName,
      external_id: given.externalId,
      active: given.active ?? true,
      display_name: given.displayName,
      email: given.email,
    };
  await resources.noteChange(trx, call, {
    kind: 'user',
    id,
    name: username,
    before: told(before),
    after: told(after),
  });
}

/** Turns a unique clash of name or address into 409. */
async function orTaken<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (uniqueClash(error) === undefined) throw error;
    throw new ScimError(409, taken, 'uniqueness');
  }
}

const AT_ONCE = 200;

/** Applies a changed table of groups to all accounts that connections manage; a sign-in does so for the others. */
export async function rejoinEveryone(deps: Deps, request: FastifyRequest): Promise<void> {
  const { db, live } = deps;
  for (const connection of await db.selectFrom('scim_connections').selectAll().execute()) {
    const call: ScimCall = { deps, connection, request, base: '' };
    for (let last = 0; ;) {
      const some = rows(db, call).where('own.user_id', '>', last).orderBy('own.user_id').limit(AT_ONCE);
      const ids = (await some.select('own.user_id').execute()).map(({ user_id }) => user_id);
      if (ids.length === 0) break;
      last = ids.at(-1) ?? last;
      const changed = await db.transaction().execute(async (trx) => {
        await holdAccounts(trx, [...ids, ...(live.settings.TeamsOfGroups ?? []).map(({ team }) => team)]);
        return rejoin(trx, call, ids);
      });
      if (changed.length > 0) await live.usersChanged(...changed);
    }
  }
}

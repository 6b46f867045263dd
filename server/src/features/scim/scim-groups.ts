import type { Selectable, Transaction } from 'kysely';
import * as z from 'zod/mini';
import { locked } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';
import { uniqueClash } from '#db/unique-clash.ts';
import { isObject, type Json } from '#json.ts';
import { holdAccounts } from '#quota/ledger.ts';
import { ensureScim, ScimError } from './scim-error.ts';
import { fits } from './scim-filter.ts';
import { type PatchOperation, parsePath } from './scim-patch.ts';
import { coreGroup } from './scim-schemas.ts';
import * as resources from './scim-resources.ts';
import type { ScimCall } from './scim-resources.ts';
import { rejoin } from './scim-users.ts';

type Row = Selectable<Tables['scim_groups']>;

const MOST_MEMBERS = 5000;

/** A group as a change leaves it. */
interface State {
  name: string;
  externalId: string;
  members: Set<number>;
}

const text = z.string().check(z.trim(), z.maxLength(255));
const wrongMember = (): ScimError =>
  new ScimError(400, 'A member has the id of a user of this connection.', 'invalidValue');

const nameOf = (value: unknown): string => {
  const parsed = text.check(z.minLength(1)).safeParse(value);
  ensureScim(parsed.success && !parsed.data.includes('\0'), 400, 'displayName: 1 to 255 characters.', 'invalidValue');
  return parsed.data;
};

const externalIdOf = (value: unknown): string => {
  const parsed = text.safeParse(value ?? '');
  ensureScim(parsed.success && !parsed.data.includes('\0'), 400, 'externalId: up to 255 characters.', 'invalidValue');
  return parsed.data;
};

function membersOf(value: unknown): number[] {
  const list = value === undefined || value === null ? [] : [value].flat();
  ensureScim(list.length <= MOST_MEMBERS, 413, `At most ${MOST_MEMBERS} members in a request.`);
  return list.map((member) => resources.idOf(isObject(member) ? member['value'] : member, wrongMember()));
}

/** A member of an object by its name without case. */
const at = (body: Json, name: string): unknown =>
  Object.entries(body).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];

function shown(row: Row, members: readonly MemberOfGroup[], { base }: ScimCall): Json {
  return {
    schemas: [coreGroup],
    id: String(row.id),
    ...(row.external_id !== '' && { externalId: row.external_id }),
    displayName: row.name,
    members: members
      .filter(({ group_id: group }) => group === row.id)
      .map(({ user_id: user, name }) => ({
        value: String(user),
        display: name,
        $ref: `${base}/Users/${user}`,
        type: 'User',
      })),
    meta: resources.metaOf('Group', row, `${base}/Groups/${row.id}`),
  };
}

interface MemberOfGroup {
  group_id: number;
  user_id: number;
  name: string;
}

const membersOfGroups = (db: Db, groups: readonly number[]): Promise<MemberOfGroup[]> =>
  groups.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('scim_group_members as members')
        .innerJoin('scim_users', 'scim_users.user_id', 'members.user_id')
        .where('members.group_id', 'in', groups)
        .orderBy('members.user_id')
        .select(['members.group_id', 'members.user_id', 'scim_users.user_key as name'])
        .execute();

/** Groups by `displayName`, `externalId`, `id` or `members`. */
export async function listGroups(call: ScimCall, query: resources.ListInput): Promise<Json> {
  const { db } = call.deps;
  let found = db.selectFrom('scim_groups').where('connection_id', '=', call.connection.id);
  const attribute = ['displayname', 'externalid', 'id', 'members', 'members.value'];
  for (const { path, value } of resources.termsOf(query.filter, attribute)) {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : 0;
    if (path === 'displayname') found = found.where('name_key', '=', value.toLowerCase());
    else if (path === 'externalid') found = found.where('external_id', '=', value);
    else if (path === 'id') found = found.where('id', '=', number);
    else
      found = found.where(
        'id',
        'in',
        db.selectFrom('scim_group_members').where('user_id', '=', number).select('group_id'),
      );
  }
  const { offset, limit } = resources.pageOf(query);
  const { total } = await found.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const page = await found.selectAll().orderBy('id').offset(offset).limit(Math.max(1, limit)).execute();
  const read = page.slice(0, limit);
  const withMembers = !query.excludedAttributes.toLowerCase().includes('members');
  const members = await membersOfGroups(db, withMembers ? read.map(({ id }) => id) : []);
  return resources.listReply(
    read.map((row) => resources.chosen(shown(row, members, call), query)),
    total,
    offset,
  );
}

/** Throws 404. */
export async function getGroup(call: ScimCall, id: number, db: Db = call.deps.db): Promise<Json> {
  const own = db.selectFrom('scim_groups').where('id', '=', id).where('connection_id', '=', call.connection.id);
  const row = await own.selectAll().executeTakeFirst();
  ensureScim(row, 404, 'The group does not exist.');
  return shown(row, await membersOfGroups(db, [id]), call);
}

/** Throws 409 `uniqueness`, and `invalidValue`. */
export async function createGroup(call: ScimCall, body: unknown): Promise<Json> {
  ensureScim(isObject(body), 400, 'The body is an object.', 'invalidSyntax');
  const state: State = {
    name: nameOf(at(body, 'displayName')),
    externalId: externalIdOf(at(body, 'externalId')),
    members: new Set(membersOf(at(body, 'members'))),
  };
  return saved(call, async (trx) => {
    const now = call.deps.now();
    await holdFor(trx, call, state.members);
    const row = await trx
      .insertInto('scim_groups')
      .values({
        connection_id: call.connection.id,
        ...columnsOf(state),
        version: 1,
        created_time: now,
        changed_time: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await addMembers(trx, call, row.id, state.members);
    await noteGroup(trx, call, row.id, undefined, state);
    return { id: row.id, changed: await rejoin(trx, call, concerned(call, undefined, state)) };
  });
}

/** Replaces name and members; an external id that is left out is kept. */
export const replaceGroup = (call: ScimCall, id: number, body: unknown): Promise<Json> =>
  changeGroup(call, id, (state) => {
    ensureScim(isObject(body), 400, 'The body is an object.', 'invalidSyntax');
    state.name = nameOf(at(body, 'displayName'));
    if (at(body, 'externalId') !== undefined) state.externalId = externalIdOf(at(body, 'externalId'));
    state.members = new Set(membersOf(at(body, 'members')));
  });

/** Applies operations as Entra ID and Okta send them; attributes without an effect are ignored. */
export const patchGroup = (call: ScimCall, id: number, operations: readonly PatchOperation[]): Promise<Json> =>
  changeGroup(call, id, (state) => {
    for (const { op, path, value } of operations) {
      if (path) {
        step(state, { op, value }, path);
        continue;
      }
      ensureScim(op !== 'remove', 400, 'A remove needs a path.', 'noTarget');
      ensureScim(isObject(value), 400, 'Without a path the value is an object.', 'invalidValue');
      for (const [name, part] of Object.entries(value)) step(state, { op, value: part }, name);
    }
  });

function step(state: State, { op, value }: Pick<PatchOperation, 'op' | 'value'>, text_: string): void {
  const path = parsePath(text_);
  const { filter } = path;
  switch (path.attribute.toLowerCase()) {
    case 'displayname':
      state.name = nameOf(op === 'remove' ? '' : value);
      return;
    case 'externalid':
      state.externalId = externalIdOf(op === 'remove' ? '' : value);
      return;
    case 'members': {
      if (filter) {
        ensureScim(op === 'remove', 400, 'Members are added without a filter.', 'noTarget');
        for (const id of state.members) if (fits(filter, { value: String(id) })) state.members.delete(id);
        return;
      }
      if (op === 'replace' || (op === 'remove' && value === undefined)) state.members = new Set();
      for (const id of membersOf(value))
        if (op === 'remove') state.members.delete(id);
        else state.members.add(id);
      return;
    }
  }
}

/** Throws 404, 409 `uniqueness`, 412, and `invalidValue`. */
async function changeGroup(call: ScimCall, id: number, change: (state: State) => void): Promise<Json> {
  return saved(call, async (trx) => {
    const row = await holdGroup(trx, call, id);
    const before = await stateOf(trx, row);
    const after: State = { ...before, members: new Set(before.members) };
    change(after);
    const users = concerned(call, before, after);
    await holdFor(trx, call, users);
    await trx
      .updateTable('scim_groups')
      .set({ ...columnsOf(after), version: row.version + 1, changed_time: call.deps.now() })
      .where('id', '=', id)
      .execute();
    const gone = [...before.members].filter((user) => !after.members.has(user));
    for (const some of chunks(gone))
      await trx.deleteFrom('scim_group_members').where('group_id', '=', id).where('user_id', 'in', some).execute();
    await addMembers(trx, call, id, new Set([...after.members].filter((user) => !before.members.has(user))));
    await noteGroup(trx, call, id, before, after);
    return { id, changed: await rejoin(trx, call, users) };
  });
}

/** Memberships that the group gave end with it. Throws 404. */
export async function removeGroup(call: ScimCall, id: number): Promise<void> {
  const changed = await call.deps.db.transaction().execute(async (trx) => {
    const row = await holdGroup(trx, call, id);
    const before = await stateOf(trx, row);
    const users = concerned(call, before, undefined);
    await holdFor(trx, call, users);
    await trx.deleteFrom('scim_group_members').where('group_id', '=', id).execute();
    await trx.deleteFrom('scim_groups').where('id', '=', id).execute();
    await noteGroup(trx, call, id, before, undefined);
    return rejoin(trx, call, users);
  });
  if (changed.length > 0) await call.deps.live.usersChanged(...changed);
}

async function saved(
  call: ScimCall,
  work: (trx: Transaction<Tables>) => Promise<{ id: number; changed: number[] }>,
): Promise<Json> {
  const { db, live } = call.deps;
  try {
    const { changed, resource } = await db.transaction().execute(async (trx) => {
      const done = await work(trx);
      return { changed: done.changed, resource: await getGroup(call, done.id, trx) };
    });
    if (changed.length > 0) await live.usersChanged(...changed);
    return resource;
  } catch (error) {
    if (uniqueClash(error) === undefined) throw error;
    throw new ScimError(409, 'Another group of this connection has this name.', 'uniqueness');
  }
}

const columnsOf = ({ name, externalId }: State) => ({ name, name_key: name.toLowerCase(), external_id: externalId });

async function holdGroup(trx: Transaction<Tables>, { connection, request }: ScimCall, id: number): Promise<Row> {
  const own = trx.selectFrom('scim_groups').where('id', '=', id).where('connection_id', '=', connection.id);
  const row = await locked(own.selectAll(), trx).executeTakeFirst();
  ensureScim(row, 404, 'The group does not exist.');
  resources.checkVersion(request, row.version);
  return row;
}

async function stateOf(trx: Transaction<Tables>, { id, name, external_id: externalId }: Row): Promise<State> {
  const members = await trx.selectFrom('scim_group_members').where('group_id', '=', id).select('user_id').execute();
  return { name, externalId, members: new Set(members.map(({ user_id }) => user_id)) };
}

/** Users whose memberships a change can alter; none while no row of the setting names the group. */
function concerned({ deps }: ScimCall, before: State | undefined, after: State | undefined): number[] {
  const names = [before, after].flatMap((state) => (state ? [state.name, state.externalId] : []));
  if (!deps.live.settings.TeamsOfGroups?.some(({ group }) => names.includes(group))) return [];
  const isSame = before?.name === after?.name && before?.externalId === after?.externalId;
  const all = [...new Set([...(before?.members ?? []), ...(after?.members ?? [])])];
  return all.filter((user) => !isSame || before?.members.has(user) !== after?.members.has(user));
}

/** Locks accounts and teams at once, in the order of call batches. */
async function holdFor(trx: Transaction<Tables>, { deps }: ScimCall, users: Iterable<number>): Promise<void> {
  const ids = [...users];
  const teams = deps.live.settings.TeamsOfGroups?.map(({ team }) => team) ?? [];
  if (ids.length > 0) await holdAccounts(trx, [...new Set([...ids, ...teams])]);
}

async function addMembers(
  trx: Transaction<Tables>,
  { connection }: ScimCall,
  group: number,
  members: ReadonlySet<number>,
): Promise<void> {
  for (const some of chunks([...members])) {
    const known = await trx
      .selectFrom('scim_users')
      .where('connection_id', '=', connection.id)
      .where('deleted_time', 'is', null)
      .where('user_id', 'in', some)
      .select('user_id')
      .execute();
    if (known.length !== some.length) throw wrongMember();
    await trx
      .insertInto('scim_group_members')
      .values(some.map((user_id) => ({ group_id: group, user_id })))
      .execute();
  }
}

function chunks(ids: readonly number[]): number[][] {
  const size = 500;
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, at_) => ids.slice(at_ * size, (at_ + 1) * size));
}

async function noteGroup(
  trx: Transaction<Tables>,
  call: ScimCall,
  id: number,
  before: State | undefined,
  after: State | undefined,
): Promise<void> {
  const told = (state: State | undefined): Json | null =>
    state ? { name: state.name, external_id: state.externalId, members: state.members.size } : null;
  const name = (after ?? before)?.name ?? '';
  await resources.noteChange(trx, call, { kind: 'scim_group', id, name, before: told(before), after: told(after) });
}

import { optionApi, role, scimApi, teamApi, tokenApi, userStatus } from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { ApiClient, hubForSuite } from '#testing/hub.ts';
import { addAccount, addPerson, PASSWORD } from '#testing/people.ts';
import { fits, parseFilter } from './scim-filter.ts';
import { operationsIn, patch } from './scim-patch.ts';

const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

describe('PATCH', () => {
  const before = () => ({
    userName: 'maria@corp.example',
    name: { givenName: 'Maria', familyName: 'Li' },
    emails: [
      { type: 'work', value: 'maria@corp.example', primary: true },
      { type: 'home', value: 'maria@home.example' },
    ],
    members: [{ value: '1' }, { value: '2' }],
  });
  const [work, home] = before().emails;

  test.each([
    ['RFC 7644: add without a path', [{ op: 'add', value: { nickName: 'Mia' } }], { nickName: 'Mia' }],
    ['RFC 7644: replace a list', [{ op: 'replace', path: 'emails', value: [home] }], { emails: [home] }],
    [
      'RFC 7644: replace by a filter',
      [{ op: 'replace', path: 'emails[type eq "work"].value', value: 'x' }],
      { emails: [{ ...work, value: 'x' }, home] },
    ],
    [
      'RFC 7644: remove by a filter',
      [{ op: 'remove', path: 'emails[type eq "work" and value ew "corp.example"]' }],
      { emails: [home] },
    ],
    ['RFC 7644: remove one element', [{ op: 'remove', path: 'members[value eq "1"]' }], { members: [{ value: '2' }] }],
    ['RFC 7644: remove all elements', [{ op: 'remove', path: 'members' }], { members: undefined }],
    [
      'RFC 7644: add an element, once',
      [{ op: 'add', path: 'members', value: [{ value: '2' }, { value: '3' }] }],
      { members: [{ value: '1' }, { value: '2' }, { value: '3' }] },
    ],
    [
      'RFC 7644: replace part of an attribute',
      [{ op: 'replace', path: 'name.familyName', value: 'Wu' }],
      { name: { givenName: 'Maria', familyName: 'Wu' } },
    ],
    ['Entra ID: capital letters', [{ op: 'Replace', path: 'displayName', value: 'Mia' }], { displayName: 'Mia' }],
    [
      'Entra ID: paths as names of a value',
      [{ op: 'Add', value: { 'name.givenName': 'Mia', [`${enterprise}:department`]: 'R&D' } }],
      { name: { givenName: 'Mia', familyName: 'Li' }, [enterprise]: { department: 'R&D' } },
    ],
    [
      'Entra ID: an element that is not there yet',
      [{ op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '1' }],
      { phoneNumbers: [{ type: 'mobile', value: '1' }] },
    ],
    [
      'Entra ID: elements named as the value',
      [{ op: 'Remove', path: 'members', value: [{ value: '1' }] }],
      { members: [{ value: '2' }] },
    ],
    [
      'Entra ID: an attribute of an extension',
      [{ op: 'Add', path: `${enterprise}:employeeNumber`, value: '7' }],
      { [enterprise]: { employeeNumber: '7' } },
    ],
    ['Okta: active without a path', [{ op: 'replace', value: { active: false } }], { active: false }],
    ['names without case', [{ op: 'replace', path: 'USERNAME', value: 'x' }], { userName: 'x' }],
    [
      'a schema before the path',
      [{ op: 'replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:userName', value: 'x' }],
      { userName: 'x' },
    ],
  ] as const)('%s', (_, operations, expected) => {
    const document = before();
    patch(document, operationsIn({ schemas: [patchOp], Operations: operations }));
    expect(document).toEqual({ ...before(), ...expected });
  });

  test.each([
    [{}, 'invalidSyntax'],
    [{ Operations: [] }, 'invalidSyntax'],
    [{ Operations: [{ op: 'move', path: 'a' }] }, 'invalidSyntax'],
    [{ Operations: [{ op: 'remove' }] }, 'noTarget'],
    [{ Operations: [{ op: 'add', value: 'x' }] }, 'invalidValue'],
    [{ Operations: [{ op: 'add', path: 'a b', value: 'x' }] }, 'invalidPath'],
    [{ Operations: [{ op: 'add', path: '__proto__.x', value: 'x' }] }, 'invalidPath'],
    [{ Operations: [{ op: 'add', path: 'emails[type]', value: 'x' }] }, 'invalidFilter'],
    [{ Operations: [{ op: 'add', path: 'ims[type ne "a"].value', value: 'x' }] }, 'noTarget'],
  ])('%j is refused', (body, scimType) => {
    expect(() => patch(before(), operationsIn(body))).toThrow(expect.objectContaining({ status: 400, scimType }));
  });
});

describe('a filter', () => {
  const element = { type: 'Work', value: 'a "b"', primary: true, order: 3 };

  test.each([
    ['type eq "work"', true],
    ['TYPE ne "work"', false],
    ['primary eq true and order ge 3', true],
    ['type eq "home" or (order lt 4 and not (value pr))', false],
    ['not (type sw "h") and value co "\\"b"', true],
    ['missing pr', false],
  ])('%s', (filter, expected) => {
    expect(fits(parseFilter(filter), element)).toBe(expected);
  });

  test.each([
    '',
    'a',
    'a eq',
    'a is "b"',
    'a eq b',
    '(a pr',
    'a pr) or b pr',
    'a[b pr',
    `${'('.repeat(30)}a pr`,
    `a eq "${'x'.repeat(5000)}"`,
  ])('%s is refused', (filter) => {
    expect(() => parseFilter(filter)).toThrow(expect.objectContaining({ status: 400, scimType: 'invalidFilter' }));
  });
});

const unlimited = { name: 'mine', remain_quota: 0, unlimited_quota: true, expired_time: -1 };

onEveryDatabase('SCIM', (make) => {
  const hub = hubForSuite(make);
  let secret: string;
  let connection: number;
  let count = 0;

  beforeAll(async () => {
    const made = await hub().root.call(scimApi.create, { body: { name: 'Entra ID' } });
    secret = made.secret;
    connection = made.connection.id;
    expect(made.address).toBe(`${hub().url}/scim/v2`);
  });

  /** Members that tests read by name; others are compared as a whole. */
  interface Body extends Record<string, unknown> {
    id: string;
    meta: { location: string };
    Resources: { id: string; endpoint: string }[];
  }
  interface Reply {
    status: number;
    headers: Headers;
    body: Body;
  }
  const scim = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> => {
    const reply = await fetch(`${hub().url}/scim/v2${path}`, {
      method,
      headers: {
        authorization: `Bearer ${secret}`,
        ...(body !== undefined && { 'content-type': 'application/scim+json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    return { status: reply.status, headers: reply.headers, body: text === '' ? undefined : JSON.parse(text) };
  };
  const addUser = async (more: object = {}) => {
    const userName = `person${++count}@corp.example`;
    const { status, body } = await scim('POST', '/Users', { userName, externalId: `ext-${count}`, ...more });
    expect(status).toBe(201);
    return { id: body.id, userName, body };
  };
  const change = (id: string, ...operations: object[]) =>
    scim('PATCH', `/Users/${id}`, { schemas: [patchOp], Operations: operations });
  const account = (id: string) =>
    hub().server.deps.db.selectFrom('users').where('id', '=', Number(id)).selectAll().executeTakeFirstOrThrow();
  const rolesOf = async (id: string) => {
    const { db } = hub().server.deps;
    const rows = await db.selectFrom('team_members').where('user_id', '=', Number(id)).selectAll().execute();
    return Object.fromEntries(rows.map((row) => [row.team_id, `${row.role} ${row.source}`]));
  };
  const mapGroups = (rows: object[]) =>
    hub().root.call(optionApi.set, { body: { key: 'TeamsOfGroups', value: JSON.stringify(rows) } });
  const team = async (name: string) => (await hub().root.call(teamApi.create, { body: { name } })).id;

  test('describes itself with the features that it has', async () => {
    const { body: config, headers } = await scim('GET', '/ServiceProviderConfig');
    expect(headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
    expect(config).toMatchObject({
      patch: { supported: true },
      filter: { supported: true },
      bulk: { supported: false },
    });
    const { body: types } = await scim('GET', '/ResourceTypes');
    expect(types.Resources.map(({ endpoint }: { endpoint: string }) => endpoint)).toEqual(['/Users', '/Groups']);
    const { body: schemas } = await scim('GET', '/Schemas');
    for (const { id } of schemas.Resources) expect((await scim('GET', `/Schemas/${id}`)).body.id).toBe(id);
    expect(await scim('POST', '/Schemas', {})).toMatchObject({ status: 405, body: { status: '405' } });
    expect(await scim('GET', '/Schemas/none')).toMatchObject({ status: 404, body: { status: '404' } });
  });

  test('is for the secret of a connection alone, which is stored as a hash and can be replaced', async () => {
    const refused = { status: 401, body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '401' } };
    for (const authorization of ['', 'Bearer x', `Bearer scim_${'0'.repeat(40)}`, `Basic ${secret}`])
      expect(await scim('GET', '/Users', undefined, { authorization })).toMatchObject(refused);
    expect((await scim('GET', '/Users', undefined, { authorization: '' })).headers.get('www-authenticate')).toBe(
      'Bearer',
    );
    const { root, server } = hub();
    const row = await server.deps.db.selectFrom('scim_connections').selectAll().executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain(secret);
    const old = secret;
    secret = (await root.call(scimApi.rotate, { params: { id: connection } })).secret;
    expect((await scim('GET', '/Users')).status).toBe(200);
    expect(await scim('GET', '/Users', undefined, { authorization: `Bearer ${old}` })).toMatchObject(refused);
    const audit = await server.deps.db.selectFrom('audit').where('kind', '=', 'scim').selectAll().execute();
    expect(audit).not.toHaveLength(0);
    expect(JSON.stringify(audit)).not.toContain(secret.slice(10, 30));
  });

  test('creates a user, who is found by name, external id and address, page by page', async () => {
    const sent = {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', enterprise],
      userName: 'Bjensen@corp.example',
      externalId: 'bj-1',
      name: { formatted: 'Barbara Jensen', familyName: 'Jensen', givenName: 'Barbara' },
      emails: [{ type: 'work', value: 'barbara@corp.example', primary: 'True' }],
      active: 'True',
      password: 'not-stored',
      groups: [{ value: '1' }],
      [enterprise]: { department: 'R&D' },
    };
    const { status, headers, body } = await scim('POST', '/Users', sent);
    expect([status, headers.get('location'), headers.get('etag')]).toEqual([201, body.meta.location, 'W/"1"']);
    const { password: _password, groups: _groups, ...kept } = sent;
    expect(body).toMatchObject({ ...kept, active: true, groups: [] });
    expect(JSON.stringify(body)).not.toContain('not-stored');
    expect(await account(body.id)).toMatchObject({
      username: 'Bjensen',
      display_name: 'Barbara Jensen',
      email: 'barbara@corp.example',
      password_hash: '',
      role: role.user,
      status: userStatus.enabled,
    });
    expect((await scim('GET', `/Users/${body.id}`)).body).toEqual(body);
    const find = async (filter: string, more = '') =>
      (await scim('GET', `/Users?filter=${encodeURIComponent(filter)}${more}`)).body;
    for (const filter of [
      'userName eq "bjensen@CORP.example"',
      'externalId eq "bj-1"',
      `id eq "${body.id}" and userName eq "bjensen@corp.example"`,
      'displayName eq "Barbara Jensen"',
    ])
      expect(await find(filter)).toMatchObject({ totalResults: 1, itemsPerPage: 1, Resources: [{ id: body.id }] });
    expect(await find('emails.value eq "BARBARA@corp.example"', '&attributes=userName')).toMatchObject({
      Resources: [{ id: body.id, userName: 'Bjensen@corp.example', schemas: sent.schemas, meta: body.meta }],
    });
    expect(await find('userName eq "nobody"')).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    });
    for (const filter of ['title eq "x"', 'userName sw "b"', 'userName eq'])
      expect(await find(filter)).toMatchObject({ status: '400', scimType: 'invalidFilter' });
    const { id } = await addUser();
    const total = (await find('')).totalResults;
    const second = (await scim('GET', '/Users?startIndex=2&count=1')).body;
    expect(second).toMatchObject({ totalResults: total, startIndex: 2, itemsPerPage: 1 });
    expect((await scim('GET', '/Users?count=0')).body).toMatchObject({ totalResults: total, Resources: [] });
    const ids = (await scim('GET', '/Users?startIndex=-5')).body.Resources.map((each: { id: string }) => each.id);
    expect(ids).toContain(id);
  });

  test('refuses what it cannot keep, and changes nothing', async () => {
    const { userName } = await addUser();
    const users = () => hub().server.deps.db.selectFrom('users').select('id').execute();
    const before = await users();
    for (const [body, status, scimType] of [
      [{ userName }, 409, 'uniqueness'],
      [{ userName: userName.toUpperCase() }, 409, 'uniqueness'],
      [{}, 400, 'invalidValue'],
      [{ userName: 7 }, 400, 'invalidValue'],
      [{ userName: ' ' }, 400, 'invalidValue'],
      [{ userName: 'x', active: 'maybe' }, 400, 'invalidValue'],
      [{ userName: 'x', title: 'nul \0' }, 400, 'invalidValue'],
      [{ userName: 'x', title: 'y'.repeat(70_000) }, 400, 'invalidValue'],
      [[], 400, 'invalidValue'],
    ] as const)
      expect(await scim('POST', '/Users', body)).toMatchObject({ status, body: { status: String(status), scimType } });
    const raw = {
      method: 'POST',
      body: '{',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    };
    const malformed = await fetch(`${hub().url}/scim/v2/Users`, raw);
    expect([malformed.status, await malformed.json()]).toMatchObject([400, { status: '400' }]);
    expect(await scim('GET', '/Users/987654')).toMatchObject({ status: 404 });
    expect(await scim('GET', '/Users/1')).toMatchObject({ status: 404 });
    expect(await scim('DELETE', '/Users/x')).toMatchObject({ status: 404 });
    expect(await scim('GET', '/Nothing')).toMatchObject({ status: 404, body: { status: '404' } });
    expect(await users()).toEqual(before);
  });

  test('a leaver’s sessions and keys end at once, and come back only as far as the provider says', async () => {
    const { id } = await addUser();
    const { db } = hub().server.deps;
    const person = await addPerson(hub());
    // With a known password, so that it can sign in.
    const hash = await db
      .selectFrom('users')
      .where('id', '=', person.id)
      .select('password_hash')
      .executeTakeFirstOrThrow();
    await db.updateTable('users').set(hash).where('id', '=', Number(id)).execute();
    const { username } = await account(id);
    const client = await new ApiClient(hub().url).signIn(username, PASSWORD);
    const { key } = await client.call(tokenApi.create, { body: unlimited });
    const models = async () =>
      (await fetch(`${hub().url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await models()).toBe(200);
    expect((await change(id, { op: 'Replace', path: 'active', value: 'False' })).body).toMatchObject({ active: false });
    expect((await account(id)).status).toBe(userStatus.disabled);
    expect(await models()).toBe(401);
    expect(await db.selectFrom('sessions').where('user_id', '=', Number(id)).selectAll().execute()).toEqual([]);
    expect((await client.try(tokenApi.list, {})).status).toBe(401);
    await change(id, { op: 'replace', value: { active: true } });
    expect(await models()).toBe(200);
    // An account that an administrator has disabled stays so.
    await db.updateTable('users').set({ status: userStatus.disabled }).where('id', '=', Number(id)).execute();
    expect((await change(id, { op: 'replace', value: { active: true, title: 'x' } })).body).toMatchObject({
      active: false,
    });
    expect((await account(id)).status).toBe(userStatus.disabled);
    const seen = await db
      .selectFrom('audit')
      .where('object_id', '=', id)
      .where('via', '=', 'provider')
      .selectAll()
      .execute();
    expect(seen.map(({ actor_name: by, path }) => [by, path])).toContainEqual(['Entra ID', '/scim/v2/Users/:id']);
  });

  test('a removed user is disabled, and comes back as the same account', async () => {
    const { id, userName } = await addUser();
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204);
    expect((await scim('GET', `/Users/${id}`)).status).toBe(404);
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(404);
    expect((await account(id)).status).toBe(userStatus.disabled);
    const { status, body } = await scim('POST', '/Users', { userName });
    expect([status, body.id, body.active]).toEqual([201, id, true]);
    expect((await account(id)).status).toBe(userStatus.enabled);
  });

  test('a change of attributes reaches the account, and versions protect it', async () => {
    const { id } = await addUser({ displayName: 'First', emails: [{ value: `first${count}@corp.example` }] });
    const put = { userName: `renamed${count}@corp.example`, displayName: 'Second', active: true };
    const { body, headers } = await scim('PUT', `/Users/${id}`, put, { 'if-match': 'W/"1"' });
    expect(body).toMatchObject({ ...put, externalId: `ext-${count}` });
    expect(body).not.toHaveProperty('emails');
    expect(await account(id)).toMatchObject({ display_name: 'Second', email: put.userName });
    expect(await scim('PUT', `/Users/${id}`, put, { 'if-match': 'W/"1"' })).toMatchObject({ status: 412 });
    const etag = headers.get('etag') ?? '';
    expect((await scim('GET', `/Users/${id}`, undefined, { 'if-none-match': etag })).status).toBe(304);
    const other = await addUser();
    expect(await change(other.id, { op: 'replace', path: 'userName', value: put.userName })).toMatchObject({
      status: 409,
      body: { scimType: 'uniqueness' },
    });
  });

  test('existing accounts are taken over only by leave, administrators by another, root never', async () => {
    const emails = (value: string) => ({ userName: value, emails: [{ value }] });
    const user = await addAccount(hub(), { email: 'known@corp.example' });
    const admin = await addAccount(hub(), { email: 'boss@corp.example', role: role.admin });
    const { db } = hub().server.deps;
    await db.updateTable('users').set({ email: 'root@corp.example' }).where('role', '=', role.root).execute();
    const settings = (body: object) => hub().root.call(scimApi.update, { params: { id: connection }, body });
    const add = async (address: string) => {
      const { status, body } = await scim('POST', '/Users', emails(address));
      return [status, body.id ?? body.scimType];
    };
    expect(await add('known@corp.example')).toEqual([409, 'uniqueness']);
    await settings({ adopts: true });
    expect(await add('known@corp.example')).toEqual([201, String(user.id)]);
    expect(await add('boss@corp.example')).toEqual([403, undefined]);
    await settings({ admins: true });
    expect(await add('boss@corp.example')).toEqual([201, String(admin.id)]);
    expect(await add('root@corp.example')).toEqual([403, undefined]);
    await settings({ adopts: false, admins: false });
    const off = { op: 'replace', value: { active: false } };
    expect(await change(String(admin.id), off)).toMatchObject({ status: 403 });
    expect((await scim('DELETE', `/Users/${admin.id}`)).status).toBe(403);
    expect((await account(String(admin.id))).status).toBe(userStatus.enabled);
    const refused = await db.selectFrom('audit').where('code', '=', 'user.rank').selectAll().execute();
    expect(refused.map(({ actor_name: by, object_id: object }) => [by, object])).toContainEqual([
      'Entra ID',
      String(admin.id),
    ]);
  });

  test('groups give memberships, by name or external id, while they last', async () => {
    const [red, blue] = [await team('scim-red'), await team('scim-blue')];
    await mapGroups([
      { group: 'Developers', team: red, role: 'member' },
      { group: 'object-7', team: blue, role: 'admin' },
    ]);
    const [a, b] = [await addUser(), await addUser()];
    const made = await scim('POST', '/Groups', {
      displayName: 'Developers',
      externalId: 'object-7',
      members: [{ value: a.id }],
    });
    expect(made).toMatchObject({
      status: 201,
      body: { displayName: 'Developers', members: [{ value: a.id, display: a.userName }] },
    });
    const group = `/Groups/${made.body.id}`;
    const both = { [red]: 'member scim', [blue]: 'admin scim' };
    expect(await rolesOf(a.id)).toEqual(both);
    expect((await scim('GET', `/Users/${a.id}`)).body.groups).toMatchObject([
      { value: made.body.id, display: 'Developers' },
    ]);
    const ops = (...operations: object[]) => scim('PATCH', group, { schemas: [patchOp], Operations: operations });
    // As Entra ID, then as Okta sends it.
    await ops({ op: 'Add', path: 'members', value: [{ value: b.id }] });
    expect(await rolesOf(b.id)).toEqual(both);
    await ops({ op: 'Remove', path: 'members', value: [{ value: a.id }] });
    expect(await rolesOf(a.id)).toEqual({});
    await ops(
      { op: 'remove', path: `members[value eq "${b.id}"]` },
      { op: 'add', path: 'members', value: [{ value: a.id }] },
    );
    expect([await rolesOf(a.id), await rolesOf(b.id)]).toEqual([both, {}]);
    await ops({ op: 'replace', value: { id: made.body.id, displayName: 'Renamed' } });
    expect(await rolesOf(a.id)).toEqual({ [blue]: 'admin scim' });
    expect((await ops({ op: 'replace', path: 'members', value: [{ value: '987654' }] })).body).toMatchObject({
      scimType: 'invalidValue',
    });
    expect(await rolesOf(a.id)).toEqual({ [blue]: 'admin scim' });
    // A changed table takes effect at once.
    await mapGroups([{ group: 'Renamed', team: red, role: 'billing' }]);
    expect(await rolesOf(a.id)).toEqual({ [red]: 'billing scim' });
    const { data } = await hub().root.call(teamApi.audit, { params: { id: red } });
    expect(data.map(({ actor_name: by }) => by)).toContain('Entra ID');
    const found = (await scim('GET', '/Groups?filter=displayName%20eq%20%22renamed%22&excludedAttributes=members'))
      .body;
    expect(found).toMatchObject({ totalResults: 1, Resources: [{ id: made.body.id }] });
    expect(found.Resources[0]).not.toHaveProperty('members');
    expect(await scim('POST', '/Groups', { displayName: 'RENAMED' })).toMatchObject({
      status: 409,
      body: { scimType: 'uniqueness' },
    });
    expect((await scim('PUT', group, { displayName: 'Renamed', members: [] })).body).toMatchObject({
      members: [],
      externalId: 'object-7',
    });
    expect(await rolesOf(a.id)).toEqual({});
    await ops({ op: 'add', value: { members: [{ value: a.id }] } });
    expect(await rolesOf(a.id)).toEqual({ [red]: 'billing scim' });
    expect((await scim('DELETE', group)).status).toBe(204);
    expect(await rolesOf(a.id)).toEqual({});
    expect((await scim('GET', group)).status).toBe(404);
  });

  test('connections do not see each other’s users, and leave accounts and memberships behind', async () => {
    const first = secret;
    const red = await team('scim-left');
    await mapGroups([{ group: 'Left', team: red, role: 'member' }]);
    const other = await hub().root.call(scimApi.create, { body: { name: 'Okta' } });
    const mine = await addUser();
    secret = other.secret;
    const theirs = await addUser();
    await scim('POST', '/Groups', { displayName: 'Left', members: [{ value: theirs.id }] });
    expect((await scim('GET', `/Users/${mine.id}`)).status).toBe(404);
    expect((await scim('POST', '/Groups', { displayName: 'g', members: [{ value: mine.id }] })).body.scimType).toBe(
      'invalidValue',
    );
    await hub().root.call(scimApi.remove, { params: { id: other.connection.id } });
    expect((await scim('GET', '/Users')).status).toBe(401);
    secret = first;
    expect((await account(theirs.id)).status).toBe(userStatus.enabled);
    expect(await rolesOf(theirs.id)).toEqual({ [red]: 'member ' });
    const [left] = await hub().root.call(scimApi.list);
    expect(left).toMatchObject({ id: connection, name: 'Entra ID', users: expect.any(Number) as number });
  });
});

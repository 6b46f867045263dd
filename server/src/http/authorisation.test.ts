import {
  accessKeyApi,
  channelJobApi,
  knownModelsPath,
  logApi,
  planAdminApi,
  planApi,
  profileApi,
  role,
  userStatus,
  wayApi,
} from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type Asker,
  askers,
  authorisation,
  type ExpectedStatus,
  type ForeignRecord,
} from '#testing/authorisation-table.ts';
import { chat, tokenOf } from '#testing/chat.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { createTeam } from '#features/team/team-changes.ts';
import { addChannel, ApiClient, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import type { TestPerson } from '#testing/people.ts';
import { addAccount, addPasskey, addPerson, PASSWORD } from '#testing/people.ts';
import { mounted, served } from './serve.ts';

/** Payment gateways prove themselves by a signature. */
const notify = ['GET /api/payment/notify/:uuid', 'POST /api/payment/notify/:uuid'];
/** Not mounted by `serve`, because their responses have no envelope. */
const bare = [
  'GET /api/metrics',
  'OPTIONS /api/prices',
  'OPTIONS /api/available_model',
  `GET ${knownModelsPath}`,
  'GET /api/openapi.json',
  'POST /api/telegram/:token',
  ...notify,
];
/** Pages and their files, health checks, SCIM, whose connections have a secret, and paths without a route. */
const notTheApi = /^GET \/(?!api\/)|^\w+ \/scim(\/|$)|^GET \/api\/docs(\/[\w.-]+)?$|^\w+ \/api(\/\*)?$/;
const nowhere = '987654321';
const codes: Record<number, string> = { 401: 'session.none', 403: 'session.role' };
const ranks = { user: role.user, admin: role.admin, root: role.root, disabled: role.user };

const methodOf = (endpoint: string): string => endpoint.split(' ')[0]!;
const pathOf = (endpoint: string, id = nowhere): string =>
  endpoint
    .split(' ')[1]!
    .replace(':provider', 'github')
    .replace(/:(\w+)/g, id);
const bodyOf = (method: string, body: object = {}) => (method === 'GET' || method === 'DELETE' ? undefined : body);

/** A line to copy into the table for a missing endpoint. */
function lineFor(endpoint: string): string {
  const audience = served.get(endpoint)?.audience;
  const open = audience === 'public' || audience === 'visitor';
  const [user, admin] = [open || audience === 'user' ? 200 : 403, audience === 'root' ? 403 : 200];
  return `  '${endpoint}': [${[open ? 200 : 401, user, admin, 200, open ? 200 : 401].join(', ')}],`;
}

onOneDatabase('who may call what', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const clients = new Map<Asker, ApiClient>();
  const names = new Map<Asker, string>();
  const things = new Map<ForeignRecord, string | number>();
  let owner: TestPerson;

  async function signIn(who: Asker): Promise<void> {
    const client = new ApiClient(hub().url);
    const username = names.get(who);
    clients.set(who, username === undefined ? client : await client.signIn(username, PASSWORD));
  }

  /** Everything that the owner has. */
  const belongings = async () => {
    const { db } = hub().server.deps;
    const of = (table: 'tokens' | 'subscriptions' | 'sessions' | 'logs' | 'passkeys' | 'access_keys' | 'identities') =>
      db.selectFrom(table).selectAll().where('user_id', '=', owner.id).execute();
    const accounts = db
      .selectFrom('users')
      .where('id', 'in', [owner.id, Number(things.get('root')), Number(things.get('team'))]);
    return {
      rows: await Promise.all([
        of('tokens'),
        of('subscriptions'),
        of('sessions'),
        of('logs'),
        of('passkeys'),
        of('access_keys'),
        of('identities'),
      ]),
      identities: await db
        .selectFrom('identities')
        .where('user_id', '=', Number(things.get('root')))
        .selectAll()
        .execute(),
      // A lease that ends meanwhile moves credits between both columns.
      accounts: (await accounts.selectAll().orderBy('id').execute()).map(({ quota, held, ...account }) => ({
        ...account,
        balance: quota + held,
      })),
    };
  };

  const startsJob = [channelJobApi.testAll, channelJobApi.updateBalances].map(
    ({ method, path }) => `${method} ${path}`,
  );
  const runningJobs = async () =>
    (await hub().root.call(channelJobApi.list)).filter(({ state }) => state === 'running');

  beforeAll(async () => {
    await addChannel(hub(), upstream().url);
    owner = await addPerson(hub(), { quota: 1_000_000 });
    const { id, key } = await tokenOf(owner.client);
    await chat(hub(), key);
    const { data } = await owner.client.call(logApi.ownList);
    const [session] = await owner.client.call(profileApi.sessions);
    const root = await addAccount(hub(), { role: role.root });
    for (const { id: user_id } of [owner, root])
      await hub()
        .server.deps.db.insertInto('identities')
        .values({ user_id, provider: 'github', subject: String(user_id), created_time: 1 })
        .execute();
    const task = await hub()
      .server.deps.db.insertInto('tasks')
      .values({
        task_id: 'somebody-elses',
        platform: 'midjourney',
        action: 'IMAGINE',
        model: 'mj_imagine',
        mode: 'fast',
        status: 'SUCCESS',
        created_at: 1,
        updated_at: 1,
        submit_ms: 1000,
        request_id: '',
        user_id: owner.id,
        token_id: 0,
        channel_id: 0,
        key_id: 0,
        key_cipher: '',
        base_url: '',
        next_poll_at: 0,
        deadline: 0,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    things.set('task', task.id);
    things.set('passkey', await addPasskey(hub(), owner.id));
    const accessKey = { body: { name: 'mine', scopes: ['read' as const] } };
    things.set('accessKey', (await owner.client.call(accessKeyApi.create, accessKey)).access_key.id);
    const own = await owner.client.call(wayApi.create, { body: { kind: 'mail' } });
    things.set('way', own.id);
    const terms = { price: 0, unit: 'month', count: 1, allowance: 1 } as const;
    const body = { names: { zh_CN: '', zh_HK: '', en_US: 'Pro', ja_JP: '' }, terms };
    const plan = await hub().root.call(planAdminApi.create, { body });
    const bought = { version_id: plan.version_id, request_key: 'of-the-owner' };
    things.set('subscription', (await owner.client.call(planApi.buy, { body: bought })).id);
    things.set('team', await createTeam(hub().server.deps.db, owner.id, 'the-team-of-the-owner', 1));
    things.set('token', id).set('log', data[0]!.id).set('session', session!.id).set('root', root.id);
    for (const who of Object.keys(ranks) as (keyof typeof ranks)[])
      names.set(who, (await addAccount(hub(), { role: ranks[who] })).username);
    for (const who of askers) await signIn(who);
    await hub()
      .server.deps.db.updateTable('users')
      .set({ status: userStatus.disabled })
      .where('username', '=', names.get('disabled')!)
      .execute();
  });

  test('every endpoint has its line', () => {
    const missing = [...served.keys()].filter((endpoint) => !Object.hasOwn(authorisation, endpoint));
    expect(missing, `Add to testing/authorisation-table.ts:\n${missing.map(lineFor).join('\n')}\n`).toEqual([]);
    const gone = Object.keys(authorisation).filter((endpoint) => !served.has(endpoint) && !bare.includes(endpoint));
    expect(gone, 'Take out of testing/authorisation-table.ts').toEqual([]);
  });

  test('no route is mounted outside the table', () => {
    const known = new Set([...served.keys(), ...bare]);
    expect([...mounted].filter((route) => !known.has(route) && !notTheApi.test(route))).toEqual([]);
  });

  test('every endpoint with a record id states what other users get', () => {
    const owned = [...served.values()].filter(({ audience, path }) => audience === 'user' && path.includes(':id'));
    const silent = owned.map(({ method, path }) => `${method} ${path}`).filter((key) => !authorisation[key]?.[5]);
    expect(silent, 'Say in testing/authorisation-table.ts what somebody else gets').toEqual([]);
  });

  describe.each(Object.entries(authorisation))('%s', (endpoint, [nobody, user, admin, root, disabled, other]) => {
    const method = methodOf(endpoint);
    const expected: Record<Asker, ExpectedStatus> = { nobody, user, admin, root, disabled };

    test.each(askers)('%s', async (who) => {
      const client = clients.get(who)!; // signed in above
      const answer = await client.send(method, pathOf(endpoint), bodyOf(method));
      // Signing out ends the session that later cases need.
      if (answer.headers.has('set-cookie') && who !== 'disabled') await signIn(who);
      expect([expected[who]].flat()).toContain(answer.status);
      if (served.get(endpoint) && served.get(endpoint)?.audience !== 'public')
        expect(answer.headers.get('cache-control'), 'replies to an account are not stored').toMatch(/^no-store/);
      // The next case starts the same job, of which only one may run.
      if (answer.status === 200 && startsJob.includes(endpoint))
        await expect.poll(runningJobs, { message: 'jobs that run' }).toEqual([]);
      const code = codes[answer.status];
      if (code === undefined) return;
      expect(answer.body).toMatchObject({ success: false, code });
      expect(answer.body).not.toHaveProperty('data');
    });

    if (!other) return;
    test('records of other users', async () => {
      const { as, thing, body, status } = other;
      const id = things.get(thing)!;
      const before = await belongings();
      const client = clients.get(as)!;
      const answer = await client.send(method, pathOf(endpoint, String(id)), bodyOf(method, { id, ...body }));
      expect(answer).toMatchObject({ status, body: { success: false } });
      expect(answer.body).not.toHaveProperty('data');
      expect(await belongings()).toEqual(before);
    });
  });
});

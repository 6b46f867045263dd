import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { auditApi, channelApi, optionApi, role } from '@relay-hub/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { up } from '#db/migrations/0015-private-networks.ts';
import { addCaller } from '#testing/callers.ts';
import { chat } from '#testing/chat.ts';
import { type EmptyDatabase, newSqlite, onEveryDatabase } from '#testing/databases.ts';
import { addChannel, type ApiClient, hubForSuite, startHub, type TestHub, upstreamForSuite } from '#testing/hub.ts';
import { addPerson } from '#testing/people.ts';

const KEY = 'OutboundPrivateNetworks';
const refused = (code: string, field: string) => ({ status: 400, body: { success: false, code, field } });
const allow = (client: ApiClient, address: string) => client.try(optionApi.allowAddress, { body: { address } });
const set = (client: ApiClient, key: string, value: string) => client.try(optionApi.set, { body: { key, value } });

onEveryDatabase('private networks', (make) => {
  const upstream = upstreamForSuite();
  let database: EmptyDatabase;
  let hub: TestHub;
  let other: TestHub;
  let admin: ApiClient;
  beforeAll(async () => {
    database = await make();
    hub = await startHub(database, {}, { networks: '' });
    other = await startHub(database, {}, { networks: '' });
    admin = (await addPerson(hub, { role: role.admin })).client;
  }, 60_000);
  afterAll(async () => {
    await Promise.all([hub?.close(), other?.close()]);
    await database?.remove();
  });

  const asked = (base_url: string) => ({ type: 8, name: 'local', key: 'sk-any', models: 'gpt-4o', base_url });
  const models = (base_url: string) => admin.try(channelApi.providerModels, { body: asked(base_url) });

  test('are unreachable by default, without revealing what listens there', async () => {
    const connected: unknown[] = [];
    const listening = createServer((socket) => void connected.push(socket.destroy())).listen(0, '0.0.0.0');
    await once(listening, 'listening');
    const { port } = listening.address() as AddressInfo; // a TCP port
    for (const host of ['127.0.0.1', 'localhost', '0x7f.1', '2130706433', '①②⑦.0.0.1', '[::ffff:127.0.0.1]']) {
      const [open, closed] = [await models(`http://${host}:${port}`), await models(`http://${host}:1`)];
      expect(open, host).toMatchObject(refused('outbound.private', 'base_url'));
      expect(closed.body, host).toEqual(open.body);
      expect(open.body.message).toContain('A super administrator can allow it');
    }
    // Stored before it was refused: calls and tests do not go there either.
    const id = await addChannel(hub, 'https://api.example.com', { models: 'gpt-4.1-nano', test_model: 'gpt-4.1-nano' });
    const { db, live } = hub.server.deps;
    await db
      .updateTable('channels')
      .set({ base_url: `http://localhost:${port}` })
      .where('id', '=', id)
      .execute();
    await live.changed('routes');
    const tested = await admin.try(channelApi.test, { params: { id }, query: { model: '' } });
    expect(tested).toMatchObject(refused('outbound.private', 'base_url'));
    expect(await admin.call(channelApi.get, { params: { id } })).toMatchObject({
      last_error: 'the address is in a private network that is not allowed',
    });
    const answer = await chat(hub, (await addCaller(db)).key, 'gpt-4.1-nano');
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect(connected).toEqual([]);
    listening.close();
  });

  test('are allowed by a super administrator alone, with one call, which is audited', async () => {
    expect((await allow(admin, upstream().url)).status).toBe(403);
    expect((await set(admin, KEY, '127.0.0.1')).status).toBe(403);
    const first = await allow(hub.root, `${upstream().url.replace('127.0.0.1', '0x7f.1')}/v1`);
    expect(first.body).toMatchObject({ success: true, data: { networks: ['127.0.0.1'] } });
    const added = (address: string) => hub.root.call(optionApi.allowAddress, { body: { address } });
    expect(await added(upstream().url), 'it is allowed already').toEqual({ networks: [] });
    expect(await added('http://localhost:11434')).toEqual({ networks: ['::1'] });
    expect(await added('https://1.1.1.1')).toEqual({ networks: [] });
    const option = (await hub.root.call(optionApi.list)).find(({ key }) => key === KEY);
    expect(option).toMatchObject({ value: '127.0.0.1,::1', changed_by: 'root' });
    const { data } = await hub.root.call(auditApi.list, { query: { kind: 'option', actor: 'root' } });
    const entry = await hub.root.call(auditApi.get, { params: { id: data.at(-1)!.id } });
    expect(entry).toMatchObject({ object_id: KEY, actor_name: 'root', after: { [KEY]: '127.0.0.1' } });

    const found = await admin.call(channelApi.providerModels, { body: asked(upstream().url) });
    expect(found).toContain('gpt-4o');
    expect((await admin.try(channelApi.create, { body: asked(upstream().url) })).status).toBe(200);
    expect(await models('http://127.0.0.2:1')).toMatchObject(refused('outbound.private', 'base_url'));
    expect(await allow(hub.root, 'http://[')).toMatchObject(refused('outbound.address', 'address'));
    expect(await allow(hub.root, 'http://nobody.invalid')).toMatchObject(refused('outbound.unresolved', 'address'));
  });

  test('that are allowed no longer are left, on every node', async () => {
    const { key } = await addCaller(hub.server.deps.db);
    await addChannel(hub, upstream().url, { models: 'gpt-4.1-mini' });
    const ask = (at: TestHub) => chat(at, key, 'gpt-4.1-mini');
    await expect
      .poll(async () => (await ask(other)).status, { message: 'status of a call to the other node' })
      .toBe(200);
    expect((await ask(hub)).status).toBe(200);
    await hub.root.call(optionApi.set, { body: { key: KEY, value: '' } });
    const before = upstream().requests.length;
    expect((await ask(hub)).status).toBeGreaterThanOrEqual(500);
    expect(upstream().requests.length).toBe(before);
    const message = 'status of a call to the other node';
    await expect.poll(async () => (await ask(other)).status, { message }).toBeGreaterThanOrEqual(500);
  });

  test('do not include metadata and link-local addresses, whatever is allowed', async () => {
    for (const network of ['169.254.169.254', '169.254.0.0/16', 'fe80::/10', '100.100.100.200', 'fd00:ec2::254'])
      expect(await set(hub.root, KEY, network), network).toMatchObject(refused('option.invalid', KEY));
    for (const text of ['10.0.0.0/33', 'localhost', '10.0.0.1:80', 'fe80::1%eth0'])
      expect(await set(hub.root, KEY, text), text).toMatchObject(refused('option.invalid', KEY));
    expect((await set(hub.root, KEY, '0.0.0.0/0\n::/0')).status).toBe(200);
    for (const host of ['169.254.169.254', '2852039166', '[::ffff:a9fe:a9fe]', '[fd00:ec2::254]']) {
      expect(await models(`http://${host}`), host).toMatchObject(refused('outbound.never', 'base_url'));
      expect(await allow(hub.root, `http://${host}`), host).toMatchObject(refused('outbound.never', 'address'));
    }
    expect((await models(upstream().url)).status).toBe(200);
    await hub.root.call(optionApi.set, { body: { key: KEY, value: '' } });
  });

  test('hold for the mail server, when it is set and when a mail is sent', async () => {
    const connected: unknown[] = [];
    const listening = createServer((socket) => void connected.push(socket.destroy())).listen(0, '127.0.0.1');
    await once(listening, 'listening');
    const port = String((listening.address() as AddressInfo).port); // a TCP port
    for (const host of ['169.254.169.254', '2852039166', '[::ffff:a9fe:a9fe]', 'fe80::1'])
      expect(await set(hub.root, 'SMTPServer', host), host).toMatchObject(refused('outbound.never', 'SMTPServer'));
    for (const host of ['127.0.0.1', 'localhost', '0x7f.1', '10.0.0.1', '::1'])
      expect(await set(hub.root, 'SMTPServer', host), host).toMatchObject(refused('outbound.private', 'SMTPServer'));
    const values = { SMTPServer: '127.0.0.1', SMTPPort: port, SMTPFrom: 'a@b.example', [KEY]: '127.0.0.1' };
    expect((await hub.root.try(optionApi.setMany, { body: { values } })).status, 'both at once').toBe(200);
    const send = () => hub.root.try(optionApi.testMail, { body: { to: 'somebody@a.example' } });
    expect(await send()).toMatchObject({ status: 502, body: { code: 'mail.unreachable' } });
    expect(connected).not.toEqual([]);
    connected.length = 0;
    await hub.root.call(optionApi.set, { body: { key: KEY, value: '' } });
    expect(await send()).toMatchObject(refused('outbound.private', 'SMTPServer'));
    const { db, live } = hub.server.deps;
    for (const value of ['169.254.169.254', '2852039166']) {
      await db.updateTable('options').set({ value }).where('key', '=', 'SMTPServer').execute();
      await live.changed('settings');
      expect(await send(), value).toMatchObject(refused('outbound.never', 'SMTPServer'));
    }
    expect(connected).toEqual([]);
    listening.close();
  });
});

describe('OUTBOUND_PRIVATE', () => {
  const [refusing, listing, allowing] = ['refuse', '127.0.0.0/8, fd00::/8', 'allow'].map((OUTBOUND_PRIVATE) =>
    hubForSuite(newSqlite, { OUTBOUND_PRIVATE }, { networks: '' }),
  ) as [() => TestHub, () => TestHub, () => TestHub]; // one of each
  const create = ({ root }: TestHub, host: string) => {
    const body = { type: 8, name: 'local', key: 'sk-any', models: 'gpt-4o', base_url: `http://${host}:9` };
    return root.try(channelApi.create, { body });
  };

  test('refuse: nothing can be allowed', async () => {
    expect(await set(refusing().root, KEY, '127.0.0.1')).toMatchObject(refused('option.network_limit', KEY));
    expect(await allow(refusing().root, 'http://127.0.0.1')).toMatchObject(refused('outbound.never', 'address'));
    expect(await create(refusing(), '127.0.0.1')).toMatchObject(refused('outbound.never', 'base_url'));
    expect((await create(refusing(), '1.1.1.1')).status).toBe(200);
  });

  test('a list: the most that can be allowed, and nothing by itself', async () => {
    const { root } = listing();
    expect(await create(listing(), '127.0.0.1')).toMatchObject(refused('outbound.private', 'base_url'));
    for (const network of ['10.0.0.1', '127.0.0.0/7', '126.0.0.0/7', 'fd00::/7', '0.0.0.0/0'])
      expect(await set(root, KEY, network), network).toMatchObject(refused('option.network_limit', KEY));
    expect(await allow(root, 'http://10.0.0.1')).toMatchObject(refused('outbound.never', 'address'));
    expect((await allow(root, 'http://127.0.0.1')).status).toBe(200);
    expect((await create(listing(), '127.0.0.1')).status).toBe(200);
    expect((await set(root, KEY, '127.0.0.0/8, fd12::/16')).status).toBe(200);
    expect((await create(listing(), '[fd12::1]')).status).toBe(200);
    // Allowed by a wider list before.
    await listing().server.deps.db.updateTable('options').set({ value: '10.0.0.0/8' }).where('key', '=', KEY).execute();
    await listing().server.deps.live.changed('settings');
    expect(await create(listing(), '10.0.0.1')).toMatchObject(refused('outbound.never', 'base_url'));
  });

  test('allow: all of them without a setting, but for metadata and link-local addresses', async () => {
    for (const host of ['127.0.0.1', '10.0.0.1', '[fd12::1]', '100.64.0.1'])
      expect((await create(allowing(), host)).status, host).toBe(200);
    for (const host of ['169.254.169.254', '[fe80::1]', '[fd00:ec2::254]', '[64:ff9b::a9fe:a9fe]'])
      expect(await create(allowing(), host), host).toMatchObject(refused('outbound.never', 'base_url'));
  });
});

onEveryDatabase('an installation that is upgraded', (make) => {
  /** An installation of the previous version, without settings, after the migration. */
  async function before(database: EmptyDatabase, prepare: (hub: TestHub) => Promise<void>): Promise<void> {
    const hub = await startHub(database, {}, { networks: '' });
    await prepare(hub);
    const { db } = hub.server.deps;
    await sql`delete from options where key = 'private-networks-adopted'`.execute(db);
    await up(db as never);
    await hub.close();
  }

  async function upgraded(database: EmptyDatabase, env: Record<string, string> = {}) {
    const hub = await startHub(database, env, { networks: '' });
    const options = await hub.root.call(optionApi.list);
    const valueOf = (key: string) => options.find((option) => option.key === key)?.value;
    return { hub, networks: valueOf(KEY), pictures: valueOf('ChatImagePrivateNetworks') };
  }

  const upstream = upstreamForSuite();

  test('goes on reaching what its channels, proxies and mail server are at, and the audit log says so', async () => {
    const database = await make();
    await before(database, async (hub) => {
      const { db, secrets, live } = hub.server.deps;
      const old = await addChannel(hub, 'https://api.example.com', { models: 'gpt-4.1' });
      const proxied = await addChannel(hub, 'https://api.example.com', { models: 'proxied' });
      const gone = await addChannel(hub, 'https://api.example.com', { models: 'gone' });
      const write = (id: number, columns: object) =>
        db.updateTable('channels').set(columns).where('id', '=', id).execute();
      await write(old, { base_url: upstream().url });
      await write(proxied, { proxy: secrets.encrypt('socks5://me:secret@10.1.2.3:1080') });
      await write(gone, { base_url: 'http://192.168.77.7', deleted_time: 1 });
      await write(await addChannel(hub, 'https://api.example.com'), { base_url: 'http://169.254.169.254' });
      await db.insertInto('options').values({ key: 'SMTPServer', value: '192.168.1.9' }).execute();
      await live.changed('routes');
    });
    const { hub, networks, pictures } = await upgraded(database);
    expect(networks?.split(',').toSorted()).toEqual(['10.1.2.3', '127.0.0.1', '192.168.1.9']);
    expect(pictures).toBe('');
    const { key } = await addCaller(hub.server.deps.db);
    expect((await chat(hub, key, 'gpt-4.1')).status).toBe(200);
    const { data } = await hub.root.call(auditApi.list, { query: { actor: 'upgrade' } });
    expect(data).toMatchObject([{ kind: 'option', object_id: KEY, via: 'command' }]);
    const entry = await hub.root.call(auditApi.get, { params: { id: data[0]!.id } });
    expect(entry).toMatchObject({ after: { [KEY]: networks } });
    const history = await hub.root.call(optionApi.history, { query: { key: KEY } });
    expect(history.data).toMatchObject([{ before: null, after: networks }]);

    // Only once: a removed network is not added again.
    await hub.root.call(optionApi.set, { body: { key: KEY, value: '' } });
    await hub.close();
    const again = await upgraded(database);
    expect(again.networks).toBe('');
    await again.hub.close();
    await database.remove();
  });

  test('keeps what its OUTBOUND_PRIVATE allowed to names, also for pictures', async () => {
    const database = await make();
    await before(database, async () => {});
    const { hub, networks, pictures } = await upgraded(database, { OUTBOUND_PRIVATE: '10.2.0.0/16, 127.0.0.1' });
    const sorted = [networks, pictures].map((list) => list?.split(',').toSorted());
    expect(sorted).toEqual(Array.from({ length: 2 }, () => ['10.2.0.0/16', '127.0.0.1/32']));
    await hub.close();
    await database.remove();
  });

  test('a new one has none', async () => {
    const database = await make();
    const { hub, networks, pictures } = await upgraded(database, { OUTBOUND_PRIVATE: '127.0.0.1' });
    expect([networks, pictures]).toEqual(['', '']);
    await hub.close();
    await database.remove();
  });
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { channelApi, incidentApi, type InputOf, priceApi, tokenApi, wayApi } from '@relay-hub/contract';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openIncident, settleIncidents } from '#alarms/incidents.ts';
import { planDeliveries } from '#alarms/plan-deliveries.ts';
import { signedHeaders } from '#alarms/way-kinds.ts';
import { addCaller } from '#testing/callers.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, liftRates, upstreamForSuite } from '#testing/hub.ts';
import { type Mailbox, sendThrough, setOptions, startMailbox } from '#testing/mailbox.ts';
import { addPerson, PASSWORD } from '#testing/people.ts';
import { hello, post } from '#testing/relay-calls.ts';
import { publishedTroubles, publishTroubles } from './local-troubles.ts';
import { failingJobs, repeat } from './repeat.ts';
import { deliverOnce, IncidentWatch } from './watch-incidents.ts';

interface Received {
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** A simulator of chat services and webhook receivers, whose next answers are chosen. */
async function startReceiver() {
  const received: Received[] = [];
  const next: { status: number; body?: string }[] = [];
  const usual = new Map<string, string>([
    ['/slack', 'ok'],
    ['/feishu', '{"code":0}'],
    ['/dingtalk', '{"errcode":0}'],
    ['/wecom', '{"errcode":0}'],
    ['/bark/push', '{"code":200}'],
    ['/discord', '{"id":"1"}'],
    ['/bot123:abc/sendMessage', '{"ok":true,"result":{"message_id":42}}'],
  ]);
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const path = new URL(request.url ?? '', 'http://x').pathname;
      received.push({ path, headers: request.headers, body: Buffer.concat(pieces).toString() });
      const { status, body = '' } = next.shift() ?? { status: isQueued(path) ? 202 : 200, body: usual.get(path) ?? '' };
      response.writeHead(status).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    next,
    usual,
    at: (path: string) => received.filter((each) => each.path === path),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

const LOOKER = 'the node that looks';

const aBackup = { cause: 'console', actor_id: 0, host: 'x', started_time: 1, seen_time: 1, encrypted: false } as const;

const aGateway = {
  type: 'epay',
  uuid: 'refusing',
  name: 'refusing',
  icon: 'x',
  notify_domain: '',
  currency: 'CNY',
  fixed_fee_minor: 0,
  percent_fee_bp: 0,
  sort: 0,
  enable: true,
  created_at: 1,
  updated_at: 1,
  config: '{}',
  secrets_cipher: '',
} as const;

const isQueued = (path: string): boolean => path === '/teams' || path === '/pagerduty';

onEveryDatabase('incidents', (make) => {
  const hub = hubForSuite(make, { NOTIFY_EMAIL: 'ops@hub.example' });
  const upstream = upstreamForSuite();
  let mailbox: Mailbox;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  /** Added to the clock, so that no test waits. */
  let ahead = 0;
  const deps = () => {
    const { deps: own } = hub().server;
    return { ...own, nodeId: LOOKER, now: () => own.now() + ahead };
  };
  /** As the longest-running node, so that only the test looks. */
  const look = async () => {
    const seen_time = deps().now() - ahead;
    await deps()
      .db.insertInto('nodes')
      .values({ id: LOOKER, host: 'elsewhere', pid: 1, started_time: 0, seen_time })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_time }))
      .execute();
    await new IncidentWatch(deps()).round();
  };
  /** Sends due messages, and waits for those that the hub itself is sending. */
  const tell = async () => {
    await deliverOnce(deps());
    const underWay = async () => {
      const sending = deps().db.selectFrom('deliveries').where('status', '=', 'waiting').where('attempts', '>', 0);
      return (await sending.where('sent_at', '=', 0).select('id').execute()).length;
    };
    await expect.poll(underWay, { message: 'messages under way', timeout: 10_000 }).toBe(0);
  };
  const open = async () => (await hub().root.call(incidentApi.list, { query: { state: 'open', size: 100 } })).data;
  const clear = () =>
    settleIncidents(deps().db, [], ['model', 'channel', 'success', 'usage', 'backup', 'job'], deps().now());
  const call = async (key: string) => (await post(hub(), key, hello)).status;
  const addWay = (
    body: Partial<InputOf<typeof wayApi.create>['body']> & Pick<InputOf<typeof wayApi.create>['body'], 'kind'>,
  ) => hub().root.call(wayApi.create, { body: { site: true, ...body } });
  const mails = (text: string) => mailbox.mails.filter(({ subject }) => subject.includes(text));

  beforeAll(async () => {
    mailbox = await startMailbox();
    receiver = await startReceiver();
    await sendThrough(hub().root, mailbox, { ServerAddress: 'https://hub.example', Language: 'en_US' });
    await liftRates(hub().root);
    await look();
  });
  afterAll(async () => {
    await mailbox?.close();
    await receiver?.close();
  });
  afterEach(async () => {
    upstream().behaviour = {};
    receiver.next.length = 0;
    for (const { id, site, kind } of await hub().root.call(wayApi.list))
      if (site && kind !== 'mail') await hub().root.call(wayApi.remove, { params: { id } });
  });

  test('a channel whose key is refused and a model that nobody serves are mailed once by default, and again at their end', async () => {
    const id = await addChannel(hub(), upstream().url, { name: 'broken one', models: 'gpt-4o' });
    const { key } = await addCaller(deps().db);
    upstream().behaviour = { status: 401, error: { error: { message: 'Incorrect API key provided' } } };
    for (let at = 0; at < 8; at++) expect([502, 503]).toContain(await call(key));
    await look();
    await look();
    const incidents = await open();
    expect(incidents.map(({ kind, object }) => `${kind} ${object}`).toSorted()).toEqual([
      `channel ${id}`,
      'model gpt-4o',
    ]);
    expect(incidents.find(({ kind }) => kind === 'channel')).toMatchObject({
      params: { name: 'broken one' },
      title: expect.stringContaining('Channel broken one fails'),
    });
    for (let round = 0; round < 3; round++) await tell();
    expect(mails('broken one fails').map(({ to }) => to)).toEqual(['ops@hub.example']);
    expect(mails('Nobody serves gpt-4o')).toHaveLength(1);
    expect(mails('broken one fails')[0]?.text).toContain('https://hub.example/panel/incident?show=');

    upstream().behaviour = {};
    await hub().root.call(channelApi.test, { params: { id }, query: { model: 'gpt-4o' } });
    expect(await call(key)).toBe(200);
    ahead += 31;
    await call(key);
    await look();
    expect(await open()).toEqual([]);
    for (let round = 0; round < 3; round++) await tell();
    expect(mails('Over: Channel broken one')).toHaveLength(1);
    expect(mails('Over: Nobody serves')).toHaveLength(1);
    const months = await hub().root.call(incidentApi.months);
    expect(months[0]).toMatchObject({ incidents: 2, to_notice: expect.any(Number), to_repair: expect.any(Number) });
    await hub().root.call(channelApi.remove, { params: { id } });
  });

  test('open incidents are listed before closed ones, the gravest and longest first', async () => {
    const { db, now } = deps();
    const trouble = (kind: 'job' | 'storage', object: string, severity: 'warning' | 'error' | 'critical') =>
      ({ kind, object, severity, params: {} }) as const;
    const older = [trouble('job', 'mild', 'warning'), trouble('job', 'long', 'error')];
    await settleIncidents(db, older, ['job'], now() - 60);
    const newer = [...older, trouble('job', 'new', 'error'), trouble('storage', 'grave', 'critical')];
    await settleIncidents(db, newer, ['job', 'storage'], now());
    const { data } = await hub().root.call(incidentApi.list);
    expect(data.slice(0, 4).map(({ object }) => object)).toEqual(['grave', 'long', 'new', 'mild']);
    expect(data[4]?.closed_at).not.toBe(0);
    await settleIncidents(db, [], ['job', 'storage'], now());
    // Their beginnings, then their ends: left over, they would be folded with those of the next test.
    for (let round = 0; round < 2; round++) await tell();
  });

  test('a dead host is an incident, whatever the settings switch off', async () => {
    const id = await addChannel(hub(), 'http://127.0.0.1:9', {
      name: 'dead host',
      models: 'gpt-4o',
      test_model: 'gpt-4o',
    });
    await hub().root.try(channelApi.test, { params: { id } });
    await look();
    expect(await open()).toMatchObject([{ kind: 'channel', object: String(id), severity: 'error' }]);
    await hub().root.call(channelApi.remove, { params: { id } });
    await look();
    expect(await open()).toEqual([]);
  });

  test('one caller whose requests fail takes no channel into an incident', async () => {
    const id = await addChannel(hub(), upstream().url, { name: 'sound', models: 'gpt-4o' });
    const [poison, other] = [await addCaller(deps().db), await addCaller(deps().db)];
    expect(await call(other.key)).toBe(200);
    upstream().behaviour = { status: 500, error: { error: { message: 'cannot digest this' } } };
    for (let at = 0; at < 4; at++) await call(poison.key);
    upstream().behaviour = {};
    await look();
    expect((await open()).filter(({ kind }) => kind === 'channel')).toEqual([]);
    await clear();
    await hub().root.call(channelApi.remove, { params: { id } });
  });

  test('ten thousand failures in a minute are one incident, and one message by each way', async () => {
    await addWay({ kind: 'slack', config: { address: `${receiver.url}/slack` } });
    const { hour } = deps();
    const caller = { userId: 1, username: 'root', tokenId: 1, tokenName: 't' };
    for (let at = 0; at < 10_000; at++)
      hour.refused({ caller, model: 'flooded', status: 503, reason: 'no_available_channel' });
    await Promise.all([look(), look(), look()]);
    expect((await open()).filter(({ object }) => object === 'flooded')).toMatchObject([{ params: { calls: 10_000 } }]);
    await Promise.all([tell(), tell(), tell()]);
    await tell();
    // The hub itself may be sending it.
    await expect.poll(() => mails('Nobody serves flooded').length, { message: 'the mail' }).toBe(1);
    const atSlack = () => receiver.at('/slack').filter(({ body }) => body.includes('flooded')).length;
    await expect.poll(atSlack, { message: 'the message' }).toBe(1);
    ahead += 16 * 60;
    await look();
    await tell();
    expect(mails('Over: Nobody serves flooded')).toHaveLength(1);
  });

  test('every service is sent to, and an error inside of a 200 is a failure that is tried again', async () => {
    const chats = [
      { kind: 'feishu', config: { address: `${receiver.url}/feishu`, secret: 's' } },
      { kind: 'dingtalk', config: { address: `${receiver.url}/dingtalk`, secret: 'SECx' } },
      { kind: 'wecom', config: { address: `${receiver.url}/wecom` } },
      { kind: 'discord', config: { address: `${receiver.url}/discord` } },
      { kind: 'telegram', config: { address: receiver.url, token: '123:abc', target: '-100' } },
      { kind: 'teams', config: { address: `${receiver.url}/teams` } },
      { kind: 'ntfy', config: { address: `${receiver.url}/ntfy`, target: 'topic' } },
      { kind: 'bark', config: { address: `${receiver.url}/bark`, token: 'device' } },
      { kind: 'pagerduty', config: { address: `${receiver.url}/pagerduty`, token: 'routing-key' } },
    ] as const;
    for (const chat of chats) {
      const { id } = await addWay(chat);
      expect(await hub().root.call(wayApi.test, { params: { id } }), chat.kind).toMatchObject({ ok: true });
    }
    const { id } = await addWay({ kind: 'wecom', config: { address: `${receiver.url}/wecom` } });
    receiver.next.push({ status: 200, body: '{"errcode":93000,"errmsg":"invalid webhook url"}' });
    expect(await hub().root.call(wayApi.test, { params: { id } })).toMatchObject({ ok: false, http_status: 200 });
    expect((await hub().root.try(wayApi.confirm, { params: { id } })).body).toMatchObject({ code: 'way.not_tested' });
    await hub().root.call(wayApi.test, { params: { id } });
    expect((await hub().root.call(wayApi.confirm, { params: { id } })).confirmed_at).toBeGreaterThan(0);

    receiver.received.length = 0;
    const trouble = { kind: 'job', object: 'x', severity: 'error', params: { job: 'x' } } as const;
    await settleIncidents(deps().db, [trouble], ['job'], deps().now());
    await tell();
    await settleIncidents(deps().db, [], ['job'], deps().now());
    await tell();
    for (const path of ['/feishu', '/dingtalk', '/discord', '/teams', '/ntfy', '/bark/push', '/pagerduty'])
      expect(receiver.at(path), path).toHaveLength(2);
    const [, over] = receiver.at('/bot123:abc/sendMessage');
    expect(JSON.parse(over!.body)).toMatchObject({ reply_parameters: { message_id: 42 } });
  });

  test('a webhook is signed, keeps its id at each attempt, and is tried until it is taken', async () => {
    const { id, secret } = await addWay({ kind: 'webhook', config: { address: `${receiver.url}/hook` } });
    receiver.next.push({ status: 500 }, { status: 503 });
    const trouble = { kind: 'job', object: 'y', severity: 'error', params: { job: 'y' } } as const;
    await deps().db.updateTable('ways').set({ enabled: false }).where('kind', '=', 'mail').execute();
    await settleIncidents(deps().db, [trouble], ['job'], deps().now());
    for (let attempt = 0; attempt < 4; attempt++) {
      await tell();
      ahead += 61;
    }
    await settleIncidents(deps().db, [], ['job'], deps().now());
    await tell();
    await deps().db.updateTable('ways').set({ enabled: true }).where('kind', '=', 'mail').execute();
    const sent = receiver.at('/hook');
    expect(sent.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual([
      'incident.opened',
      'incident.opened',
      'incident.opened',
      'incident.closed',
    ]);
    expect(new Set(sent.slice(0, 3).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    for (const { headers, body } of sent)
      expect(headers['webhook-signature']).toBe(
        signedHeaders(secret, String(headers['webhook-id']), Number(headers['webhook-timestamp']), body)[
          'webhook-signature'
        ],
      );
    const { data } = await hub().root.call(wayApi.deliveries, { params: { id } });
    expect(data.map(({ status, attempts }) => [status, attempts])).toEqual([
      ['delivered', 1],
      ['delivered', 3],
    ]);
    await hub().root.call(wayApi.replay, { params: { id, delivery: data[1]!.id } });
    await tell();
    expect(receiver.at('/hook')).toHaveLength(5);
  });

  test('a process that dies between cause and delivery loses no message', async () => {
    await addWay({ kind: 'slack', config: { address: `${receiver.url}/slack` } });
    receiver.received.length = 0;
    const trouble = { kind: 'job', object: 'z', severity: 'error', params: { job: 'z' } } as const;
    await settleIncidents(deps().db, [trouble], ['job'], deps().now());
    // As if it had claimed the delivery and was killed before it sent anything.
    const { db } = deps();
    await planDeliveries(deps());
    await db
      .updateTable('deliveries')
      .set({ next_at: deps().now() + 60, attempts: 1 })
      .where('status', '=', 'waiting')
      .execute();
    ahead += 61;
    await tell();
    await tell();
    expect(receiver.at('/slack').filter(({ body }) => body.includes('\\"z\\"'))).toHaveLength(1);
    await clear();
  });

  test('many incidents at once are one message for people', async () => {
    await addWay({ kind: 'slack', config: { address: `${receiver.url}/slack` } });
    receiver.received.length = 0;
    const troubles = Array.from({ length: 23 }, (_, at) => ({
      kind: 'job' as const,
      object: `job ${at}`,
      severity: 'error' as const,
      params: { job: `job ${at}` },
    }));
    await settleIncidents(deps().db, troubles, ['job'], deps().now());
    await tell();
    await tell();
    const told = receiver.at('/slack').map(({ body }) => body);
    // The hub may send the first of them while the others are being written.
    expect(told.length).toBeLessThanOrEqual(2);
    expect(told.some((body) => /and \d+ more/.test(body))).toBe(true);
    await clear();
    await tell();
  });

  test('an incident that becomes grave is told to those who do not want mild ones, and not again to others', async () => {
    await addWay({ kind: 'slack', config: { address: `${receiver.url}/slack` } });
    await addWay({ kind: 'ntfy', config: { address: `${receiver.url}/ntfy`, target: 'grave' }, severity: 'error' });
    receiver.received.length = 0;
    for (const severity of ['warning', 'error', 'warning'] as const) {
      const trouble = { kind: 'job', object: 'worse', severity, params: { job: 'worse' } } as const;
      await settleIncidents(deps().db, [trouble], ['job'], deps().now());
      await tell();
    }
    expect(await open()).toMatchObject([{ object: 'worse', severity: 'error' }]);
    const told = (path: string) => receiver.at(path).filter(({ body }) => body.includes('worse')).length;
    await expect.poll(() => [told('/slack'), told('/ntfy')], { message: 'a message each' }).toEqual([1, 1]);
    await clear();
    await tell();
    await expect.poll(() => [told('/slack'), told('/ntfy')], { message: 'its end to both' }).toEqual([2, 2]);
  });

  test('what is muted or mild is not told, and quiet hours hold back all but the grave', async () => {
    const { id } = await addWay({ kind: 'slack', config: { address: `${receiver.url}/slack` }, severity: 'error' });
    receiver.received.length = 0;
    const trouble = (kind: 'disk' | 'backup' | 'storage', severity: 'warning' | 'error' | 'critical') => ({
      kind,
      object: '',
      severity,
      params: {},
    });
    const { db, now } = deps();
    await settleIncidents(db, [trouble('disk', 'warning')], ['disk'], now());
    await tell();
    expect(receiver.at('/slack')).toHaveLength(0);
    const [clockFrom, clockTo] = [-3600, 3600].map((by) => new Date((now() + by) * 1000).toISOString().slice(11, 16));
    await db.updateTable('ways').set({ quiet_from: clockFrom!, quiet_to: clockTo! }).where('id', '=', id).execute();
    await settleIncidents(
      db,
      [trouble('backup', 'error'), trouble('storage', 'critical')],
      ['disk', 'backup', 'storage'],
      now(),
    );
    await tell();
    expect(receiver.at('/slack').map(({ body }) => body.includes('refuses'))).toEqual([true]);
    const backup = (await open()).find(({ kind }) => kind === 'backup')!;
    const changed = await hub().root.call(incidentApi.update, {
      params: { id: backup.id },
      body: { acknowledged: true, muted_until: now() + 7200, note: 'we know' },
    });
    expect(changed).toMatchObject({ acknowledged_by: 'root', note: 'we know' });
    await settleIncidents(db, [], ['backup', 'storage'], now());
    ahead += 3700;
    await tell();
    const told = receiver.at('/slack').map(({ body }) => body);
    expect(told.filter((body) => body.includes('last backup'))).toEqual([]);
    expect((await hub().root.call(incidentApi.get, { params: { id: backup.id } })).messages.length).toBeGreaterThan(0);
  });

  /** A call that was refused by the hub. */
  const refuse = () =>
    deps().hour.refused({
      caller: { userId: 1, username: 'root', tokenId: 1, tokenName: 't' },
      model: 'gpt-4o',
      status: 429,
      reason: 'limit_reached',
    });
  const slowCall = () =>
    deps().hour.ended({
      caller: { userId: 1, username: 'root', tokenId: 1, tokenName: 't' },
      model: 'gpt-4o',
      failed: false,
      credits: 0,
      firstMs: 9000,
      attemptFirstMs: 9000,
      attempts: [[slowChannel, 'ok']],
    });
  let slowChannel = 0;
  let keyChannel = 0;
  const caller = { userId: 1, username: 'root', tokenId: 1, tokenName: 't' };
  const changeChannel = (set: { balance?: number; balance_updated_time?: number; usage_warning?: string }) =>
    deps().db.updateTable('channels').set(set).where('id', '=', keyChannel).execute();
  /** Troubles that another living node has published. */
  const published = async (kind: 'journal' | 'disk' | 'certificate' | 'job' | 'storage', found: boolean) => {
    const { db } = deps();
    const far = { id: 'far', host: 'far away', pid: 1, started_time: 1, seen_time: deps().now() - ahead };
    await db
      .insertInto('nodes')
      .values(far)
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_time: far.seen_time }))
      .execute();
    const trouble = { kind, object: 'far', severity: 'error' as const, params: { host: 'far' }, cause: '' };
    await publishTroubles(db, 'far', found ? [trouble] : []);
  };
  const kinds: {
    kind: string;
    object?: string;
    title: string;
    cause(): unknown;
    end(): unknown;
  }[] = [
    {
      kind: 'refusals',
      title: '60 calls were refused in 10 minutes; 0 are usual',
      cause() {
        // Calls are noted by the clock of the hub.
        ahead = 0;
        return Array.from({ length: 60 }, refuse);
      },
      end: () => (ahead += 120),
    },
    {
      kind: 'slow',
      title: 'is slow: ',
      async cause() {
        ahead = 0;
        slowChannel = await addChannel(hub(), upstream().url, { name: 'slow one', models: 'gpt-4o' });
        await setOptions(hub().root, { ChannelDisableThreshold: '5' });
        for (let at = 0; at < 6; at++) slowCall();
      },
      async end() {
        ahead += 660;
        await hub().root.call(channelApi.remove, { params: { id: slowChannel } });
      },
    },
    {
      kind: 'price',
      object: 'unpriced-1',
      title: '1 calls of unpriced-1 were refused',
      cause() {
        ahead = 0;
        deps().hour.refused({ caller, model: 'unpriced-1', status: 403, reason: 'model_not_priced' });
      },
      end: () =>
        hub().root.call(priceApi.create, {
          body: { model: 'unpriced-1', type: 'tokens', channel_type: 1, input: 1, output: 1 },
        }),
    },
    {
      kind: 'key',
      title: 'A key of channel two keys was disabled',
      async cause() {
        const both = { name: 'two keys', key: 'key-1\nkey-2', one_channel: true };
        keyChannel = await addChannel(hub(), upstream().url, both);
        await deps()
          .db.updateTable('channel_keys')
          .set({ status: 3, reason: 'Incorrect API key' })
          .where('channel_id', '=', keyChannel)
          .where('id', '=', ({ selectFrom }) =>
            selectFrom('channel_keys')
              .where('channel_id', '=', keyChannel)
              .select(({ fn }) => fn.min<number>('id').as('id')),
          )
          .execute();
      },
      end: () => hub().root.call(channelApi.remove, { params: { id: keyChannel } }),
    },
    {
      kind: 'credential',
      title: 'A key of channel short-lived expires in 2 days',
      async cause() {
        const claims = { iat: deps().now() - 30 * 86_400, exp: deps().now() + 2 * 86_400 + 60 };
        const [head, body] = [{ alg: 'HS256' }, claims].map((part) =>
          Buffer.from(JSON.stringify(part)).toString('base64url'),
        );
        keyChannel = await addChannel(hub(), upstream().url, { name: 'short-lived', key: `${head}.${body}.c2ln` });
      },
      end: () => hub().root.call(channelApi.update, { body: { id: keyChannel, key: 'sk-that-does-not-end' } }),
    },
    {
      kind: 'balance',
      title: 'has only 4.5 USD left',
      cause: () => changeChannel({ balance: 4.5, balance_updated_time: deps().now() }),
      end: () => changeChannel({ balance: 40 }),
    },
    {
      kind: 'usage',
      title: 'reported impossible usage for gpt-4o',
      cause: () => changeChannel({ usage_warning: JSON.stringify({ time: deps().now(), model: 'gpt-4o' }) }),
      end: () => changeChannel({ usage_warning: '' }),
    },
    {
      kind: 'gateway',
      title: 'Notifications of payment gateway refusing are refused',
      cause: () =>
        deps()
          .db.insertInto('payment_gateways')
          .values({ ...aGateway, last_refused_at: deps().now() })
          .execute(),
      end: () =>
        deps()
          .db.updateTable('payment_gateways')
          .set({ last_notice_at: deps().now() + 1 })
          .execute(),
    },
    {
      kind: 'way',
      title: 'Messages by given up cannot be delivered',
      async cause() {
        const { id } = await addWay({
          kind: 'slack',
          name: 'given up',
          config: { address: `${receiver.url}/none` },
          severity: 'critical',
        });
        await deps().db.updateTable('ways').set({ failures: 1, failure: '403' }).where('id', '=', id).execute();
      },
      end: () => deps().db.updateTable('ways').set({ failures: 0 }).execute(),
    },
    {
      kind: 'shortfall',
      title: '1 calls cost 700 credits more',
      cause: () =>
        deps()
          .db.insertInto('shortfalls')
          .values({ user_id: 1, credits: 700, request_id: 'r', created_at: deps().now() })
          .execute(),
      end: () => (ahead += 901),
    },
    {
      kind: 'node',
      object: 'lost-host',
      title: 'A server process on lost-host ended',
      cause: () =>
        openIncident(
          deps().db,
          { kind: 'node', object: 'lost-host', severity: 'error', params: { host: 'lost-host' } },
          deps().now(),
        ),
      end: async () => {
        const { db, now } = deps();
        const back = { id: 'back', host: 'lost-host 2', pid: 1, started_time: now(), seen_time: now() - ahead };
        await db.insertInto('nodes').values(back).execute();
      },
    },
    {
      kind: 'backup',
      title: 'last backup failed',
      cause: () => backup('failed', 'no space'),
      end: () => backup('done', ''),
    },
    {
      kind: 'version',
      object: '99.0.0',
      title: 'Version 99.0.0 is available',
      async cause() {
        receiver.usual.set('/releases', '[{"version":"99.0.0"}]');
        await setOptions(hub().root, { UpdateSource: `${receiver.url}/releases` });
      },
      end: () => receiver.usual.set('/releases', '[{"version":"0.0.1"}]'),
    },
    ...(['journal', 'disk', 'certificate', 'job', 'storage'] as const).map((kind) => ({
      kind,
      object: 'far',
      title: '',
      cause: () => published(kind, true),
      end: () => published(kind, false),
    })),
  ];
  const backup = (state: 'failed' | 'done', error: string) =>
    deps()
      .db.insertInto('backups')
      .values({ ...aBackup, state, error, ended_time: deps().now() })
      .execute();

  test.each(kinds)(
    '$kind: one look opens it, a message tells it once, and one look after its end closes it',
    async ({ kind, object = '', title, cause, end }) => {
      await addWay({ kind: 'slack', config: { address: `${receiver.url}/slack` }, severity: 'info' });
      receiver.received.length = 0;
      await cause();
      for (let round = 0; round < 2; round++) {
        await look();
        await tell();
      }
      const found = (await open()).filter((each) => each.kind === kind && (object === '' || each.object === object));
      expect(found).toMatchObject([{ title: expect.stringContaining(title) }]);
      const told = () =>
        receiver.at('/slack').filter(({ body }) => body.includes(JSON.stringify(found[0]!.title).slice(1, -1)));
      await expect.poll(() => told().length, { message: 'the message of the beginning' }).toBe(1);
      await end();
      await look();
      await tell();
      expect((await open()).filter((each) => each.kind === kind)).toEqual([]);
      await expect.poll(() => told().length, { message: 'the message of the end' }).toBe(2);
    },
  );

  /** Faults of the database: `begin` returns what ends them. */
  const silences: { name: string; title: string; cause: string; isSlow: boolean; begin(): Promise<() => unknown> }[] = [
    {
      name: 'is locked by another process',
      title: 'The database did not answer for 21 s',
      cause: '',
      isSlow: true,
      async begin() {
        const { config, db } = deps();
        if (config.databaseUrl === undefined) {
          const other = new DatabaseSync(join(config.dataDir, 'relay-hub.db'));
          other.exec('begin immediate');
          return () => other.close();
        }
        const locked = Promise.withResolvers<void>();
        const over = Promise.withResolvers<void>();
        const held = db.transaction().execute(async (trx) => {
          await sql`lock table node_troubles in exclusive mode`.execute(trx);
          locked.resolve();
          await over.promise;
        });
        await locked.promise;
        return () => {
          over.resolve();
          return held;
        };
      },
    },
    {
      name: 'has no space left',
      title: 'cannot record calls and refuses them',
      cause: 'full',
      isSlow: false,
      async begin() {
        const { config, db } = deps();
        if (config.databaseUrl === undefined) {
          // A row that needs new pages, and none that is free.
          await sql`delete from node_troubles`.execute(db);
          await sql`pragma incremental_vacuum`.execute(db);
          await sql`pragma max_page_count = 1`.execute(db);
          return () => sql`pragma max_page_count = 1000000`.execute(db);
        }
        await sql`create function no_space() returns trigger language plpgsql as
          $$ begin raise exception 'the disk is full' using errcode = '53100'; end $$`.execute(db);
        await sql`create trigger no_space before insert or update on node_troubles
          execute function no_space()`.execute(db);
        return () => sql`drop function no_space cascade`.execute(db);
      },
    },
  ];

  test.each(silences)(
    'a database that $name is told and shown without it, once, and recorded and over when it answers',
    async ({ title, cause, isSlow, begin }) => {
      await addWay({ kind: 'pagerduty', config: { address: `${receiver.url}/pagerduty`, token: 'routing-key' } });
      await addWay({ kind: 'slack', config: { address: `${receiver.url}/slack` } });
      await addWay({ kind: 'ntfy', config: { address: `${receiver.url}/ntfy`, target: 'x' }, kinds: ['backup'] });
      receiver.received.length = 0;
      const mailed = mailbox.mails.length;
      const { config, db, log, unwritten } = deps();
      const isSqlite = config.databaseUrl === undefined;
      // Its row must not fit into pages that are there.
      const nodeId = isSqlite && !isSlow ? 'x'.repeat(1_000_000) : LOOKER;
      const seen_time = deps().now() - ahead;
      await db.deleteFrom('nodes').where('id', '=', LOOKER).execute();
      await db.insertInto('nodes').values({ id: nodeId, host: 'x', pid: 1, started_time: 0, seen_time }).execute();
      // A clock that only the test moves.
      const beganAt = deps().now() - ahead;
      const watch = new IncidentWatch({ ...deps(), nodeId, now: () => beganAt + ahead });
      if (isSlow) await watch.round();
      const end = await begin();
      const first = watch.round();
      const failed = isSlow ? undefined : await first.catch((error: unknown) => error);
      expect(failed === undefined).toBe(isSlow);
      if (!isSlow) {
        const job = repeat({ name: 'sums', everyMs: 1, failure: 'writing', log }, () =>
          publishTroubles(db, nodeId, []),
        );
        await expect.poll(() => failingJobs(log).get('writing')?.count, { message: 'rounds' }).toBeGreaterThan(3);
        await job.stop();
      }
      await watch.tellSilence();
      expect(unwritten.incident).toBeUndefined();
      ahead += 21;
      // One is answered by an error of the service.
      receiver.next.push({ status: 500 });
      for (let time = 0; time < 2; time++) await watch.tellSilence();
      ahead += 11;
      await watch.tellSilence();
      const told = (at: string) => receiver.at(at).map(({ body }) => body);
      expect([...told('/slack'), ...told('/pagerduty')]).toHaveLength(3);
      const shown = { id: 0, title: expect.stringContaining(title.replace('21', '32')), severity: 'critical' };
      const { critical } = await hub().root.call(incidentApi.summary);
      expect(critical).toMatchObject([{ ...shown, cause: expect.stringContaining(cause) }]);
      expect((await open())[0]).toMatchObject(shown);

      await end();
      await (isSlow ? first : watch.round());
      expect(unwritten.incident).toBeUndefined();
      // Jobs that failed for lack of the database are no further incidents.
      expect(await open()).toEqual([]);
      const [row] = (await hub().root.call(incidentApi.list)).data;
      expect(row).toMatchObject({ ...shown, id: expect.any(Number), closed_at: expect.any(Number) });
      expect([row!.id, row!.closed_at]).not.toContain(0);
      expect(row!.opened_at - row!.began_at).toBe(21);
      for (let round = 0; round < 3; round++) await tell();
      const { messages } = await hub().root.call(incidentApi.get, { params: { id: row!.id } });
      expect(messages.map(({ event, status }) => `${event} ${status}`).toSorted()).toEqual([
        ...Array.from({ length: 3 }, () => 'incident.closed delivered'),
        ...Array.from({ length: 3 }, () => 'incident.opened delivered'),
      ]);
      expect([...told('/slack'), ...told('/pagerduty')]).toHaveLength(5);
      expect(told('/ntfy')).toEqual([]);
      const keys = told('/pagerduty').map((body) => (JSON.parse(body) as { dedup_key: string }).dedup_key);
      expect(new Set(keys).size).toBe(1);
      expect(mailbox.mails.slice(mailed).map(({ subject }) => subject)).toEqual([
        expect.stringContaining(title),
        expect.stringContaining(`Over: ${row!.title}`),
      ]);
      await db.deleteFrom('nodes').where('id', '=', nodeId).execute();
      await db.deleteFrom('node_troubles').where('node', '=', nodeId).execute();
    },
  );

  test('a node finds what it has published itself', async () => {
    const { db, nodeId } = hub().server.deps;
    const own = { kind: 'job', object: 'own', severity: 'error', params: { job: 'own' }, cause: '' } as const;
    await publishTroubles(db, nodeId, [own]);
    expect(await publishedTroubles(db, nodeId)).toMatchObject([{ object: 'own' }]);
    await publishTroubles(db, nodeId, []);
  });

  test('events of an account are written with their causes, and mailed to its owner as far as they are grave', async () => {
    const { db } = deps();
    // Else the hub, which sends too, and this test would disagree about leases.
    ahead = 0;
    const email = 'owner@person.example';
    const { id, username, client } = await addPerson(hub(), { email, language: 'en_US', created_time: 1 });
    const { token } = await client.call(tokenApi.create, { body: { name: 'ci' } });
    await client.call(tokenApi.rotate, { params: { id: token.id }, body: {} });
    await client.call(tokenApi.update, { query: { status_only: '1' }, body: { id: token.id, status: 2 } });
    await client.call(tokenApi.remove, { params: { id: token.id } });
    const elsewhere = (agent: string) =>
      fetch(`${hub().url}/api/user/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': agent },
        body: JSON.stringify({ username, password: PASSWORD }),
      });
    expect((await elsewhere('curl/8')).status).toBe(200);
    const events = await db.selectFrom('outbox').where('user_id', '=', id).select('type').orderBy('id').execute();
    // The second sign-in comes from the address of the first.
    expect(events.map(({ type }) => type)).toEqual([
      'login.new',
      'key.created',
      'key.rotated',
      'key.ended',
      'key.ended',
    ]);
    for (let round = 0; round < 2; round++) await tell();
    const subjects = () => mailbox.mails.filter(({ to }) => to === email).map(({ subject }) => subject);
    const sent = { message: 'the mails of the sign-in and the rotation' };
    await expect
      .poll(() => subjects().toSorted(), sent)
      .toEqual([
        expect.stringContaining('New sign-in from 127.0.0.1'),
        expect.stringContaining('Token ci has a new key'),
      ]);
    const [way] = await client.call(wayApi.list);
    expect(way).toMatchObject({ kind: 'mail', site: false, enabled: true });
    expect((await client.try(wayApi.create, { body: { kind: 'mail' } })).body).toMatchObject({ code: 'way.too_many' });
    await client.call(wayApi.remove, { params: { id: way!.id } });
    const { token: next } = await client.call(tokenApi.create, { body: { name: 'ci2' } });
    await client.call(tokenApi.rotate, { params: { id: next.id }, body: {} });
    await tell();
    expect(subjects()).toHaveLength(2);
    expect(await client.call(wayApi.list)).toMatchObject([{ enabled: false }]);
  });

  test('mails about one incident are one thread', async () => {
    const trouble = { kind: 'job', object: 'thread', severity: 'error', params: { job: 'thread' } } as const;
    await settleIncidents(deps().db, [trouble], ['job'], deps().now());
    await tell();
    await expect.poll(() => mails('"thread"').length, { message: 'the mail of its beginning' }).toBe(1);
    await settleIncidents(deps().db, [], ['job'], deps().now());
    await tell();
    await expect.poll(() => mails('"thread"').length, { message: 'the mail of its end' }).toBe(2);
    const [first, over] = mails('"thread"').map(({ headers }) => headers);
    expect(first?.['message-id']).toMatch(/^<incident-\d+@hub\.example>$/);
    expect(over).toMatchObject({ 'in-reply-to': first?.['message-id'], references: first?.['message-id'] });
  });

  test('a way is its owner’s: secrets are not shown, others cannot touch it, and private places are refused', async () => {
    const { client } = await addPerson(hub());
    const refused = await client.try(wayApi.create, { body: { site: true, kind: 'mail' } });
    expect(refused).toMatchObject({ status: 403, body: { code: 'session.role' } });
    const own = await client.call(wayApi.create, {
      body: { kind: 'slack', config: { address: `${receiver.url}/slack` }, events: ['order.paid'] },
    });
    expect(JSON.stringify(await client.call(wayApi.list))).not.toContain('/slack');
    expect(await client.call(wayApi.list)).toHaveLength(1);
    expect((await hub().root.call(wayApi.list)).map(({ id }) => id)).not.toContain(own.id);
    expect((await hub().root.try(wayApi.test, { params: { id: own.id } })).status).toBe(404);
    receiver.received.length = 0;
    expect(await client.call(wayApi.test, { params: { id: own.id } })).toMatchObject({ ok: false });
    expect(receiver.received).toEqual([]);
    for (const [body, field] of [
      [{ kind: 'telegram', config: { token: '1:a' } }, 'config.target'],
      [{ kind: 'slack', config: { address: 'ftp://x' } }, 'config.address'],
      [{ kind: 'teams', config: { address: 'https://x.webhook.office.com/y' } }, 'config.address'],
      [{ kind: 'webhook', config: { address: 'https://x.example', secret: 'short' } }, 'config.secret'],
    ] as const) {
      expect(await client.try(wayApi.create, { body })).toMatchObject({ status: 400, body: { field } });
    }
    await client.call(wayApi.remove, { params: { id: own.id } });
  });
});

import { analyticsApi, channelStatus, redemptionStatus, role, tokenApi, userApi } from '@relay-hub/contract';
import { beforeAll, expect, test } from 'vitest';
import { Folding } from '#refusals/folding.ts';
import { writeRefusals } from '#refusals/write-refusals.ts';
import { dateOf } from '#roll-ups/local-days.ts';
import { hourOf } from '#roll-ups/usage-scope.ts';
import { timeZoneForSuite } from '#testing/database-for-suite.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { insertLogs, logRow } from '#testing/log-rows.ts';
import type { TestPerson } from '#testing/people.ts';
import { addAccount, addPerson } from '#testing/people.ts';

const now = Math.floor(Date.now() / 1000);
const daysAgo = (days: number): number => now - days * 86_400;
const dateAgo = (days: number): string => dateOf(hourOf(daysAgo(days)));

onEveryDatabase('analytics', (make) => {
  timeZoneForSuite('UTC');
  const hub = hubForSuite(make);
  let admin: TestPerson;
  let user: TestPerson;
  let channel: number;

  beforeAll(async () => {
    admin = await addPerson(hub(), { role: role.admin });
    user = await addPerson(hub(), { created_time: daysAgo(3), quota: 1000, inviter_id: admin.id });
    await addAccount(hub(), { created_time: daysAgo(3), deleted_time: daysAgo(1), inviter_id: admin.id });
    await addAccount(hub(), { created_time: daysAgo(300) });
    channel = await addChannel(hub(), 'http://127.0.0.1:9/', { name: '=east "1"' });
    await addChannel(hub(), 'http://127.0.0.1:9/', { name: 'off', status: channelStatus.disabled });
    const { db } = hub().server.deps;
    await insertLogs(db, [
      logRow({ request_id: 'a', user_id: user.id, channel_id: channel, created_at: daysAgo(2), quota: 500_000 }),
      logRow({ request_id: 'b', user_id: user.id, channel_id: channel, created_at: daysAgo(2), quota: 250_000 }),
      logRow({ request_id: 'c', user_id: admin.id, channel_id: 99, created_at: daysAgo(1), model_name: 'my-own' }),
    ]);
    const code = (n: number, more: object) => ({
      user_id: admin.id,
      name: 'gift',
      key_hash: `hash-${n}`,
      key_cipher: '',
      key_hint: '',
      created_time: 1,
      expired_time: -1,
      quota: 100 * n,
      status: redemptionStatus.used,
      redeemed_time: 0,
      redeemed_user_id: 0,
      ...more,
    });
    const { enabled, disabled } = redemptionStatus;
    await db
      .insertInto('redemptions')
      .values([
        code(1, { redeemed_time: daysAgo(2), redeemed_user_id: user.id }),
        code(2, { redeemed_time: daysAgo(2), redeemed_user_id: user.id }),
        code(3, { redeemed_time: daysAgo(1), redeemed_user_id: user.id }),
        code(4, { redeemed_time: daysAgo(1), redeemed_user_id: admin.id, deleted_time: daysAgo(0) }),
        code(5, { redeemed_time: daysAgo(40), redeemed_user_id: user.id }),
        code(6, { status: enabled }),
        code(7, { status: enabled }),
        code(8, { status: disabled }),
      ])
      .execute();
  });

  test('is available to administrators only, except what users see of themselves', async () => {
    const { ownUsage, ownQuality, ownDownload, ...ofAdmins } = analyticsApi;
    for (const endpoint of Object.values(ofAdmins)) expect((await user.client.try(endpoint)).status).toBe(403);
    for (const endpoint of [ownUsage, ownQuality, ownDownload])
      expect((await user.client.try(endpoint)).status).toBe(200);
    const {
      points,
      groups,
      time_zone: zone,
    } = await admin.client.call(analyticsApi.usage, { query: { by: 'channel' } });
    expect(points).toHaveLength(7);
    expect(zone).toBe('UTC');
    expect(groups.map(({ id, name, quota }) => [id, name, quota])).toEqual([
      [String(channel), '=east "1"', 750_000],
      ['99', '', 1],
    ]);
  });

  test('explains an invalid query', async () => {
    const refusal = async (query: object) => {
      const { status, body } = await admin.client.try(analyticsApi.usage, { query });
      return { status, ...body };
    };
    expect(await refusal({ by: 'channel', user_id: user.id })).toMatchObject({
      status: 400,
      code: 'analytics.grain',
      field: 'by',
    });
    expect(await refusal({ from: '2026-02-30', to: '2026-03-01' })).toMatchObject({
      status: 400,
      code: 'input.invalid',
      field: 'from',
    });
    expect(await refusal({ days: 367 })).toMatchObject({ status: 400, code: 'input.invalid', field: 'days' });
    expect(await refusal({ by: 'price' })).toMatchObject({ status: 400, code: 'input.invalid', field: 'by' });
    expect(await refusal({ by: 'token' })).toMatchObject({ status: 400, code: 'analytics.grain', field: 'by' });
    expect(await refusal({ top: 13 })).toMatchObject({ status: 400, code: 'input.invalid', field: 'top' });
    expect(await refusal({ days: 30, step: 'hour' })).toMatchObject({
      status: 400,
      code: 'analytics.step',
      field: 'step',
    });
  });

  test('shows registrations and redemptions by day', async () => {
    const { points, registrations, invited, redemptions, redeemed } = await admin.client.call(analyticsApi.accounts, {
      query: { days: 4 },
    });
    expect(points.map(({ date }) => date)).toEqual([3, 2, 1, 0].map(dateAgo));
    // Root and the administrator were created today; deleted accounts are not counted.
    expect(registrations).toEqual([1, 0, 0, 2]);
    expect(invited).toEqual([1, 0, 0, 0]);
    expect(redemptions).toEqual({ count: [0, 2, 2, 0], quota: [0, 300, 700, 0], users: [0, 1, 2, 0] });
    expect(redeemed).toEqual({ count: 4, quota: 1000, users: 2 });
  });

  test('shows all-time totals', async () => {
    const told = await admin.client.call(analyticsApi.statistics);
    const root = await hub().root.call(userApi.self);
    expect(told.user_statistics).toEqual({
      total_user: 4,
      total_quota: root.quota + 1000,
      total_used_quota: 0,
      total_inviter_user: 1,
    });
    expect(told.channel_statistics).toEqual([
      { total_channels: 1, status: channelStatus.enabled },
      { total_channels: 1, status: channelStatus.disabled },
    ]);
    expect(told.frozen_channels).toBe(0);
    expect(told.redemption_statistic).toEqual([
      { count: 2, quota: 1300, status: redemptionStatus.enabled },
      { count: 4, quota: 1100, status: redemptionStatus.used },
    ]);
    hub().server.deps.live.health.failed(channel, 'gpt-4o', { cooldownMs: 60_000, now: Date.now() });
    expect(await admin.client.call(analyticsApi.statistics)).toMatchObject({ frozen_channels: 1 });
  });

  test('answers clients of the product family in their shape', async () => {
    const ask = (query: object) => admin.client.call(analyticsApi.period, { query });
    const { user_statistics, channel_statistics, redemption_statistics, order_statistics } = await ask({
      start_timestamp: daysAgo(4),
      end_timestamp: now,
      group_type: 'channel',
    });
    expect(user_statistics).toEqual([
      { date: dateAgo(3), user_count: 1, inviter_user_count: 1 },
      { date: dateAgo(0), user_count: 2, inviter_user_count: 0 },
    ]);
    const east = { Date: dateAgo(2), Channel: '=east "1"', RequestCount: 2, Quota: 750_000, PromptTokens: 2 };
    expect(channel_statistics[0]).toEqual({ ...east, CompletionTokens: 2, RequestTime: 20 });
    expect(channel_statistics).toHaveLength(2);
    expect(redemption_statistics.map(({ quota, user_count: users }) => [quota, users])).toEqual([
      [300, 1],
      [700, 2],
    ]);
    expect(order_statistics).toEqual([]);

    const channels = async (query: object) => (await ask(query)).channel_statistics.map(({ Channel }) => Channel);
    expect(await channels({ group_type: 'model' })).toEqual(['gpt-4o', 'my-own']);
    expect(await channels({})).toEqual(['OpenAI', '']);
    expect(await channels({ group_type: 'model', user_id: user.id })).toEqual(['gpt-4o']);
    const tooLong = await admin.client.try(analyticsApi.period, { query: { start_timestamp: 1 } });
    expect(tooLong.body).toMatchObject({ code: 'analytics.period' });
  });

  test('hands out a table that no spreadsheet reckons with', async () => {
    const text = await admin.client.download(analyticsApi.download, {
      query: { by: 'channel', days: 4, language: 'en-US' },
    });
    const lines = text.replace('\uFEFF', '').trim().split('\r\n');
    expect(lines[0]).toBe(
      'Time (UTC),ID,Channel,Requests,Failed,Credits,USD,Input tokens,Cached tokens,Output tokens,Average latency (ms),Cost (credits),Margin (credits)',
    );
    expect(lines.slice(1)).toEqual([
      `${dateAgo(2)},${channel},"'=east ""1""",2,0,750000,1.5,2,0,2,10,0,0`,
      `${dateAgo(1)},99,,1,0,1,0.000002,1,0,1,10,0,0`,
    ]);
  });

  test('shows users their own calls, by model and by token, and nothing of others', async () => {
    const { db } = hub().server.deps;
    const other = await addPerson(hub());
    const newToken = async (person: TestPerson, name: string) =>
      (await person.client.call(tokenApi.create, { body: { name, unlimited_quota: true } })).token.id;
    const mine = await newToken(user, 'laptop');
    const theirs = await newToken(other, 'secret');
    const at = daysAgo(1);
    const call = { created_at: at, channel_id: channel, quota: 5 };
    await insertLogs(db, [
      logRow({ ...call, request_id: 'o1', user_id: user.id, token_id: mine, model_name: 'm1', request_time: 2000 }),
      logRow({ ...call, request_id: 'o2', user_id: user.id, token_id: mine, model_name: 'm2', failed: true }),
      logRow({ ...call, request_id: 'o3', user_id: other.id, token_id: theirs, model_name: 'hidden', quota: 777 }),
    ]);
    const refused = { reason: 'token_rate', code: 'rate_limit_exceeded', status: 429, model: 'm1', message: '' };
    const call429 = {
      ...refused,
      username: '',
      tokenName: '',
      group: 'default',
      endpoint: '',
      sourceIp: '',
      needed: 0,
    };
    const folding = new Folding();
    for (let n = 0; n < 53; n++) {
      const [userId, tokenId] = n < 3 ? [user.id, mine] : [other.id, theirs];
      folding.add({ ...call429, userId, tokenId, requestId: `refused-${n}` }, at);
    }
    await writeRefusals(db, folding.take(100));

    const ask = (query: object) => user.client.call(analyticsApi.ownUsage, { query: { days: 2, ...query } });
    const byModel = await ask({ user_id: other.id, username: 'x', channel_id: 99 });
    expect(byModel.groups.map(({ id, requests, failures }) => [id, requests, failures])).toEqual([
      ['m1', 1, 0],
      ['m2', 1, 1],
    ]);
    expect(byModel.total).toMatchObject({ requests: 2, quota: 10 });
    expect((await ask({ by: 'token' })).groups).toMatchObject([{ id: String(mine), name: 'laptop', requests: 2 }]);
    expect((await ask({ token_id: mine })).total.requests).toBe(2);
    expect((await ask({ token_id: theirs })).total.requests).toBe(0);

    const quality = (query: object) => user.client.call(analyticsApi.ownQuality, { query: { days: 2, ...query } });
    const { duration, failures, refusals, groups } = await quality({});
    expect(duration.calls).toBe(1);
    expect(Math.abs((duration.p50 ?? 0) - 2000)).toBeLessThan(480);
    expect(failures).toEqual([{ model: 'm2', kind: 'other', calls: 1 }]);
    expect(refusals).toEqual([{ reason: 'token_rate', status: 429, calls: 3 }]);
    expect(groups.map(({ id }) => id)).toEqual(['m1', 'm2']);
    expect(await quality({ token_id: theirs })).toMatchObject({ failures: [], refusals: [], groups: [] });
    for (const query of [{ by: 'channel' }, { by: 'user' }, { by: 'user_group' }, { by: 'owner' }] as object[])
      expect((await user.client.try(analyticsApi.ownUsage, { query })).body).toMatchObject({ field: 'by' });

    const hubWide = await admin.client.call(analyticsApi.quality, { query: { days: 2 } });
    expect(hubWide.refusals).toMatchObject([{ calls: 53 }]);
    expect(hubWide.failures).toEqual([{ model: 'm2', kind: 'other', calls: 1 }]);
    const ofUser = { days: 2, user_id: other.id, by: 'token' as const };
    expect((await admin.client.call(analyticsApi.usage, { query: ofUser })).groups).toMatchObject([{ name: 'secret' }]);

    const asked: object = { by: 'token', days: 2, step: 'day', language: 'en-US', user_id: other.id };
    const file = await user.client.download(analyticsApi.ownDownload, { query: asked });
    const lines = file.trim().split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(new RegExp(`^${dateAgo(1)},${mine},laptop,2,1,10,`));
  });
});

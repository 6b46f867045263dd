import type { InputOf } from '@relay-hub/contract';
import {
  channelApi,
  optionApi,
  priceApi,
  siteApi,
  tokenApi,
  userAdminApi,
  userGroupApi,
  virtualModelApi,
} from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chat, lastLog, tokenOf } from '#testing/chat.ts';
import type { EmptyDatabase } from '#testing/databases.ts';
import { onOneDatabase } from '#testing/databases.ts';
import type { TestHub } from '#testing/hub.ts';
import { addChannel, addToken, startHub, upstreamForSuite } from '#testing/hub.ts';
import { addPerson } from '#testing/people.ts';
import { until } from '#testing/until.ts';

const price = { model: 'gpt-4o', type: 'tokens', channel_type: 1, input: 1.25, output: 5 } as const;

onOneDatabase('two nodes on one database', (make) => {
  const upstream = upstreamForSuite();
  let database: EmptyDatabase;
  let here: TestHub;
  let there: TestHub;
  let channel: number;
  let token: { id: number; key: string };

  beforeAll(async () => {
    database = await make();
    here = await startHub(database);
    there = await startHub(database);
    channel = await addChannel(here, upstream().url, { models: 'gpt-4o' });
    token = await addToken(here);
    await answers(200);
  });
  afterAll(async () => {
    await Promise.all([here?.close(), there?.close()]);
    await database?.remove();
  });

  const deps = () => here.server.deps;
  const heard = (isSo: () => Promise<boolean> | boolean) => until('the change is in force on the other node', isSo);
  const answers = (status: number, key = token.key) => heard(async () => (await chat(there, key)).status === status);

  test('a price', async () => {
    await here.root.call(priceApi.update, { params: { model: 'gpt-4o' }, body: { ...price, input: 7 } });
    await heard(
      async () => (await chat(there, token.key)).status === 200 && (await lastLog(there)).metadata?.input_ratio === 7,
    );
    await here.root.call(priceApi.remove, { params: { model: 'gpt-4o' } });
    await answers(400);
    await here.root.call(priceApi.create, { body: price });
    await answers(200);
  });

  test('a channel that is switched off, and on', async () => {
    await here.root.call(channelApi.update, { body: { id: channel, status: 2 } });
    await answers(503);
    await here.root.call(channelApi.update, { body: { id: channel, status: 1 } });
    await answers(200);
  });

  test('a virtual model', async () => {
    const asked = () => chat(there, token.key, 'smart');
    const { id } = await here.root.call(virtualModelApi.create, {
      body: { name: 'smart', steps: [{ models: [{ model: 'gpt-4o' }] }] },
    });
    await heard(async () => (await asked()).status === 200);
    expect((await lastLog(there)).metadata).toMatchObject({ requested_model: 'smart', virtual: { step: 1 } });
    await here.root.call(virtualModelApi.remove, { params: { id } });
    await heard(async () => (await asked()).status === 404);
  });

  test('a channel’s key', async () => {
    await here.root.call(channelApi.update, { body: { id: channel, key: 'sk-of-the-other-node' } });
    await heard(async () => {
      await chat(there, token.key);
      return upstream().requests.at(-1)?.headers.authorization === 'Bearer sk-of-the-other-node';
    });
  });

  test('a token that is switched off, or deleted', async () => {
    const setStatus = (status: 1 | 2) =>
      here.root.call(tokenApi.update, { query: { status_only: '1' }, body: { id: token.id, status } });
    await setStatus(2);
    await answers(401);
    await setStatus(1);
    await answers(200);
    const doomed = await addToken(here);
    await answers(200, doomed.key);
    await here.root.call(tokenApi.remove, { params: { id: doomed.id } });
    await answers(401, doomed.key);
  });

  test('an account that is disabled, enabled, deleted', async () => {
    const person = await addPerson(here, { quota: 1_000_000 });
    const { key } = await tokenOf(person.client);
    await answers(200, key);
    const manage = (action: 'disable' | 'enable' | 'delete') =>
      here.root.call(userAdminApi.manage, { body: { id: person.id, action } });
    await manage('disable');
    expect((await chat(here, key)).status).toBe(401);
    await answers(401, key);
    await manage('enable');
    await answers(200, key);
    await manage('delete');
    expect((await chat(here, key)).status).toBe(401);
    await answers(401, key);
  });

  test('a group', async () => {
    const { data } = await here.root.call(userGroupApi.list, { query: { Name: '' } });
    const { symbol: _, enable: __, ...group } = data.find(({ symbol }) => symbol === 'default')!;
    const setRatio = (ratio: number) =>
      here.root.call(userGroupApi.update, {
        body: { ...group, ratio } satisfies InputOf<typeof userGroupApi.update>['body'],
      });
    await setRatio(3);
    await heard(
      async () => (await chat(there, token.key)).status === 200 && (await lastLog(there)).metadata?.group_ratio === 3,
    );
    await setRatio(1);
  });

  test('a setting', async () => {
    await here.root.call(optionApi.set, { body: { key: 'SystemName', value: 'Twins' } });
    await heard(async () => (await there.root.call(siteApi.status)).system_name === 'Twins');
  });

  test('a session that was opened on the other', async () => {
    const cookie = { cookie: here.root.cookie };
    expect((await there.root.send('GET', '/api/user/self', undefined, cookie)).status).toBe(200);
  });

  test('a change of one user, whose callers are read again, and nobody else’s', async () => {
    const other = await addPerson(here);
    const { key } = await other.client.call(tokenApi.create, { body: { name: 'test', unlimited_quota: true } });
    const mine = await addToken(here);
    const known = (sent: string) => there.server.deps.live.callers.known(sent.replace(/^sk-/, ''));
    const keys = [mine.key, key];
    // The node learns of both tokens now, not between their calls and the look.
    await there.server.deps.live.changed('routes');
    await Promise.all(keys.map((sent) => chat(there, sent)));
    expect(keys.map((sent) => known(sent) !== undefined)).toEqual([true, true]);
    await here.root.call(tokenApi.update, { body: { id: mine.id, name: 'changed' } });
    await heard(() => known(mine.key) === undefined);
    expect(known(key)).toBeDefined();
    // A change of a group concerns everyone in it.
    const { data } = await here.root.call(userGroupApi.list, { query: {} });
    const { id, name, ratio, public: isPublic, api_rate: rate } = data.find(({ symbol }) => symbol === 'default')!;
    await here.root.call(userGroupApi.update, { body: { id, name, ratio, public: isPublic, api_rate: rate + 1 } });
    await heard(() => known(key) === undefined);
  });

  test.each<[string, (n: number) => void, () => Promise<void>]>([
    ['last uses of keys', (n) => deps().live.keyUses.note(`key-${n}`, n, ''), () => deps().live.keyUses.flush()],
    [
      'attempts by key',
      (n) => deps().live.keyAttempts.note(1, n, true, Date.now()),
      () => deps().live.keyAttempts.flush(),
    ],
    ['minutes of calls', (n) => deps().hour.froze(n, 'gpt-4o', 'server'), () => deps().hour.flush()],
    [
      'refused calls',
      (n) => deps().refusals.noteUnknown('unknown', `192.0.2.${n}`, '/'),
      () => deps().refusals.caughtUp(),
    ],
  ])(
    '%s: whoever waits for two writes waits for both, also when another one began the second',
    async (_, note, write) => {
      note(1);
      const first = write();
      note(2);
      let isWritten = false;
      const second = write().then(() => (isWritten = true));
      await write();
      expect(isWritten).toBe(true);
      await Promise.all([first, second]);
    },
  );
});

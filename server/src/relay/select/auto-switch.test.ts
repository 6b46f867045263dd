import { channelApi, channelKeyApi, channelStatus, optionApi } from '@relay-hub/contract';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, type TestCaller } from '#testing/callers.ts';
import { type EmptyDatabase, onOneDatabase } from '#testing/databases.ts';
import { addChannel, startHub, type TestHub, upstreamForSuite } from '#testing/hub.ts';
import { hello, post } from '#testing/relay-calls.ts';
import type { Behaviour } from '#upstream-simulator/behaviour.ts';

const off = { status: channelStatus.testDisabled };
const on = { status: channelStatus.enabled };

onOneDatabase('a channel whose account is refused by live calls', (make) => {
  const upstream = upstreamForSuite();
  let database: EmptyDatabase;
  let here: TestHub;
  let there: TestHub;
  let who: TestCaller;
  let id: number;

  const set = (key: string, value: string) => here.root.call(optionApi.set, { body: { key, value } });
  const channel = () => here.root.call(channelApi.get, { params: { id } });
  const keys = () => here.root.call(channelKeyApi.list, { params: { id } });
  const call = (hub = here, body: object = hello) => post(hub, who.key, body);
  const settled = () => here.server.deps.autoSwitcher.settled();
  const refuse = (status: number, error: object): Behaviour => ({ status, error: { error } });

  beforeAll(async () => {
    database = await make();
    here = await startHub(database);
    there = await startHub(database);
  }, 60_000);
  afterAll(async () => {
    await Promise.all([here?.close(), there?.close()]);
    await database?.remove();
  });
  beforeEach(async () => {
    who = await addCaller(here.server.deps.db);
    await set('AutomaticDisableChannelEnabled', 'true');
    id = await addChannel(here, upstream().url, { test_model: 'gpt-4o' });
  });
  afterEach(async () => {
    upstream().behaviour = {};
    await set('AutomaticDisableChannelEnabled', 'false');
    await here.root.call(channelApi.remove, { params: { id } });
    expect(here.server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(here.server.deps.db);
  });

  test.each<[string, Behaviour]>([
    ['its key', refuse(401, { message: 'Incorrect API key provided: sk-upstream-key-0001' })],
    ['an account that is used up', refuse(429, { message: 'no more', type: 'insufficient_quota' })],
    ['a phrase of the list', refuse(400, { message: 'Your credit balance is too low to access the API' })],
    ['Google’s own word', refuse(403, { message: 'no', status: 'PERMISSION_DENIED' })],
  ])('is switched off for %s, on every node, and says why', async (_, behaviour) => {
    upstream().behaviour = behaviour;
    await call();
    // A 403 may be about one caller's request: another caller has to meet it too.
    if (behaviour.status === 403) {
      await settled();
      expect(await channel()).toMatchObject(on);
      await post(here, (await addCaller(here.server.deps.db)).key, hello);
    }
    await settled();
    const told = await channel();
    expect(told).toMatchObject(off);
    expect(told.last_error).not.toBe('');
    expect(told.last_error).not.toContain('sk-upstream-key-0001');
    expect(told.last_error_time).toBeGreaterThan(0);
    upstream().behaviour = {};
    const message = 'status of a call to the other node';
    await expect.poll(async () => (await call(there)).status, { message }).toBe(503);
    expect((await call()).status).toBe(503);
  });

  test.each<[string, Behaviour, object?]>([
    ['a limit', refuse(429, { message: 'slow down', type: 'rate_limit_error' })],
    ['a breakdown', { status: 500 }],
    ['a caller’s mistake', refuse(400, { message: 'unknown parameter' })],
    [
      'the caller’s own words, repeated',
      refuse(400, { message: 'cannot read: API key not valid' }),
      { ...hello, messages: [{ role: 'user', content: 'API key not valid' }] },
    ],
  ])('stays on after %s', async (_, behaviour, body) => {
    upstream().behaviour = behaviour;
    await call(here, body);
    await settled();
    expect(await channel()).toMatchObject(on);
  });

  test('stays on while the setting is off', async () => {
    await set('AutomaticDisableChannelEnabled', 'false');
    upstream().behaviour = refuse(401, { message: 'no' });
    await call();
    await settled();
    expect(await channel()).toMatchObject(on);
  });

  test('is switched off once, however many calls fail, and what somebody switched off stays as it is', async () => {
    upstream().behaviour = refuse(401, { message: 'no' });
    await Promise.all(Array.from({ length: 20 }, (_, i) => call(i % 2 ? here : there)));
    await settled();
    await there.server.deps.autoSwitcher.settled();
    expect(await channel()).toMatchObject(off);
    await here.root.call(channelApi.update, { body: { id, status: channelStatus.disabled } });
    await call();
    await settled();
    expect(await channel()).toMatchObject({ status: channelStatus.disabled });
  });

  test('with several keys loses only the key; the last one takes the channel with it, and a test brings it back', async () => {
    const body = { keys: 'sk-upstream-key-0002' };
    await here.root.call(channelKeyApi.add, { params: { id }, body });
    upstream().behaviour = refuse(401, { message: 'this key is not ours' });
    await call();
    await settled();
    while ((await channel()).status === channelStatus.enabled) {
      await call();
      await settled();
    }
    const [first, second] = (await keys()).toSorted((a, b) => a.status - b.status);
    expect(first).toMatchObject(on);
    expect(second).toMatchObject({ ...off, reason: '401 this key is not ours' });
    expect(await channel()).toMatchObject({ ...off, last_error: '401 this key is not ours' });

    upstream().behaviour = {};
    await set('AutomaticEnableChannelEnabled', 'true');
    await here.root.call(channelApi.test, { params: { id } });
    expect(await channel()).toMatchObject(on);
    await here.root.call(channelKeyApi.test, { params: { id, key: second!.id } });
    expect(await keys()).toMatchObject([on, on]);
    await set('AutomaticEnableChannelEnabled', 'false');
  });
});

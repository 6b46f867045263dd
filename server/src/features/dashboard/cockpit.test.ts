import { isDeepStrictEqual } from 'node:util';
import { cockpitApi, userApi, type Cockpit, type CockpitEvent } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { addCaller } from '#testing/callers.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, ApiClient, ROOT_PASSWORD, startHub, upstreamForSuite } from '#testing/hub.ts';
import { hello, post } from '#testing/relay-calls.ts';
import { until } from '#testing/until.ts';

/** The cockpit of a node, read as a browser does; `state` is the newest. */
async function open({ url, cookie }: ApiClient) {
  const leaving = new AbortController();
  const response = await fetch(url + cockpitApi.live.path, { headers: { cookie }, signal: leaving.signal });
  const seen: { state: Cockpit | undefined; states: number; repeated: number; ended: boolean } = {
    state: undefined,
    states: 0,
    repeated: 0,
    ended: false,
  };
  const read = async (): Promise<void> => {
    let rest = '';
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      const events = (rest + piece).split('\n\n');
      rest = events.pop()!;
      for (const event of events) {
        const told = JSON.parse(/^data:(.+)$/m.exec(event)![1]!) as CockpitEvent;
        if (told.type !== 'cockpit') continue;
        if (seen.state && isDeepStrictEqual({ ...seen.state, time: 0 }, { ...told.data, time: 0 })) seen.repeated++;
        seen.state = told.data;
        seen.states++;
      }
    }
    seen.ended = true;
  };
  read().catch(() => (seen.ended = true));
  return { seen, close: () => leaving.abort() };
}

const sum = (values: readonly number[]): number => values.reduce((all, each) => all + each, 0);

/** Conditions of every state. */
function expectToAddUp({
  total,
  users,
  other_users,
  models,
  other_models,
  channels,
  other_channels,
  minutes,
  recent,
}: Cockpit) {
  for (const count of ['calls', 'refused', 'failed', 'quota'] as const)
    expect(recent[count], `the last minutes: ${count}`).toBe(sum(minutes[count].slice(-6)));
  expect(total.calls - total.refused - total.unsent + total.retries).toBe(total.attempts);
  for (const [named, rest] of [
    [users, other_users],
    [models, other_models],
  ] as const)
    for (const count of ['calls', 'refused', 'failed'] as const)
      expect(sum(named.map((each) => each[count])) + rest[count], count).toBe(total[count]);
  expect(sum(channels.map(({ attempts }) => attempts)) + other_channels.attempts).toBe(total.attempts);
  expect(sum(channels.map(({ failed }) => failed)) + other_channels.failed).toBe(total.failed_attempts);
  for (const count of ['calls', 'refused', 'failed', 'attempts', 'failed_attempts', 'quota'] as const) {
    expect(minutes[count]).toHaveLength(60);
    expect(sum(minutes[count]), count).toBe(total[count]);
  }
}

onEveryDatabase('the cockpit', (make) => {
  // Interval jobs run when a test triggers them.
  beforeAll(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterAll(() => void vi.useRealTimers());
  const look = () => void vi.advanceTimersByTime(5000);
  const good = upstreamForSuite();
  const bad = upstreamForSuite();

  test('adds up the calls of two nodes, and a new process knows the hour; signing out ends it', async () => {
    const database = await make();
    const hub = await startHub(database);
    const other = await startHub(database);
    let later: typeof hub | undefined;
    try {
      bad().behaviour = { status: 503 };
      const badId = await addChannel(hub, bad().url, { name: 'bad', priority: 9, models: 'gpt-4o,gpt-4o-mini' });
      const goodId = await addChannel(hub, good().url, { name: 'good', models: 'gpt-4o' });
      const { db } = hub.server.deps;
      const [rich, poor] = [await addCaller(db), await addCaller(db, { quota: 0 })];
      await other.server.deps.live.changed('routes');
      const watched = await open(hub.root);
      const leaving = await new ApiClient(hub.url).signIn('root', ROOT_PASSWORD);
      const left = await open(leaving);
      await until('the first state', () => left.seen.states === 1);
      await leaving.call(userApi.logout);
      const before = { message: 'the state before any call' };
      await expect.poll(() => watched.seen.state?.total, before).toMatchObject({ calls: 0, attempts: 0, p50: null });

      await post(hub, rich.key, { ...hello, stream: true });
      await post(other, rich.key, { ...hello, model: 'gpt-4o-mini' });
      await post(other, rich.key, { ...hello, model: 'no-such-model' });
      await post(hub, poor.key, hello);
      await post(hub, 'sk-unknown', hello);
      await other.server.deps.hour.flush();

      const message = 'calls shown';
      await expect.poll(() => (look(), watched.seen.state?.total.calls), { message }).toBe(4);
      // Within the second of the last write.
      await post(other, rich.key, hello);
      await other.server.deps.hour.flush();
      await expect.poll(() => (look(), watched.seen.state?.total.calls), { message }).toBe(5);
      const state = watched.seen.state!;
      expectToAddUp(state);
      expect(state.total).toMatchObject({ calls: 5, refused: 2, failed: 1, unsent: 0 });
      expect(state.total.retries).toBeGreaterThan(0);
      expect(state.total.quota).toBeGreaterThan(0);
      expect(state.total.p50).toBeGreaterThan(0);
      expect(state.users.map(({ id, calls, refused, failed }) => [id, calls, refused, failed])).toEqual([
        [rich.userId, 4, 1, 1],
        [poor.userId, 1, 1, 0],
      ]);
      const byId = new Map(state.channels.map((channel) => [channel.id, channel]));
      expect(byId.get(goodId)).toMatchObject({ name: 'good', attempts: 2, failed: 0, state: 'well', reason: null });
      expect(byId.get(badId)).toMatchObject({ name: 'bad', reason: 'server', type: 8 });
      expect(byId.get(badId)!.failed).toBe(byId.get(badId)!.attempts);
      const failure = state.troubles.find(({ kind }) => kind === 'failed');
      expect(failure).toMatchObject({ status: 503, channel: 'bad', model: 'gpt-4o-mini', count: 1, users: 1 });
      const refused = state.troubles.filter(({ kind }) => kind === 'refused');
      expect(new Map(refused.map(({ reason, status }) => [reason, status]))).toEqual(
        new Map([
          ['insufficient_user_quota', 402],
          ['model_not_found', 404],
        ]),
      );

      // While nothing happens, nothing is sent. A minute may begin meanwhile, and the channel's freeze may end.
      for (let looks = 0; looks < 5; looks++) {
        look();
        await hub.root.call(userApi.self);
      }
      expect(watched.seen.repeated).toBe(0);
      await until('the stream of who signed out ends', () => (look(), left.seen.ended));
      expect(watched.seen.ended).toBe(false);
      watched.close();

      await hub.close();
      later = await startHub(database);
      // A reader that leaves while the first state is made.
      later.server.deps.hourWatch.watch(() => {})();
      await later.root.call(userApi.self);
      const again = await open(later.root);
      const known = { message: 'the hour as the new process knows it' };
      await expect.poll(() => again.seen.state?.total, known).toEqual(state.total);
      expectToAddUp(again.seen.state!);
      again.close();
    } finally {
      await Promise.all([other.close(), later?.close()]);
      await database.remove();
    }
  }, 40_000);
});

import { channelApi, priceApi, taskApi } from '@relay-hub/contract';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { isObject } from '#json.ts';
import type { ReportedMedia, TaskOperation } from '#providers/task-operation.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, type TestCaller, userOf } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel } from '#testing/hub.ts';
import { cancelTask } from './cancel-task.ts';
import { originOf } from './origin-channel.ts';
import { type PollOptions, pollDueTasks, pollSoon } from './poll/poll-tasks.ts';
import { IMAGINE, imageModels, taskWorld } from './testing/task-world.ts';

type Change = (operation: TaskOperation) => Partial<TaskOperation>;

/** The usual channels, with an adapter that differs. */
const changed =
  (change: Change): typeof originOf =>
  async (deps, task) => {
    const origin = await originOf(deps, task);
    return origin && { ...origin, operation: { ...origin.operation, ...change(origin.operation) } };
  };

/** A vendor that takes one task per request. */
const oneByOne = changed(({ reports }) => ({
  batch: 1,
  poll: ([task]) => ({ method: 'GET', path: `/mj/task/${task?.upstreamId}/fetch` }),
  reports: (answer, tasks) =>
    answer.status === 404 ? [] : isObject(answer.json) ? reports({ ...answer, json: [answer.json] }, tasks) : undefined,
}));

const withCancel = changed(() => ({
  cancel: {
    request: ({ upstreamId }) => ({ method: 'POST', path: `/mj/task/${upstreamId}/cancel`, body: {} }),
    isCancelled: ({ status }) => status === 200,
  },
}));

onOneDatabase('task engine', (make) => {
  const world = taskWorld(make);
  const { hub, upstream, deps, call, row, until, expire, entries, submit, submissions } = world;
  const service = () => upstream().tasks;
  let who: TestCaller;

  beforeEach(async () => {
    upstream().requests.clear();
    who = await addCaller(deps().db, { quota: 1_000_000, remain: 500_000 });
  });
  afterEach(async () => {
    service().isAway = service().isOdd = false;
    service().held = undefined;
    // Later tests poll their own tasks only.
    await deps().db.updateTable('tasks').set({ deadline: 1, next_poll_at: 1 }).where('next_poll_at', '>', 0).execute();
    await pollDueTasks(deps());
    await expectBooksBalance(deps().db);
  });

  const change = (id: string, values: object) =>
    deps().db.updateTable('tasks').set(values).where('task_id', '=', id).execute();
  const makeDue = (id: string) => change(id, { next_poll_at: 1 });
  const pollNow = async (ids: readonly string[], options: PollOptions = {}): Promise<void> => {
    for (const id of ids) if ((await row(id)).next_poll_at > 0) await makeDue(id);
    await pollDueTasks(deps(), options);
  };
  // The hub's own rounds may be polling a task at that moment.
  const ended = async (id: string, state: object): Promise<void> => {
    await expect.poll(() => row(id), { message: `the end of task ${id}` }).toMatchObject(state);
  };
  const spent = async () => 1_000_000 - (await userOf(deps().db, who)).balance;
  const running = { steps: [{ status: 'IN_PROGRESS', progress: 40 }] };
  const done = { steps: [{ status: 'SUCCESS', progress: 100 }] };

  describe('a task that spoils its batch', () => {
    test('at the upstream delays the others for some polls only, and ends at its deadline', async () => {
      service().next(done, { steps: [{ status: 'IN_PROGRESS', odd: true }] }, done);
      const ids = [await submit(who), await submit(who), await submit(who)];
      const [first, spoiling, last] = ids as [string, string, string];
      for (let n = 0; n < 6; n++) await pollNow(ids);
      for (const id of [first, last]) await ended(id, { status: 'SUCCESS' });
      expect(await row(spoiling)).toMatchObject({ status: 'SUBMITTED', refunded: false });
      await expire(spoiling);
      await pollDueTasks(deps());
      await ended(spoiling, { status: 'FAILURE', refunded: true });
      expect(await spent()).toBe(2 * IMAGINE);
    });

    test.each<[string, (spoiling: string) => Change]>([
      [
        'whose poll the adapter cannot build',
        (spoiling) =>
          ({ poll }) => ({
            poll: (tasks, asked) => {
              if (tasks.some(({ ownId }) => ownId === spoiling)) throw new Error('odd');
              return poll(tasks, asked);
            },
          }),
      ],
      [
        'whose state the adapter cannot read',
        (spoiling) =>
          ({ reports }) => ({
            reports: (answer, tasks) => {
              if (tasks.some(({ ownId }) => ownId === spoiling)) throw new Error('odd');
              return reports(answer, tasks);
            },
          }),
      ],
      [
        'whose report cannot be stored',
        (spoiling) =>
          ({ reports }) => ({
            reports: (answer, tasks) =>
              reports(answer, tasks)?.map((report) =>
                report.ownId === spoiling ? { ...report, promptEn: 1 as unknown as string } : report,
              ),
          }),
      ],
    ])('%s stops no other one and not its own end', async (_, spoil) => {
      service().next(running, done);
      const [spoiling, other] = [await submit(who), await submit(who)];
      const origins = changed(spoil(spoiling));
      for (let n = 0; n < 6; n++) await pollNow([spoiling, other], { origins });
      await ended(other, { status: 'SUCCESS' });
      await expire(spoiling);
      await pollDueTasks(deps(), { origins });
      await ended(spoiling, { status: 'FAILURE', refunded: true });
      expect(await entries(spoiling)).toHaveLength(2);
    });
  });

  test('a channel that does not answer is backed off from, and the tasks of others go on', async () => {
    service().next(running, done);
    const [stuck, other] = [await submit(who), await submit(who)];
    await change(stuck, { base_url: 'http://127.0.0.1:9' });
    for (const [n, longest] of [10, 20, 60, 120, 240, 240].entries()) {
      await pollNow([stuck, other]);
      const { next_poll_at, unanswered } = await row(stuck);
      expect(next_poll_at - deps().now()).toBeLessThanOrEqual(longest);
      expect(unanswered).toBe(n + 1);
    }
    expect((await row(other)).status).toBe('SUCCESS');
  });

  test.each(['x'.repeat(700), 'a\0b'])('an id that cannot be kept counts as a lost answer', async (result) => {
    service().next({ answer: { code: 1, description: '', result } });
    const id = await submit(who);
    expect(await row(id)).toMatchObject({ status: 'UNKNOWN', upstream_id: '', quota: IMAGINE });
    await expire(id);
    await pollDueTasks(deps());
    expect(await row(id)).toMatchObject({ status: 'FAILURE', refunded: true });
  });

  test('impossible times and numbers of an upstream are not taken over', async () => {
    const odd = { finishMs: 1e30, startMs: -5, progress: Number.NaN, promptEn: 'a\0b' };
    const origins = changed(({ reports }) => ({
      reports: (answer, tasks) => reports(answer, tasks)?.map((report) => ({ ...report, ...odd })),
    }));
    service().next(done);
    const id = await submit(who, { prompt: 'a\0cat', state: '\0' });
    await pollNow([id], { origins });
    const { status, finish_ms, start_ms, prompt_en } = await row(id);
    expect({ status, prompt_en }).toEqual({ status: 'SUCCESS', prompt_en: 'ab' });
    for (const ms of [finish_ms, start_ms]) expect(Math.abs(ms - Date.now())).toBeLessThan(60_000);
    expect(await spent()).toBe(IMAGINE);
  });

  describe('a lease', () => {
    test('gives each task to one node, and after it ends to another', async () => {
      const id = await submit(who);
      await row(id);
      await makeDue(id);
      const dead = { ...deps(), nodeId: 'a node that dies' };
      service().held = new Promise(() => {});
      void pollDueTasks(dead, { signal: AbortSignal.timeout(1000) });
      await expect
        .poll(async () => (await row(id)).polled_by, { message: 'node that polls the task' })
        .toBe('a node that dies');
      expect(await pollDueTasks(deps())).toBe(0);
      service().held = undefined;
      const { next_poll_at } = await row(id);
      const later = { ...deps(), now: () => next_poll_at };
      expect(await pollDueTasks(later)).toBe(1);
      expect((await row(id)).polled_by).toBe(deps().nodeId);
    });

    test('that has ended makes a slow node’s answer void', async () => {
      service().next({
        steps: [
          { status: 'IN_PROGRESS', progress: 30 },
          { status: 'IN_PROGRESS', progress: 80 },
        ],
      });
      const id = await submit(who);
      await row(id);
      await makeDue(id);
      let release = (): void => {};
      service().held = new Promise((resolve) => (release = resolve));
      service().polled.length = 0;
      const slow = pollDueTasks({ ...deps(), nodeId: 'slow' });
      await expect.poll(() => service().polled.length, { message: 'polls at the service' }).toBe(1);
      service().held = undefined;
      await pollNow([id]);
      expect((await row(id)).progress).toBe(80);
      release();
      await slow;
      expect(await row(id)).toMatchObject({ progress: 80, polled_by: deps().nodeId });
    });

    test('does not hide a notification that comes meanwhile', async () => {
      service().next(running);
      const id = await submit(who);
      await row(id);
      await makeDue(id);
      let release = (): void => {};
      service().held = new Promise((resolve) => (release = resolve));
      service().polled.length = 0;
      const polling = pollDueTasks(deps());
      await expect.poll(() => service().polled.length, { message: 'polls at the service' }).toBe(1);
      await pollSoon(deps(), id);
      release();
      await polling;
      expect((await row(id)).next_poll_at).toBeLessThanOrEqual(deps().now());
    });
  });

  test('a vendor that takes one task per request is asked at a set rate by all nodes, oldest first', async () => {
    const rich = await addCaller(deps().db, { quota: 5_000_000 });
    service().next(...Array.from({ length: 24 }, () => running));
    const ids: string[] = [];
    for (let n = 0; n < 24; n++) ids.push(await submit(rich));
    await row(ids[0]!);
    for (const [n, id] of ids.entries()) await change(id, { next_poll_at: 1000 - n });
    upstream().requests.clear();
    const seen = () => [...upstream().requests].flatMap(({ path }) => /task\/(\d+)\/fetch/.exec(path)?.[1] ?? []);
    let clock = deps().now();
    const pause = vi.fn<(ms: number) => Promise<void>>(async () => {});
    const nodes = ['a', 'b'].map((nodeId) => ({ ...deps(), nodeId, now: () => clock }));
    const round = () => Promise.all(nodes.map((node) => pollDueTasks(node, { origins: oneByOne, pause })));
    await round();
    const first = seen();
    expect(first.length).toBeGreaterThan(0);
    // Of the round itself, and of one before it that did not take place.
    expect(first.length).toBeLessThanOrEqual(18);
    for (let n = 0; n < 7; n++, clock += 2) await round();
    const rows = await Promise.all(ids.toReversed().map(row));
    expect(new Set(seen())).toEqual(new Set(rows.map(({ upstream_id }) => upstream_id)));
    expect(seen().length).toBeLessThanOrEqual(18 + 7 * 9);
    expect(new Set(first)).toEqual(new Set(rows.slice(0, first.length).map(({ upstream_id }) => upstream_id)));
    // Each request 200 ms after the one before it.
    for (const [ms] of pause.mock.calls) expect(ms).toBeGreaterThan(100);
  });

  test('a task goes on with provider, key and address of its channel, which has others by now', async () => {
    const id_ = await addChannel(hub(), upstream().url, {
      type: 34,
      key: 'old-key',
      models: imageModels,
      priority: 9,
    });
    const id = await submit(who);
    const { secrets, db } = deps();
    await db
      .updateTable('channels')
      .set({
        type: 41,
        base_url: 'http://127.0.0.1:9',
        model_headers: secrets.encrypt(JSON.stringify({ 'x-secret': 'of the new address' })),
      })
      .where('id', '=', id_)
      .execute();
    await db.deleteFrom('channel_keys').where('channel_id', '=', id_).execute();
    await until(id, 'SUCCESS');
    const polls = [...upstream().requests].filter(({ headers }) => headers['mj-api-secret'] === 'old-key');
    expect(polls.some(({ path }) => path.endsWith('list-by-condition'))).toBe(true);
    expect(polls.filter(({ headers }) => 'x-secret' in headers)).toEqual([]);
    await hub().root.call(channelApi.remove, { params: { id: id_ } });
  });

  test('a price by tokens makes no task free: it is not offered', async () => {
    await hub().root.call(priceApi.update, {
      params: { model: 'mj_blend' },
      body: { model: 'mj_blend', type: 'tokens', channel_type: 1, input: 1, output: 2 },
    });
    const body = { base64Array: ['data:image/png;base64,AA==', 'data:image/png;base64,AA=='] };
    const refused = await call(who, '/mj/submit/blend', body);
    expect(refused).toMatchObject({ status: 400, json: { error: 'model_not_priced' } });
    expect(submissions()).toEqual([]);
  });

  describe('result files', () => {
    const reported = (media: readonly ReportedMedia[]) =>
      changed(({ reports }) => ({
        reports: (answer, tasks) => reports(answer, tasks)?.map((report) => ({ ...report, media })),
      }));

    test('are written with the success', async () => {
      service().next(done);
      const id = await submit(who);
      const url = 'https://cdn.example/a.mp4';
      await pollNow([id], { origins: reported([{ kind: 'video', url, seconds: 5 }]) });
      const media = { kind: 'video', url, type: '', cover: '', title: '', seconds: 5, stored: '', bytes: 0 };
      expect(await row(id)).toMatchObject({ status: 'SUCCESS', media: [media] });
    });

    test('that cannot be kept are asked for again, and returned in the end', async () => {
      service().next(done);
      const id = await submit(who);
      const origins = reported([{ kind: 'image', url: '', bytes: Buffer.from('x') }]);
      const withoutDisk = { ...deps(), config: { ...deps().config, dataDir: '/dev/null' } };
      await row(id);
      await makeDue(id);
      await pollDueTasks(withoutDisk, { origins });
      expect(await row(id)).toMatchObject({ status: 'SUBMITTED', unanswered: 1 });
      await expire(id);
      await pollDueTasks(withoutDisk, { origins });
      expect(await row(id)).toMatchObject({ status: 'FAILURE', refunded: true });
    });
  });

  describe('cancelling', () => {
    const submitted = async (behaviour: object) => {
      service().next(behaviour);
      const id = await submit(who);
      await row(id);
      await change(id, { cancellable: true });
      return row(id);
    };

    test('ends a task with a refund once the vendor confirms, however many ask', async () => {
      const task = await submitted(running);
      const outcomes = await Promise.all([1, 2, 3].map(() => cancelTask(deps(), task, withCancel)));
      expect(outcomes.toSorted()).toEqual(['cancelled', 'ended', 'ended']);
      expect(await row(task.task_id)).toMatchObject({ status: 'CANCEL', refunded: true });
      expect(await entries(task.task_id)).toEqual([
        ['settle', -IMAGINE],
        ['refund', IMAGINE],
      ]);
      expect(await cancelTask(deps(), await row(task.task_id), withCancel)).toBe('ended');
      await pollNow([task.task_id]);
      expect(await spent()).toBe(0);
    });

    test('changes nothing while the vendor refuses, does not answer, or has finished', async () => {
      const kept = await submitted({ ...running, keepsOn: true });
      expect(await cancelTask(deps(), kept, withCancel)).toBe('running');
      service().isAway = true;
      expect(await cancelTask(deps(), kept, withCancel)).toBe('running');
      service().isAway = false;
      expect(await row(kept.task_id)).toMatchObject({ status: 'SUBMITTED', refunded: false });
      const finished = await submitted(done);
      await pollNow([finished.task_id]);
      expect(await cancelTask(deps(), finished, withCancel)).toBe('ended');
      expect(await row(finished.task_id)).toMatchObject({ status: 'SUCCESS', refunded: false });
    });

    test('is refused for a vendor that cannot, with an error that says so', async () => {
      const { id, task_id } = await row(await submit(who));
      expect(await hub().root.call(taskApi.get, { params: { id } })).toMatchObject({ cancellable: false });
      expect(await hub().root.try(taskApi.cancel, { params: { id } })).toMatchObject({
        status: 409,
        body: { success: false, code: 'task.not_cancellable' },
      });
      await change(task_id, { cancellable: true });
      expect(await hub().root.call(taskApi.get, { params: { id } })).toMatchObject({ cancellable: true });
    });
  });
});

import { booksApi, channelApi, channelStatus, logApi, midjourneyApi, optionApi, taskApi } from '@relay-hub/contract';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller, tokenOf, userOf } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel } from '#testing/hub.ts';
import { IMAGINE, imageModels, taskWorld } from './testing/task-world.ts';

onOneDatabase('tasks', (make) => {
  const world = taskWorld(make);
  const { hub, upstream, deps, channels, call, row, poll, until, expire, entries, submit, submissions } = world;
  const service = () => upstream().tasks;
  let who: TestCaller;

  beforeEach(async () => {
    upstream().requests.clear();
    who = await addCaller(deps().db, { quota: 1_000_000, remain: 500_000 });
  });
  afterEach(async () => {
    service().isAway = service().isOdd = false;
    await expectBooksBalance(deps().db);
  });

  const spent = async () => 1_000_000 - (await userOf(deps().db, who)).balance;

  describe('a picture', () => {
    test('is submitted, seen as it grows, and charged once', async () => {
      const body = {
        prompt: 'a cat --turbo',
        state: 'mine',
        tools: [{ name: 'get' }],
        notifyHook: 'https://me.example',
      };
      const id = await submit(who, body);
      expect(id).toMatch(/^\d{19}$/);
      expect(await call(who, `/mj/task/${id}/fetch`)).toMatchObject({
        status: 200,
        json: { id, action: 'IMAGINE', status: 'SUBMITTED', progress: '0%', state: 'mine', imageUrl: '' },
      });
      const [sent] = submissions();
      expect(sent).toEqual({
        path: '/mj/submit/imagine',
        body: { prompt: 'a cat', state: id, accountFilter: { modes: ['FAST'] } },
      });
      await poll();
      await until(id, 'IN_PROGRESS');
      expect(await row(id)).toMatchObject({ progress: 50 });
      await until(id, 'SUCCESS');
      const { json } = await call(who, `/mj/task/${id}/fetch`);
      expect(json).toMatchObject({ status: 'SUCCESS', progress: '100%', promptEn: 'a cat (en)' });
      expect(json['buttons']).toHaveLength(2);
      expect(JSON.stringify(json)).not.toMatch(/cdn\.example|10\.1\.2\.3|127\.0\.0\.1:(?!\d+\/mj\/image)/);
      expect(await entries(id)).toEqual([['settle', -IMAGINE]]);
      expect(await spent()).toBe(IMAGINE);
      const [log] = await rowsOf(deps().db, who);
      expect(log).toMatchObject({
        model_name: 'mj_imagine',
        quota: IMAGINE,
        metadata: { task_id: id, price_type: 'times' },
      });
    });

    test('is listed for its owner without the channel, and for administrators with it', async () => {
      const id = await submit(who);
      const { data } = await hub().root.call(midjourneyApi.list, { query: { mj_id: id } });
      expect(data).toMatchObject([
        { mj_id: id, channel_id: channels.images, progress: '0%', quota: IMAGINE, mode: 'fast' },
      ]);
      expect(data[0]!.submit_time).toBeGreaterThan(1_700_000_000_000);
      const tasks = await hub().root.call(taskApi.list, {
        query: { user_ids: String(who.userId), order: '-submit_time' },
      });
      expect(tasks.data).toMatchObject([{ task_id: id, platform: 'midjourney', channel_name: 'simulated' }]);
      const one = await hub().root.call(taskApi.get, { params: { id: tasks.data[0]!.id } });
      expect(one).toMatchObject({ task_id: id, model: 'mj_imagine', status: 'SUBMITTED', refunded: false });
    });

    test('is found by text, status, platform and action, and summed up', async () => {
      const id = await submit(who);
      const { username } = await deps()
        .db.selectFrom('users')
        .where('id', '=', who.userId)
        .select('username')
        .executeTakeFirstOrThrow();
      const queries: [object, number][] = [
        [{ keyword: 'CAT' }, 1],
        [{ keyword: id.slice(0, 15) }, 1],
        [{ keyword: 'dog' }, 0],
        [{ status: 'FAILURE,SUBMITTED' }, 1],
        [{ status: 'FAILURE,SUCCESS' }, 0],
        [{ platform: 'suno,midjourney' }, 1],
        [{ platform: 'suno,kling,video' }, 0],
        [{ action: 'UPSCALE' }, 0],
      ];
      for (const [filter, count] of queries) {
        const query = { username, ...filter };
        expect((await hub().root.call(taskApi.list, { query })).total_count, JSON.stringify(filter)).toBe(count);
        const sums = { count, quota: count * IMAGINE, refunded_count: 0, refunded_quota: 0 };
        expect(await hub().root.call(taskApi.totals, { query })).toEqual(sums);
      }
    });

    test('belongs to its owner: others are told that it does not exist', async () => {
      const id = await submit(who);
      await until(id, 'SUCCESS');
      const other = await addCaller(deps().db);
      expect(await call(other, `/mj/task/${id}/fetch`)).toMatchObject({ status: 404, json: { code: 3 } });
      expect((await call(other, '/mj/task/list-by-condition', { ids: [id] })).json).toEqual([]);
      const change = { taskId: id, action: 'UPSCALE', index: 1 };
      expect(await call(other, '/mj/submit/change', change)).toMatchObject({ status: 404 });
      expect(await call(other, `/mj/image/${id}`)).toMatchObject({
        status: 400,
        json: { error: 'midjourney_task_not_found' },
      });
      expect(await call({ ...other, key: 'sk-unknown' }, `/mj/task/${id}/fetch`)).toMatchObject({
        status: 401,
        json: { code: 4, error: 'invalid_api_key' },
      });
      expect((await userOf(deps().db, other)).used_quota).toBe(0);
    });

    test('without credits is refused, and the upstream sees nothing', async () => {
      const poor = await addCaller(deps().db, { quota: IMAGINE - 1 });
      const { status, json } = await call(poor, '/mj/submit/imagine', { prompt: 'a cat' });
      expect({ status, error: json['error'] }).toEqual({ status: 402, error: 'insufficient_user_quota' });
      expect(submissions()).toEqual([]);
      expect(await userOf(deps().db, poor)).toMatchObject({ balance: IMAGINE - 1, used_quota: 0 });
    });

    test('that the upstream refuses costs nothing and keeps the upstream’s code', async () => {
      service().next({ answer: { code: 24, description: 'banned word', properties: { bannedWord: 'x' } } });
      expect(await call(who, '/mj/submit/imagine', { prompt: 'x' })).toMatchObject({
        status: 400,
        json: { code: 24, description: expect.stringContaining('banned word') as string },
      });
      service().next({ answer: { code: 30, description: 'overload' } });
      service().next({ answer: { code: 30, description: 'overload' } });
      expect(await call(who, '/mj/submit/imagine', { prompt: 'x' })).toMatchObject({ status: 429, json: { code: 30 } });
      expect(await spent()).toBe(0);
    });

    test('without a free fast account is made by a slow one, in one charge', async () => {
      service().next({ answer: { code: 3, description: 'no account' } });
      const id = await submit(who);
      expect(await row(id)).toMatchObject({ mode: 'relax', model: 'mj_relax_imagine' });
      expect(submissions().map(({ body }) => body['accountFilter'])).toEqual([
        { modes: ['FAST'] },
        { modes: ['RELAX'] },
      ]);
      expect(await spent()).toBe(IMAGINE);
    });

    test('is made in the mode that its path names', async () => {
      const id = await submit(who, { prompt: 'a cat' }, '/mj-relax/mj/submit/imagine');
      expect(await row(id)).toMatchObject({ mode: 'relax', model: 'mj_relax_imagine' });
      expect(submissions()[0]?.body['accountFilter']).toEqual({ modes: ['RELAX'] });
      expect(await call(who, '/mj-quick/mj/submit/imagine', { prompt: 'x' })).toMatchObject({
        status: 400,
        json: { code: 4, error: 'invalid_request' },
      });
      expect(await call(who, '/mj/submit/imagine')).toMatchObject({ status: 405, json: { code: 4 } });
      expect(await call(who, '/mj/submit/nothing', {})).toMatchObject({ status: 404 });
    });

    test('is shown to its owner and by a signed address, through this server, and only as a picture', async () => {
      const id = await submit(who);
      await until(id, 'SUCCESS');
      const setAddress = (path: string) =>
        deps()
          .db.updateTable('tasks')
          .set({ image_url: upstream().url + path, media: '[]' })
          .where('task_id', '=', id)
          .execute();
      await setAddress('/mj/picture.png');
      const { json } = await call(who, `/mj/task/${id}/fetch`);
      const signed = String(json['imageUrl']);
      expect(signed).toMatch(new RegExp(`^http://127[^?]*/mj/image/${id}\\?expires=\\d+&sign=`));
      const shown = await fetch(signed);
      expect(shown.status).toBe(200);
      expect(Object.fromEntries(shown.headers)).toMatchObject({
        'content-type': 'image/png',
        'x-content-type-options': 'nosniff',
      });
      const own = await fetch(`${hub().url}/mj/image/${id}`, { headers: { 'mj-api-secret': who.key } });
      expect(own.status).toBe(200);
      expect((await fetch(`${signed}x`)).status).toBe(401);
      for (const unusable of ['/mj/page.html', '/mj/expired.png']) {
        await setAddress(unusable);
        expect((await fetch(signed)).status).toBe(502);
      }
    });

    test('goes to another channel only if the first certainly has nothing', async () => {
      const dead = await addChannel(hub(), 'http://127.0.0.1:9', {
        type: 34,
        key: 'dead',
        models: imageModels,
        priority: 9,
      });
      const id = await submit(who);
      expect(await row(id)).toMatchObject({ channel_id: channels.images });
      await hub().root.call(channelApi.remove, { params: { id: dead } });
      expect(await spent()).toBe(IMAGINE);
    });
  });

  describe('a failure returns what was charged, once', () => {
    test('also with two nodes polling, and to the key that paid', async () => {
      const steps = [
        { status: 'IN_PROGRESS', progress: 40 },
        { status: 'FAILURE', failReason: 'bad prompt' },
      ];
      service().next({ steps });
      const id = await submit(who);
      expect(await tokenOf(deps().db, who)).toEqual({ remain_quota: 450_000, used_quota: IMAGINE });
      await until(id, 'FAILURE');
      await poll();
      expect(await entries(id)).toEqual([
        ['settle', -IMAGINE],
        ['refund', IMAGINE],
      ]);
      expect(await row(id)).toMatchObject({ fail_reason: 'bad prompt', refunded: true, progress: 100 });
      expect(await tokenOf(deps().db, who)).toEqual({ remain_quota: 500_000, used_quota: 0 });
      expect(await spent()).toBe(0);
      const { data } = await hub().root.call(logApi.list, { query: { username: (await named()).username } });
      expect(data).toMatchObject([{ quota: IMAGINE, metadata: { task_id: id, task_refund: IMAGINE } }]);
    });
    const named = () =>
      deps().db.selectFrom('users').where('id', '=', who.userId).select('username').executeTakeFirstOrThrow();

    test('of a stuck task after the deadline, with the upstream away', async () => {
      service().next({ steps: [{ status: 'IN_PROGRESS', progress: 40 }] });
      const id = await submit(who);
      await until(id, 'IN_PROGRESS');
      service().isAway = true;
      await poll();
      expect(await row(id)).toMatchObject({ status: 'IN_PROGRESS', refunded: false });
      await expire(id);
      await Promise.all([poll(), poll()]);
      expect(await row(id)).toMatchObject({ status: 'FAILURE', refunded: true });
      expect(await entries(id)).toHaveLength(2);
      expect(await spent()).toBe(0);
    });

    test('when the upstream forgets the task, while others go on', async () => {
      service().next({ steps: [{ status: 'IN_PROGRESS', unknown: true }] });
      const forgotten = await submit(who);
      const other = await submit(who);
      await until(forgotten, 'FAILURE');
      await until(other, 'SUCCESS');
      expect(await spent()).toBe(IMAGINE);
    });

    test('when the upstream finishes without a result', async () => {
      service().next({ steps: [{ status: 'SUCCESS', progress: 100, empty: true }] });
      const id = await submit(who);
      await until(id, 'FAILURE');
      expect(await spent()).toBe(0);
    });
  });

  describe('an odd upstream', () => {
    test('that goes back in progress is not followed', async () => {
      service().next({
        steps: [
          { status: 'IN_PROGRESS', progress: 70 },
          { status: 'SUBMITTED', progress: 10 },
          { status: 'BANANA', progress: 20 },
          { status: 'SUCCESS', progress: 100 },
        ],
      });
      const id = await submit(who);
      const seen: number[] = [];
      for (let n = 0; n < 20 && (await row(id)).status !== 'SUCCESS'; n++) {
        await poll();
        seen.push((await row(id)).progress);
      }
      expect(seen).toEqual(seen.toSorted((a, b) => a - b));
      expect(await row(id)).toMatchObject({ status: 'SUCCESS' });
    });

    test('that answers nonsense stops nothing', async () => {
      const id = await submit(who);
      service().isOdd = true;
      await poll();
      await poll();
      service().isOdd = false;
      await until(id, 'SUCCESS');
    });

    test('that repeats the id of another user’s task is not believed', async () => {
      const first = await submit(who);
      const other = await addCaller(deps().db);
      service().next({ fault: 'duplicate' });
      const { status, json } = await call(other, '/mj/submit/imagine', { prompt: 'a dog' });
      expect({ status, error: json['error'] }).toEqual({ status: 502, error: 'bad_upstream_reply' });
      expect((await userOf(deps().db, other)).used_quota).toBe(0);
      await until(first, 'SUCCESS');
    });

    test('that repeats the id of a lost task shows its result to nobody else', async () => {
      service().next({ fault: 'lost' }, { fault: 'duplicate' });
      const lost = await submit(who);
      const other = await addCaller(deps().db);
      const wrong = await submit(other, { prompt: 'a dog' });
      await poll();
      await until(lost, 'SUCCESS');
      expect(await row(wrong)).toMatchObject({ status: 'FAILURE', refunded: true, prompt_en: '', image_url: '' });
      expect(await spent()).toBe(IMAGINE);
    });

    test('that notifies before it answers, twice or falsely only makes the server ask', async () => {
      const set = (values: Record<string, string | null>) => hub().root.call(optionApi.setMany, { body: { values } });
      await set({ MjNotifyEnabled: 'true', ServerAddress: hub().url });
      service().next({ fault: 'early' });
      const id = await submit(who);
      const hook = String(submissions()[0]!.body['notifyHook']);
      expect(hook.startsWith(`${hub().url}/mj/notify/${id}/`)).toBe(true);
      const tell = (url: string) => fetch(url, { method: 'POST', body: JSON.stringify({ id, status: 'FAILURE' }) });
      expect((await tell(hook)).status).toBe(200);
      expect((await tell(`${hook}x`)).status).toBe(404);
      expect(await service().notify(2, { id, status: 'FAILURE' })).toEqual([200, 200]);
      expect((await row(id)).status).not.toBe('FAILURE');
      await until(id, 'SUCCESS');
      await set({ MjNotifyEnabled: null, ServerAddress: null });
    });
  });

  describe('a lost answer is not sent again', () => {
    test('and the task is found again, charged once', async () => {
      service().next({ fault: 'lost' });
      const id = await submit(who);
      expect(await row(id)).toMatchObject({ status: 'UNKNOWN', quota: IMAGINE, upstream_id: '' });
      expect((await call(who, `/mj/task/${id}/fetch`)).json).toMatchObject({ status: 'SUBMITTED' });
      await until(id, 'SUCCESS');
      expect(submissions()).toHaveLength(1);
      expect(await entries(id)).toEqual([['settle', -IMAGINE]]);
    });

    test('and what the upstream never had is returned after a while', async () => {
      service().next({ fault: 'never' });
      const id = await submit(who);
      await poll();
      expect(await row(id)).toMatchObject({ status: 'UNKNOWN', refunded: false });
      await expire(id);
      await poll();
      expect(await row(id)).toMatchObject({ status: 'FAILURE', refunded: true });
      expect(submissions()).toHaveLength(1);
      expect(await spent()).toBe(0);
    });

    test('nor to a service that cannot be searched', async () => {
      service().next({ fault: 'lost' });
      const id = await submit(who, { prompt: 'a song' }, '/suno/submit/lyrics');
      await expire(id);
      await poll();
      expect(await row(id)).toMatchObject({ status: 'FAILURE', refunded: true });
      expect(await spent()).toBe(0);
    });
  });

  describe('a follow-up', () => {
    test('goes to the channel and key of its origin, though that channel is switched off by now', async () => {
      const id = await submit(who);
      await until(id, 'SUCCESS');
      const other = await addChannel(hub(), upstream().url, {
        type: 34,
        key: 'other-key',
        models: imageModels,
        priority: 9,
      });
      const switchTo = (status: 1 | 2) => hub().root.call(channelApi.update, { body: { id: channels.images, status } });
      await switchTo(channelStatus.disabled);
      expect(deps().live.routes.channel(channels.images)).toBeUndefined();
      upstream().requests.clear();
      const up = await submit(who, { content: `${id} U1` }, '/mj/submit/simple-change');
      const { upstream_id: origin } = await row(id);
      const [sent] = submissions();
      expect(sent).toMatchObject({
        path: '/mj/submit/action',
        body: { taskId: origin, customId: 'MJ::JOB::upsample::1::uuid', state: up },
      });
      expect(upstream().requests.at(0)?.headers['mj-api-secret']).toBe('image-key');
      expect(await row(up)).toMatchObject({ channel_id: channels.images, parent_task_id: id, action: 'UPSCALE' });
      await until(up, 'SUCCESS');
      await switchTo(channelStatus.enabled);
      await hub().root.call(channelApi.remove, { params: { id: other } });
      expect(await spent()).toBe(IMAGINE + 25_000);
      expect((await call(who, `/mj/task/${id}/image-seed`)).json).toMatchObject({ code: 1, result: '4242' });
    });

    test('that waits for a confirmation is charged with it, under the same id', async () => {
      const id = await submit(who);
      await until(id, 'SUCCESS');
      service().next({ code: 21 });
      const action = { taskId: id, customId: 'MJ::JOB::pan_left::1::uuid::SOLO', enableRemix: true };
      const asked = await call(who, '/mj/submit/action', action);
      expect(asked.json).toMatchObject({ code: 21, properties: { remix: true } });
      const waiting = String(asked.json['result']);
      expect(await row(waiting)).toMatchObject({ status: 'MODAL', quota: 0 });
      expect(await spent()).toBe(IMAGINE);
      const confirmed = await call(who, '/mj/submit/modal', { taskId: waiting, prompt: 'a dog' });
      expect(confirmed.json).toMatchObject({ code: 1, result: waiting });
      await until(waiting, 'SUCCESS');
      expect(await row(waiting)).toMatchObject({ quota: IMAGINE, model: 'mj_modal' });
      expect(await entries(waiting)).toEqual([['settle', -IMAGINE]]);
      expect(await call(who, '/mj/submit/modal', { taskId: waiting, prompt: 'x' })).toMatchObject({ status: 400 });
    });

    test('that is never confirmed costs nothing', async () => {
      const id = await submit(who);
      await until(id, 'SUCCESS');
      service().next({ code: 21 });
      const { json } = await call(who, '/mj/submit/action', { taskId: id, customId: 'MJ::Inpaint::1::uuid::SOLO' });
      const waiting = String(json['result']);
      await expire(waiting);
      await poll();
      expect(await row(waiting)).toMatchObject({ status: 'CANCEL', refunded: false });
      expect(await spent()).toBe(IMAGINE);
    });
  });

  test('a task goes on with its key when its channel is deleted, which takes no new work', async () => {
    const gone = await addChannel(hub(), upstream().url, {
      type: 34,
      key: 'gone-key',
      models: imageModels,
      priority: 9,
    });
    const id = await submit(who);
    await hub().root.call(channelApi.remove, { params: { id: gone } });
    await until(id, 'SUCCESS');
    const polls = [...upstream().requests].filter(({ path }) => path.endsWith('list-by-condition'));
    expect(polls.some(({ headers }) => headers['mj-api-secret'] === 'gone-key')).toBe(true);
    const again = await call(who, '/mj/submit/change', { taskId: id, action: 'UPSCALE', index: 1 });
    expect(again).toMatchObject({ status: 503, json: { error: 'no_available_channel' } });
    expect(await spent()).toBe(IMAGINE);
  });

  test('a video of a picture is priced by its size and number, and others only by their model', async () => {
    const video = (more: object) => ({ prompt: 'it moves', image: 'https://me.example/a.png', ...more });
    const small = await submit(who, video({ batchSize: 1 }), '/mj/submit/video');
    const large = await submit(who, video({ videoType: 'vid_1.1_i2v_720' }), '/mj/submit/video');
    expect([(await row(small)).quota, (await row(large)).quota]).toEqual([10_000, 80_000]);
    expect(await call(who, '/mj/submit/video', video({ batchSize: 40 }))).toMatchObject({
      status: 400,
      json: { code: 4 },
    });
    const listed = (await call(who, '/mj/task/queue')).json as unknown as { id: string }[];
    expect(listed.map(({ id }) => id)).toEqual([large, small]);
    expect(await call(who, `/mj/task/${small}/cancel`, {})).toMatchObject({ status: 400 });
    await until(small, 'SUCCESS');
    expect(await call(who, `/mj/task/${small}/cancel`, {})).toMatchObject({ status: 200, json: { code: 1 } });
  });

  test('many tasks of a channel are polled in few requests', async () => {
    const now = deps().now();
    const { key_cipher, base_url } = await row(await submit(who));
    const tasks = Array.from({ length: 250 }, (_, n) => ({
      task_id: `many-${who.userId}-${n}`,
      platform: 'midjourney' as const,
      action: 'IMAGINE',
      model: 'mj_imagine',
      mode: 'fast' as const,
      status: 'IN_PROGRESS' as const,
      created_at: now,
      updated_at: now,
      submit_ms: now * 1000,
      request_id: '',
      user_id: who.userId,
      token_id: who.tokenId,
      channel_id: channels.images,
      channel_type: 34,
      key_id: 1,
      key_cipher,
      base_url,
      upstream_id: `many-${who.userId}-${n}`,
      next_poll_at: now + 1000,
      deadline: now + 3600,
    }));
    for (let from = 0; from < tasks.length; from += 25)
      await deps()
        .db.insertInto('tasks')
        .values(tasks.slice(from, from + 25))
        .execute();
    service().polled.length = 0;
    await poll();
    const many = service().polled.filter((ids) => ids > 1);
    expect(many.reduce((sum, ids) => sum + ids, 0)).toBeGreaterThanOrEqual(250);
    expect(many.length).toBeLessThanOrEqual(4);
    await deps().db.deleteFrom('tasks').where('task_id', 'like', `many-${who.userId}-%`).execute();
  });

  describe('a song', () => {
    test('is made, fetched and continued at the channel that made it', async () => {
      const id = await submit(who, { prompt: 'la la', mv: 'chirp-v3-5', tags: 'pop' }, '/suno/submit/MUSIC');
      await until(id, 'SUCCESS');
      const { json } = await call(who, `/suno/fetch/${id}`);
      expect(json).toMatchObject({
        code: 'success',
        data: { task_id: id, action: 'MUSIC', status: 'SUCCESS', progress: '100%' },
      });
      expect(JSON.stringify(json)).not.toContain('the-vendors-account');
      const { data } = (await call(who, '/suno/fetch', { ids: [id, 'unknown'] })).json as { data: unknown[] };
      expect(data).toHaveLength(1);
      const clip = `${(await row(id)).upstream_id}-a`;
      upstream().requests.clear();
      const more = await submit(
        who,
        { prompt: 'more', mv: 'chirp-v3-5', continue_clip_id: clip, continue_at: 30, task_id: id },
        '/suno/submit/music',
      );
      const [sent] = submissions();
      expect(sent?.body).toMatchObject({ continue_clip_id: clip, task_id: (await row(id)).upstream_id });
      expect(await row(more)).toMatchObject({ parent_task_id: id, channel_id: channels.songs });
      const media = (await hub().root.call(taskApi.list, { query: { task_id: id } })).data[0]!.media;
      expect(media.map(({ kind }) => kind)).toEqual(['audio', 'audio']);
      expect(await spent()).toBe(100_000);
    });

    test('is uploaded, joined, and its callers’ addresses stay here', async () => {
      const sound = 'https://me.example/a.mp3';
      const id = await submit(who, { url: sound }, '/suno/uploads/audio-url');
      await until(id, 'SUCCESS');
      const clip_id = `${(await row(id)).upstream_id}-a`;
      const callBackUrl = 'https://me.example/hook';
      const joined = await submit(who, { clip_id, is_infill: false, callBackUrl }, '/suno/submit/concat');
      expect(await row(joined)).toMatchObject({ action: 'CONCAT', parent_task_id: id, notify_hook: callBackUrl });
      expect(submissions().map(({ path, body }) => [path, body['url'] ?? body['clip_id']])).toEqual([
        ['/suno/uploads/audio-url', sound],
        ['/suno/submit/concat', clip_id],
      ]);
      expect(submissions()[1]!.body).not.toHaveProperty('callBackUrl');
      for (const url of ['javascript:alert(1)', 7, ''])
        expect(await call(who, '/suno/uploads/audio-url', { url })).toMatchObject({ status: 400 });
      expect(await call(who, '/suno/submit/upload', { url: sound })).toMatchObject({ status: 404 });
    });

    test('is refused in the dialect of its clients', async () => {
      expect(await call(who, '/suno/submit/lyrics', {})).toMatchObject({
        status: 400,
        json: { code: 'invalid_request' },
      });
      expect(await call(who, '/suno/fetch/nothing')).toMatchObject({ status: 404, json: { code: 'task_not_exist' } });
      const continued = { prompt: 'x', continue_clip_id: 'somebody-elses' };
      expect(await call(who, '/suno/submit/music', continued)).toMatchObject({ status: 400 });
      service().next({ answer: { code: 'upstream_error', message: 'no account' } });
      expect(await call(who, '/suno/submit/lyrics', { prompt: 'x' })).toMatchObject({ status: 400 });
      expect(await spent()).toBe(0);
    });
  });

  test('the books of all of this balance', async () => {
    await hub().root.call(booksApi.run);
    await expect
      .poll(async () => (await hub().root.call(booksApi.state)).running, {
        message: 'the check of the books that runs',
      })
      .toBeNull();
    const { report } = await hub().root.call(booksApi.state);
    expect(report?.checks.filter(({ differing }) => differing > 0)).toEqual([]);
    expect(report?.checks.find(({ check }) => check === 'tasks')?.compared).toBeGreaterThan(20);
  });
});

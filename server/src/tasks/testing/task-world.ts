import { priceApi } from '@relay-hub/contract';
import { beforeAll } from 'vitest';
import type { TestCaller } from '#testing/callers.ts';
import { caughtUp } from '#testing/caught-up.ts';
import type { MakeDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { post } from '#testing/relay-calls.ts';
import { pollDueTasks } from '../poll/poll-tasks.ts';
import type { TaskRow } from '../task-rows.ts';

export const IMAGINE = 50_000;
export const imageModels =
  'mj_imagine,mj_relax_imagine,mj_upscale,mj_pan,mj_modal,mj_describe,mj_inpaint,mj_upload,mj_blend,mj_variation,mj_video,mj_retexture';
export const songModels = 'suno_lyrics,suno_concat,suno_upload,chirp-v3-0,chirp-v3-5';

interface Reply {
  status: number;
  json: Record<string, unknown>;
}

/** A hub with an image and a song channel at simulated services. */
export function taskWorld(make: MakeDatabase, env: Record<string, string> = {}) {
  const hub = hubForSuite(make, env);
  const upstream = upstreamForSuite();
  const channels = { images: 0, songs: 0 };
  const deps = () => hub().server.deps;
  beforeAll(async () => {
    channels.images = await addChannel(hub(), upstream().url, { type: 34, key: 'image-key', models: imageModels });
    // Names without a built-in price.
    const prices = { mj_video_480p_1: 10, mj_video_720p: 80, suno_concat: 10, suno_upload: 10 };
    for (const [model, input] of Object.entries(prices))
      await hub().root.call(priceApi.create, { body: { model, type: 'times', channel_type: 34, input, output: 0 } });
    channels.songs = await addChannel(hub(), upstream().url, { type: 41, key: 'song-key', models: songModels });
  });

  const call = async (who: TestCaller, path: string, body?: object): Promise<Reply> => {
    const isImage = path.startsWith('/mj');
    const answer = await post(hub(), isImage ? undefined : who.key, body, path, {
      method: body === undefined ? 'GET' : 'POST',
      ...(isImage && { headers: { 'mj-api-secret': who.key } }),
    });
    return { status: answer.status, json: JSON.parse(answer.text) as Reply['json'] };
  };
  const row = async (taskId: string): Promise<TaskRow> => {
    await caughtUp(deps().db);
    return deps().db.selectFrom('tasks').where('task_id', '=', taskId).selectAll().executeTakeFirstOrThrow();
  };
  /** Makes unfinished tasks due, and polls as two nodes at once. */
  const poll = async (): Promise<void> => {
    await caughtUp(deps().db);
    await deps()
      .db.updateTable('tasks')
      .set({ next_poll_at: 1 })
      .where('next_poll_at', '>', 0)
      .where('status', '<>', 'MODAL')
      .execute();
    // Rounds follow each other faster than the rate of polls allows.
    await deps().db.deleteFrom('task_paces').execute();
    await Promise.all([pollDueTasks(deps()), pollDueTasks({ ...deps(), nodeId: 'another node' })]);
  };
  /** Polls until a task has a status. */
  const until = async (taskId: string, status: TaskRow['status']): Promise<TaskRow> => {
    for (let n = 0; n < 40; n++) {
      const found = await row(taskId);
      if (found.status === status) return found;
      await poll();
    }
    throw new Error(`task ${taskId} is ${(await row(taskId)).status}, not ${status}`);
  };
  /** Ends the time that a task may take. */
  const expire = (taskId: string) =>
    deps().db.updateTable('tasks').set({ deadline: 1, next_poll_at: 1 }).where('task_id', '=', taskId).execute();
  const entries = async (taskId: string) => {
    const { request_id } = await row(taskId);
    const found = await deps()
      .db.selectFrom('ledger')
      .where('reference', 'in', [`call:${request_id}`, `task:${taskId}`])
      .select(['kind', 'credits'])
      .orderBy('id')
      .execute();
    return found.map(({ kind, credits }) => [kind, credits]);
  };
  const submit = async (who: TestCaller, body: object = { prompt: 'a cat' }, path = '/mj/submit/imagine') => {
    const { status, json } = await call(who, path, body);
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(json)}`);
    return String(path.startsWith('/suno') ? json['data'] : json['result']);
  };
  /** Paths and bodies that the services have received for submissions. */
  const submissions = () =>
    [...upstream().requests]
      .filter(({ path }) => /submit|insight|uploads/.test(path))
      .map(({ path, body }) => ({ path, body: JSON.parse(body) as Record<string, unknown> }));

  return { hub, upstream, deps, channels, call, row, poll, until, expire, entries, submit, submissions };
}

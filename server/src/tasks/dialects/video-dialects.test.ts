import { GoogleGenAI, type GenerateVideosOperation } from '@google/genai';
import OpenAI, { toFile } from 'openai';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { simulatedMp4 } from '#upstream-simulator/video-service.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { SECOND, START, videoWorld } from '#tasks/testing/dialect-world.ts';

const png = Buffer.from('\x89PNG\r\n\x1a\n0000', 'latin1');
const dataUrl = `data:image/png;base64,${png.toString('base64')}`;
const sora = { model: 'sora-2', prompt: 'a cat' };

onOneDatabase('videos', (make) => {
  const { hub, deps, send, spent, client, service, row, poll, until } = videoWorld(make);
  let who: TestCaller;
  beforeEach(async () => {
    who = await addCaller(deps().db, { quota: START });
  });
  afterEach(() => expectBooksBalance(deps().db));

  const addressAt = (id: string) => new RegExp(`^http://127[^?]*/${id}/[^?]*\\?expires=\\d+&sign=`);

  test('OpenAI’s client makes, finds, lists, downloads, remixes and deletes them', async () => {
    const { videos } = client(who);
    const input_reference = await toFile(png, 'cat.png', { type: 'image/png' });
    const made = await videos.create({ ...sora, seconds: '8', size: '1280x720', input_reference });
    expect(made).toMatchObject({ object: 'video', status: 'queued', model: 'sora-2', seconds: '8', size: '1280x720' });
    expect(service().last).toMatchObject({
      path: '/v1/videos',
      authorization: 'Bearer video-key',
      fields: { ...sora, seconds: '8', size: '1280x720', input_reference: 'image/png:12' },
    });
    expect(await spent(who)).toBe(8 * SECOND);
    expect((await rowsOf(deps().db, who))[0]).toMatchObject({ metadata: { endpoint: '/v1/videos', task_id: made.id } });
    await expect(videos.downloadContent(made.id)).rejects.toMatchObject({ status: 400, code: 'video_not_ready' });
    await until(made.id, 'IN_PROGRESS');
    expect(await videos.retrieve(made.id)).toMatchObject({ status: 'in_progress', progress: 50 });
    await until(made.id, 'SUCCESS');
    expect(await videos.retrieve(made.id)).toMatchObject({
      status: 'completed',
      completed_at: expect.any(Number) as number,
      error: null,
      metadata: { url: expect.stringMatching(addressAt(made.id)) as string },
    });
    const file = await videos.downloadContent(made.id);
    expect(Buffer.from(await file.arrayBuffer())).toEqual(simulatedMp4);
    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-type': 'video/mp4',
      'x-content-type-options': 'nosniff',
    });
    const remixed = await videos.remix(made.id, { prompt: 'a dog' });
    expect(remixed).toMatchObject({ remixed_from_video_id: made.id, seconds: '8', size: '1280x720', prompt: 'a dog' });
    const { upstream_id } = await row(made.id);
    expect(service().last).toMatchObject({ path: `/v1/videos/${upstream_id}/remix`, fields: { prompt: 'a dog' } });
    await videos.extend({ prompt: 'and then', seconds: '12', video: { id: made.id } });
    expect(service().last).toMatchObject({
      path: '/v1/videos/extensions',
      fields: { prompt: 'and then', seconds: '12', 'video[id]': upstream_id },
    });
    expect(await spent(who)).toBe((8 + 8 + 12) * SECOND);
    const listed: string[] = [];
    for await (const video of videos.list({ limit: 2, order: 'asc' })) listed.push(video.id);
    expect(listed).toHaveLength(3);
    expect(listed.slice(0, 2)).toEqual([made.id, remixed.id]);
    await expect(videos.delete(remixed.id)).rejects.toMatchObject({ status: 400, code: 'video_not_ready' });
    expect(await videos.delete(made.id)).toEqual({ id: made.id, object: 'video.deleted', deleted: true });
    await expect(videos.retrieve(made.id)).rejects.toMatchObject({ status: 404, code: 'task_not_exist' });
    expect((await videos.list()).data.map(({ id }) => id)).not.toContain(made.id);
    expect(await row(made.id)).toMatchObject({ quota: 8 * SECOND, refunded: false });
  });

  test('a failure is told with its reason, and returned', async () => {
    service().next({ steps: ['failed'] });
    const { id } = await client(who).videos.create(sora);
    await until(id, 'FAILURE');
    expect(await client(who).videos.retrieve(id)).toMatchObject({
      status: 'failed',
      error: { code: 'video_generation_failed', message: 'blocked by moderation' },
    });
    expect(await spent(who)).toBe(0);
  });

  test('belong to their user: others are told that they do not exist', async () => {
    const { id } = await client(who).videos.create(sora);
    const other = await addCaller(deps().db);
    const shows = [`/v1/videos/${id}`, `/v1/videos/${id}/content`, `/v1/video/generations/${id}`];
    const more = [`/kling/v1/videos/text2video/${id}`, `/gemini/v1beta/models/veo-3/operations/${id}`];
    for (const path of [...shows, ...more, `/gemini/v1beta/interactions/${id}`])
      expect((await send(other, path)).status, path).toBe(404);
    expect((await send(other, `/v1/videos/${id}`, { method: 'DELETE' })).status).toBe(404);
    expect((await send(other, `/v1/videos/${id}/remix`, { body: { prompt: 'x' } })).status).toBe(404);
    expect((await send(other, '/v1/videos')).json).toMatchObject({ data: [], first_id: null, has_more: false });
  });

  test.each<[string, unknown, number, string | null]>([
    ['no prompt', { model: 'sora-2' }, 400, 'prompt'],
    ['a prompt that is no text', { ...sora, prompt: ['a'] }, 400, 'prompt'],
    ['a huge prompt', { ...sora, prompt: 'a'.repeat(30_000) }, 400, 'prompt'],
    ['a prompt with NUL', { ...sora, prompt: 'a\0b' }, 400, 'prompt'],
    ['a list as the body', [sora], 400, null],
    ['no JSON', '{"model":', 400, null],
    ['a negative length', { ...sora, seconds: '-4' }, 400, 'seconds'],
    ['a length that is an object', { ...sora, seconds: {} }, 400, 'seconds'],
    ['half a second', { ...sora, seconds: 4.5 }, 400, 'seconds'],
    ['a size that is none', { ...sora, size: 'large' }, 400, 'size'],
    [
      'a script as a picture',
      { ...sora, input_reference: { image_url: 'javascript:alert(1)' } },
      400,
      'input_reference.image_url',
    ],
    [
      'a file of this machine',
      { ...sora, input_reference: { image_url: 'file:///etc/passwd' } },
      400,
      'input_reference.image_url',
    ],
    ['a stored file', { ...sora, input_reference: { file_id: 'file-1' } }, 400, 'input_reference.file_id'],
    ['a number as a picture', { ...sora, input_reference: 7 }, 400, 'input_reference'],
    ['a picture that is a page', { ...sora, image: 'data:text/html;base64,PGI+' }, 400, 'image'],
    ['parameters that are no object', { ...sora, metadata: '[1]' }, 400, 'metadata'],
    ['a parameter that the vendor does not have', { ...sora, metadata: { duration: 60 } }, 400, 'duration'],
    ['a last frame, which the vendor does not take', { ...sora, images: [dataUrl, dataUrl] }, 400, 'last_frame'],
    ['a script to notify', { ...sora, callback_url: 'javascript:alert(1)' }, 400, 'callback_url'],
    ['several videos', { ...sora, n: 3 }, 400, 'n'],
    ['a model that nobody has', { ...sora, model: 'sora-9' }, 404, 'model'],
    ['a model without a price', { ...sora, model: 'unpriced-video' }, 400, 'model'],
  ])('%s is refused, and nothing is sent', async (_, body, status, param) => {
    const before = service().videos.size;
    const answer = await send(who, '/v1/videos', { body });
    expect({ status: answer.status, json: answer.json }).toMatchObject({ status, json: { error: { param } } });
    expect(service().videos.size).toBe(before);
    expect(await spent(who)).toBe(0);
  });

  test('forms with ambiguous or unusable fields are refused', async () => {
    const submit = async (fill: (form: FormData) => void) => {
      const form = new FormData();
      form.set('model', 'sora-2');
      fill(form);
      const headers = { authorization: `Bearer ${who.key}` };
      const answer = await fetch(`${hub().url}/v1/videos`, { method: 'POST', body: form, headers });
      return [answer.status, ((await answer.json()) as { error?: { param: string } }).error?.param];
    };
    const twice = (form: FormData) => {
      form.append('prompt', 'a');
      form.append('prompt', 'b');
    };
    expect(await submit(twice)).toEqual([400, 'prompt']);
    const page = (form: FormData) => form.set('input_reference', new Blob(['<script>']), 'x.png');
    expect(await submit(page)).toEqual([400, 'input_reference']);
    expect(await submit((form) => form.set('__proto__[prompt]', 'a'))).toEqual([400, null]);
    const nested = (form: FormData) => {
      form.set('prompt', 'a cat');
      form.set('input_reference[image_url]', 'http://10.0.0.1/secret.png');
    };
    // The address goes to the vendor unchanged: nothing here fetches it.
    expect(await submit(nested)).toEqual([200, undefined]);
    expect(service().last?.fields['input_reference[image_url]']).toBe('http://10.0.0.1/secret.png');
  });

  test('other methods are told which there are, in the dialect’s own form', async () => {
    const wrong = async (path: string, method: string) => {
      const { status, headers } = await send(who, path, { method, body: method === 'GET' ? undefined : {} });
      return [status, headers.get('allow')];
    };
    expect(await wrong('/v1/videos', 'DELETE')).toEqual([405, 'POST, GET, HEAD, OPTIONS']);
    expect(await wrong('/v1/videos/x/remix', 'GET')).toEqual([405, 'POST, OPTIONS']);
    expect(await wrong('/v1/video/generations', 'GET')).toEqual([405, 'POST, OPTIONS']);
    expect(await wrong('/gemini/v1beta/interactions', 'GET')).toEqual([405, 'POST, OPTIONS']);
    expect(await wrong('/jimeng/?Action=CVSync2AsyncGetResult', 'GET')).toEqual([405, 'POST, OPTIONS']);
    for (const path of ['/v1/videos/characters', '/v1/videos?after=a%00b', '/kling/v1/videos/text2video/a%00b'])
      expect((await send(who, path)).status, path).toBe(404);
    expect((await send(who, '/v1/videos?limit=0')).json).toMatchObject({ error: { param: 'limit' } });
  });

  test('a model that is priced by the second is listed', async () => {
    const { data } = await client(who).models.list();
    const ids = data.map(({ id }) => id);
    expect(ids).toContain('sora-2');
    expect(ids).not.toContain('unpriced-video');
  });

  test('the generic dialect orders and shows them, with errors of its own', async () => {
    const body = { ...sora, duration: 8, size: '1280x720', image: dataUrl, metadata: { cfg_scale: 0.5 } };
    const { json } = await send(who, '/v1/video/generations', { body });
    const id = String(json['task_id']);
    expect(json).toMatchObject({ id, object: 'video', status: 'queued' });
    expect(service().last?.fields).toMatchObject({ seconds: '8', metadata: '{"cfg_scale":0.5}' });
    const fetched = () => send(who, `/v1/video/generations/${id}`);
    expect((await fetched()).json).toMatchObject({
      code: 'success',
      status: 'queued',
      data: { task_id: id, status: 'SUBMITTED', progress: '0%' },
    });
    await until(id, 'SUCCESS');
    const done = (await fetched()).json;
    expect(done).toMatchObject({ status: 'succeeded', data: { status: 'SUCCESS', progress: '100%' } });
    expect(done['url']).toMatch(addressAt(id));
    expect(JSON.stringify(done)).not.toMatch(/video_up_|channel_id|quota|video-key/);
    expect(await send(who, '/v1/video/generations', { body: { prompt: 'x' } })).toMatchObject({
      status: 400,
      json: { code: 'invalid_request', message: expect.stringContaining("'model'") as string },
    });
    expect(await send(who, '/v1/video/generations/none')).toMatchObject({
      status: 404,
      json: { code: 'task_not_exist' },
    });
  });

  describe('Kling’s dialect', () => {
    const order = {
      model_name: 'kling-v1-6',
      prompt: 'a cat',
      aspect_ratio: '16:9',
      callback_url: 'https://me.example/hook',
    };
    const submit = (body: object, action = 'text2video') => send(who, `/kling/v1/videos/${action}`, { body });

    test('orders, shows and lists them in the vendor’s form', async () => {
      const { status, json } = await submit({ ...order, duration: '10', external_task_id: 'mine' });
      expect({ status, json }).toMatchObject({ status: 200, json: { code: 0, data: { task_status: 'submitted' } } });
      const { task_id: id } = json['data'] as { task_id: string };
      expect(service().last?.fields).toMatchObject({ seconds: '10', metadata: '{"mode":"std"}', size: '1280x720' });
      expect(JSON.stringify(service().last)).not.toMatch(/me\.example|mine/);
      expect(await row(id)).toMatchObject({ platform: 'kling', notify_hook: 'https://me.example/hook' });
      await until(id, 'SUCCESS');
      const task = {
        task_id: id,
        task_status: 'succeed',
        task_info: { external_task_id: 'mine' },
        task_result: { videos: [{ id, duration: '10' }] },
      };
      for (const path of [id, 'mine'])
        expect((await send(who, `/kling/v1/videos/text2video/${path}`)).json).toMatchObject({ code: 0, data: task });
      expect((await send(who, '/kling/v1/videos/text2video?pageSize=5')).json).toMatchObject({ data: [task] });
      expect((await send(who, '/kling/v1/videos/image2video')).json).toMatchObject({ data: [] });
    });

    test('finds a channel and price under the long name first', async () => {
      const { json } = await submit({ ...order, model_name: 'kling-v2-6', mode: 'pro', duration: 10 });
      const { task_id } = json['data'] as { task_id: string };
      expect(await row(task_id)).toMatchObject({ model: 'kling-video_kling-v2-6_pro_10', quota: 300_000 });
    });

    test('knows the newer form', async () => {
      const body = {
        prompt: 'a cat',
        settings: { resolution: '1080p', duration: 5 },
        options: { external_task_id: 'new' },
      };
      const { json } = await send(who, '/kling/text-to-video/kling-3.0', { body });
      const { id } = json['data'] as { id: string };
      await until(id, 'SUCCESS');
      const found = (await send(who, '/kling/tasks?external_task_ids=new,other')).json;
      expect(found['data']).toMatchObject([{ id, status: 'succeeded', outputs: [{ type: 'video' }] }]);
    });

    test.each<[string, object, string, number, string]>([
      ['a length', { ...order, duration: 60 }, 'text2video', 400, 'invalid_request'],
      ['a class', order, '../images/generations', 400, 'invalid_request'],
      ['an action', order, 'lip-sync', 400, 'invalid_request'],
      ['a picture', order, 'image2video', 400, 'invalid_request'],
      ['a video', { ...order, video_id: 'none' }, 'video-extend', 404, 'task_not_exist'],
    ])('refuses %s that it does not have', async (_, body, action, status, code) => {
      expect(await submit(body, action)).toMatchObject({ status, json: { code } });
    });
  });

  describe('Google’s client', () => {
    const google = (more: object = {}) =>
      new GoogleGenAI({ apiKey: who.key, httpOptions: { baseUrl: `${hub().url}/gemini` }, ...more });

    test('makes them as operations of Vertex AI, and the Gemini API shows them', async () => {
      const ai = google({ vertexai: true });
      let operation: GenerateVideosOperation = await ai.models.generateVideos({
        model: 'veo-3',
        source: { prompt: 'a cat' },
        config: { durationSeconds: 8, aspectRatio: '16:9', numberOfVideos: 1 },
      });
      expect(operation.done).toBeFalsy();
      const id = operation.name!.split('/').at(-1)!;
      expect(service().last?.fields).toMatchObject({ prompt: 'a cat', seconds: '8', size: '1280x720' });
      await until(id, 'SUCCESS');
      operation = await ai.operations.getVideosOperation({ operation });
      expect(operation.done).toBe(true);
      expect(operation.response?.generatedVideos?.[0]?.video?.uri).toMatch(addressAt(id));
      const shown = await send(who, `/gemini/v1beta/models/veo-3/operations/${id}`);
      expect(shown.json).toMatchObject({
        name: `models/veo-3/operations/${id}`,
        done: true,
        response: { generateVideoResponse: { generatedSamples: [{ video: { encoding: 'video/mp4' } }] } },
      });
      const predict = (body: object) => send(who, '/gemini/v1beta/models/veo-3:predictLongRunning', { body });
      const parameters = { storageUri: 'gs://mine/x' };
      expect(await predict({ instances: [{ prompt: 'x' }], parameters })).toMatchObject({
        status: 400,
        json: { error: { status: 'INVALID_ARGUMENT' } },
      });
    });

    test('makes them as interactions', async () => {
      const { interactions } = google();
      const response_format = { type: 'video', duration: '8s', aspect_ratio: '16:9' } as const;
      const base = { model: 'omni', input: 'a cat', response_format };
      const made = await interactions.create({ ...base, background: true });
      expect(made).toMatchObject({ status: 'in_progress', model: 'omni' });
      await until(made.id, 'SUCCESS');
      const done = await interactions.get(made.id);
      expect(done).toMatchObject({ status: 'completed', output_video: { type: 'video', mime_type: 'video/mp4' } });
      const refused = async (body: object) =>
        (await send(who, '/gemini/v1beta/interactions', { body })).json as { error?: { message: string } };
      expect((await refused(base)).error?.message).toContain("'background'");
      const two = { ...base, background: true, response_format: [response_format, { type: 'text' }] };
      expect((await refused(two)).error?.message).toContain("'response_format'");
      await interactions.delete(made.id);
      expect((await send(who, `/gemini/v1beta/interactions/${made.id}`)).status).toBe(404);
    });
  });

  test('Jimeng’s actions order and show them in the vendor’s form', async () => {
    const act = (action: string, body: object) =>
      send(who, `/jimeng/?Action=CVSync2Async${action}&Version=2022-08-31`, { body });
    const req_key = 'jimeng_t2v_v30';
    const { json } = await act('SubmitTask', { req_key, prompt: 'a cat', frames: 241, seed: -1 });
    const { task_id } = json['data'] as { task_id: string };
    expect(service().last?.fields['seconds']).toBe('10');
    expect((await act('GetResult', { req_key, task_id })).json).toMatchObject({
      code: 10_000,
      data: { status: 'in_queue' },
    });
    await until(task_id, 'SUCCESS');
    expect((await act('GetResult', { req_key, task_id })).json).toMatchObject({
      code: 10_000,
      data: { status: 'done' },
    });
    expect((await act('GetResult', { req_key, task_id: 'none' })).json).toMatchObject({
      data: { status: 'not_found' },
    });
    expect(await act('SubmitTask', { prompt: 'a cat' })).toMatchObject({
      status: 400,
      json: { code: 50_400, data: null },
    });
  });

  test('a follow-up of a video that is not completed is refused', async () => {
    const { id } = await client(who).videos.create(sora);
    await poll();
    await expect(client(who).videos.remix(id, { prompt: 'x' })).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  });
});

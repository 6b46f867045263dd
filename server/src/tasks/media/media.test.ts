import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { midjourneyApi, optionApi, taskApi } from '@relay-hub/contract';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { StoredTaskMedia } from '#db/tables/tasks.ts';
import { midjourneyTasks } from '#providers/task-vendors/midjourney-proxy.ts';
import { addCaller, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { answeringForSuite } from '#testing/network/outbound.ts';
import { addPerson } from '#testing/people.ts';
import { type S3Simulator, startS3 } from '#testing/s3-simulator.ts';
import { taskWorld } from '../testing/task-world.ts';
import { originOf, type TaskOrigin } from '../origin-channel.ts';
import { fetchDueFiles, pruneFiles } from './fetch-files.ts';
import { mediaKeeper } from './media-hook.ts';
import { mediaFolder } from './store/disk-store.ts';
import { openStored } from './store/media-store.ts';
import { unstored } from './task-files.ts';

const video = Buffer.concat([Buffer.from('\0\0\0\x1cftypisom', 'latin1'), Buffer.alloc(300_000, 'video data ')]);
const png = Buffer.from('\x89PNG\r\n\x1a\n a picture', 'latin1');

onOneDatabase('result files', (make) => {
  const { hub, deps, row, submit, until, poll, call, upstream } = taskWorld(make);
  const vendor = answeringForSuite();
  let who: TestCaller;
  let s3: S3Simulator;
  /** Paths that the vendor was asked for. */
  let asked: string[] = [];

  const set = (values: Record<string, string | null>) => hub().root.call(optionApi.setMany, { body: { values } });
  const at = (file: string) => vendor.here() + file;
  const isAway = () => (vendor.answer = (_, response) => void response.writeHead(404).end());
  const folder = () => mediaFolder(deps().config);

  function serveFiles(request: IncomingMessage, response: ServerResponse): void {
    const name = (request.url ?? '').slice(1);
    asked.push(name);
    const to = /^to\/(.*)$/.exec(name)?.[1];
    if (to !== undefined) return void response.writeHead(302, { location: decodeURIComponent(to) }).end();
    if (name === 'page.png') return void response.writeHead(200, { 'content-type': 'image/png' }).end('<html><script>');
    if (name === 'cut.mp4') {
      response.writeHead(200, { 'content-length': video.length });
      return void response.write(video.subarray(0, 1000), () => response.destroy());
    }
    const bytes = name.endsWith('.mp4') ? video : name.endsWith('.png') ? png : undefined;
    if (!bytes) return void response.writeHead(403).end('expired');
    const [, from, end] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    const last = end === undefined || end === '' ? bytes.length - 1 : Number(end);
    const head = { 'content-type': 'application/octet-stream' };
    if (from === undefined) return void response.writeHead(200, { ...head, 'content-length': bytes.length }).end(bytes);
    if (Number(from) >= bytes.length)
      return void response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end();
    response
      .writeHead(206, { ...head, 'content-range': `bytes ${from}-${last}/${bytes.length}` })
      .end(bytes.subarray(Number(from), last + 1));
  }

  beforeAll(async () => {
    s3 = await startS3({ accessKey: 'AKIDEXAMPLE', secretKey: 'a/secret+key', region: 'eu-north-1' });
  });
  afterAll(() => s3?.close());
  beforeEach(async () => {
    asked = [];
    vendor.answer = serveFiles;
    who ??= await addCaller(deps().db, { quota: 100_000_000 });
  });
  afterEach(() => set({ TaskMediaStore: null }));

  const useS3 = () =>
    set({
      TaskMediaStore: 's3',
      TaskMediaS3Endpoint: s3.url,
      TaskMediaS3Region: 'eu-north-1',
      TaskMediaS3Bucket: 'results',
      TaskMediaS3Prefix: 'hub/tasks/',
      TaskMediaS3AccessKey: 'AKIDEXAMPLE',
      TaskMediaS3SecretKey: 'a/secret+key',
    });

  /** A finished task with these files; its id. */
  async function finished(...files: (Partial<StoredTaskMedia> & { url: string })[]): Promise<string> {
    const id = await submit(who);
    await until(id, 'SUCCESS');
    // The vendor has no other addresses.
    upstream().tasks.last!.picture = ''; // submitted above
    const media = files.map((file) => ({ ...unstored({ kind: 'video', url: '' }), ...file }));
    await deps()
      .db.updateTable('tasks')
      .set({ media: JSON.stringify(media) })
      .where('task_id', '=', id)
      .execute();
    return id;
  }

  /** The signed address of a file, as its owner's list has it. */
  async function addressOf(id: string, index = 0): Promise<string> {
    const { data } = await hub().root.call(taskApi.list, { query: { task_id: id } });
    return hub().url + data[0]!.media[index]!.url;
  }

  const get = (address: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(address, { headers, method });
  const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

  /** Plans the files of a task as a report does, and fetches as two nodes at once. */
  async function fetchFiles(id: string): Promise<void> {
    const task = await row(id);
    const origin = (await originOf(deps(), task)) as TaskOrigin; // its channel exists
    await mediaKeeper(deps())(
      task,
      task.media.map(({ kind, url }) => ({ kind, url })),
      origin,
    );
    await fetchPlanned(id);
  }
  async function fetchPlanned(id: string): Promise<void> {
    for (let n = 0; n < 100; n++) {
      await deps()
        .db.updateTable('task_fetches')
        .set({ next_at: 1 })
        .where('task_id', '=', id)
        .where('attempts', '=', 0)
        .execute();
      await Promise.all([fetchDueFiles(deps()), fetchDueFiles({ ...deps() })]);
      const open = await deps()
        .db.selectFrom('task_fetches')
        .where('task_id', '=', id)
        .where('attempts', '=', 0)
        .selectAll()
        .execute();
      if (open.length === 0) return;
    }
    throw new Error('files are still due');
  }

  describe.each(['disk', 's3'] as const)('that are kept (%s)', (place) => {
    beforeEach(() => (place === 's3' ? useS3() : set({ TaskMediaStore: place })));

    test('are fetched once by two nodes, and sent when the vendor has forgotten them', async () => {
      const id = await finished({ url: at('a.mp4') });
      await fetchFiles(id);
      expect(asked).toEqual(['a.mp4']);
      expect((await row(id)).media).toMatchObject([
        { stored: expect.stringContaining(`${place}:`) as string, type: 'video/mp4', bytes: video.length },
      ]);
      isAway();
      const whole = await get(await addressOf(id));
      expect(whole.status).toBe(200);
      expect(digest(await bytesOf(whole))).toBe(digest(video));
      const part = await get(await addressOf(id), { range: 'bytes=1000-1999' });
      expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 1000-1999/${video.length}`]);
      expect(digest(await bytesOf(part))).toBe(digest(video.subarray(1000, 2000)));
      expect(s3.refusals).toEqual([]);
    });

    test('are not kept if they are none, or end in the middle; nothing of them is left', async () => {
      const id = await finished({ url: at('page.png') }, { url: at('cut.mp4') }, { url: 'http://10.0.0.1/x.mp4' });
      await fetchFiles(id);
      expect((await row(id)).media.map(({ stored }) => stored)).toEqual(['', '', '']);
      expect(await readdir(path.join(folder(), 'incoming'))).toEqual([]);
      const left = await deps().db.selectFrom('task_fetches').where('task_id', '=', id).selectAll().execute();
      // A page stays a page; the others may do better later.
      expect(new Set(left.map(({ position }) => position))).toEqual(new Set([1, 2]));
      expect(left.every(({ next_at }) => next_at > deps().now())).toBe(true);
      await deps().db.deleteFrom('task_fetches').execute();
    });
  });

  test('a store that is overloaded gets the file later', async () => {
    await useS3();
    s3.failing = 1;
    const id = await finished({ url: at('later.mp4') });
    await fetchFiles(id);
    expect((await row(id)).media[0]!.stored).toBe('');
    await deps().db.updateTable('task_fetches').set({ next_at: 1 }).execute();
    await fetchDueFiles(deps());
    await expect.poll(async () => (await row(id)).media[0]!.stored, { message: 'where the file is' }).toContain('s3:');
    expect([...s3.objects.keys()].at(-1)).toMatch(/^\/results\/hub\/tasks\/\d{4}-\d{2}\/[\w-]+\.mp4$/);
    s3.refusals.length = 0;
  });

  test('of a task whose poll reports them are kept, and a file that came inside an answer is on disk at once', async () => {
    await set({ TaskMediaStore: 'disk' });
    upstream().tasks.next({ picture: at('grid.png') });
    const id = await submit(who);
    await until(id, 'SUCCESS');
    await fetchPlanned(id);
    expect((await row(id)).media).toMatchObject([{ kind: 'image', type: 'image/png', bytes: png.length }]);
    await set({ TaskMediaStore: null });
    const task = await row(id);
    const origin = (await originOf(deps(), task)) as TaskOrigin; // its channel exists
    const media = await mediaKeeper(deps())(task, [{ kind: 'video', url: '', bytes: video }], origin);
    expect(media).toMatchObject([{ url: '', type: 'video/mp4', stored: expect.stringContaining('disk:') as string }]);
    await deps()
      .db.updateTable('tasks')
      .set({ media: JSON.stringify(media) })
      .where('id', '=', task.id)
      .execute();
    expect(digest(await bytesOf(await get(await addressOf(id))))).toBe(digest(video));
  });

  test('the oldest files on disk are removed first, never one that is read, and the row says so', async () => {
    await set({ TaskMediaStore: 'disk', TaskMediaDays: '1' });
    const [old, fresh] = [await finished({ url: at('old.mp4') }), await finished({ url: at('fresh.mp4') })];
    await fetchFiles(old);
    await fetchFiles(fresh);
    const name = (await row(old)).media[0]!.stored.replace('disk:', '');
    await utimes(path.join(folder(), name), 1, 1);
    await mkdir(path.join(folder(), 'incoming'), { recursive: true });
    await writeFile(path.join(folder(), 'incoming', 'half.part'), 'half');
    await utimes(path.join(folder(), 'incoming', 'half.part'), 1, 1);
    const reader = await openStored(deps(), (await row(old)).media[0]!, { range: '' }); // fetched above
    await pruneFiles(deps());
    expect((await row(old)).media[0]!.stored).toBe(`disk:${name}`);
    reader!.body!.destroy(); // opened above
    await once(reader!.body!, 'close');
    await pruneFiles(deps());
    expect((await row(old)).media[0]).toMatchObject({ stored: '', bytes: 0, url: at('old.mp4') });
    expect((await row(fresh)).media[0]!.stored).not.toBe('');
    expect(await readdir(path.join(folder(), 'incoming'))).toEqual([]);
    isAway();
    expect((await get(await addressOf(old))).status).toBe(410);
    expect((await get(await addressOf(fresh))).status).toBe(200);
    await set({ TaskMediaDays: null });
  });

  describe('that are at the vendor only', () => {
    test.each([
      ['bytes=0-9', 206, 'bytes 0-9/300012', 10],
      ['bytes=300000-', 206, 'bytes 300000-300011/300012', 12],
      ['bytes=400000-', 416, 'bytes */300012', 0],
      ['bytes=0-1,5-6', 200, null, 300_012],
    ])('are sent from there, also in parts: %s', async (range, status, contentRange, length) => {
      const response = await get(await addressOf(await finished({ url: at('v.mp4') })), { range });
      expect([response.status, response.headers.get('content-range')]).toEqual([status, contentRange]);
      expect((await bytesOf(response)).length).toBe(length);
    });

    test('have safe headers, can be asked for by HEAD and If-Range, and are not sent again unchanged', async () => {
      const id = await finished({ url: at('v.mp4') }, { kind: 'image', url: at('p.png') });
      const address = await addressOf(id);
      const head = await get(address, {}, 'HEAD');
      expect(Object.fromEntries(head.headers)).toMatchObject({
        'content-type': 'video/mp4',
        'content-length': String(video.length),
        'content-disposition': `inline; filename="${id}-0.mp4"`,
        'content-security-policy': expect.stringContaining('sandbox') as string,
        'x-content-type-options': 'nosniff',
        'accept-ranges': 'bytes',
        'cache-control': 'private, max-age=3600',
      });
      const etag = head.headers.get('etag')!;
      expect((await get(address, { range: 'bytes=0-9', 'if-range': etag })).status).toBe(206);
      expect((await get(address, { range: 'bytes=0-9', 'if-range': '"another"' })).status).toBe(200);
      expect((await get(address, { 'if-none-match': etag })).status).toBe(304);
      expect((await get(await addressOf(id, 1))).headers.get('content-type')).toBe('image/png');
      expect((await get(address, {}, 'POST')).status).toBe(405);
    });

    test.each([
      ['page.png', 502, 'media_not_fetched'],
      ['gone', 410, 'media_expired'],
      ['to/http%3A%2F%2F10.0.0.1%2Fx.mp4', 502, 'media_not_fetched'],
      ['to/http%3A%2F%2F169.254.169.254%2Fx.mp4', 502, 'media_not_fetched'],
      ['to/file%3A%2F%2F%2Fetc%2Fpasswd', 502, 'media_not_fetched'],
      ['to/..%2Fv.mp4', 200, undefined],
    ])('%s is answered with %i', async (file, status, code) => {
      const response = await get(await addressOf(await finished({ url: at(file) })));
      expect(response.status).toBe(status);
      const text = await response.text();
      if (code !== undefined) expect(JSON.parse(text)).toMatchObject({ error: { code } });
      expect(text.slice(0, 1000)).not.toMatch(/127\.0\.0\.1|10\.0\.0\.1|image-key/);
    });

    test('the key goes to the vendor’s own host only', async () => {
      midjourneyTasks.mediaHeaders = (_, { key }) => ({ 'mj-api-secret': key });
      try {
        const keys: unknown[] = [];
        vendor.answer = (request, response) => {
          keys.push(request.headers['mj-api-secret']);
          response.end(png);
        };
        const id = await finished({ url: `${upstream().url}/mj/picture.png` }, { url: at('p.png') });
        upstream().requests.clear();
        for (const index of [0, 1]) expect((await get(await addressOf(id, index))).status).toBe(200);
        expect([...upstream().requests].map(({ headers }) => headers['mj-api-secret'])).toEqual(['image-key']);
        expect(keys).toEqual([undefined]);
      } finally {
        delete midjourneyTasks.mediaHeaders;
      }
    });

    test('a requester who leaves ends the transfer', async () => {
      const closed = Promise.withResolvers<void>();
      vendor.answer = (_, response) => {
        response.writeHead(200, { 'content-type': 'video/mp4' }).write(video);
        response.once('close', closed.resolve);
      };
      const leaving = new AbortController();
      const response = await fetch(await addressOf(await finished({ url: at('v.mp4') })), { signal: leaving.signal });
      expect(response.status).toBe(200);
      leaving.abort();
      await closed.promise;
    });

    test('an address that has expired is renewed by asking the vendor about the task', async () => {
      upstream().tasks.next({ picture: at('first') });
      const id = await submit(who);
      await until(id, 'SUCCESS');
      expect((await row(id)).media).toMatchObject([{ url: at('first') }]);
      upstream().tasks.last!.picture = at('second.png');
      const response = await get(await addressOf(id));
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
      expect((await row(id)).media).toMatchObject([{ url: at('second.png') }]);
      expect(asked).toEqual(['first', 'second.png']);
    });
  });

  test('a signature opens one file until it expires, and no other', async () => {
    const [id, other] = [
      await finished({ url: at('v.mp4') }, { url: at('w.mp4') }),
      await finished({ url: at('x.mp4') }),
    ];
    const address = await addressOf(id);
    expect(new URL(address).searchParams.get('expires')).toMatch(/^\d+$/);
    const query = address.slice(address.indexOf('?'));
    const forged = [
      `/media/${id}/0`,
      `/media/${id}/0${query}x`,
      `/media/${id}/1${query}`,
      `/media/${id}/0/cover${query}`,
      `/media/${other}/0${query}`,
      `/media/${id}/0${query.replace(/expires=\d+/, 'expires=9999999999')}`,
      `/media/${id}/0?expires=1&sign=${new URLSearchParams(query).get('sign')}`,
    ];
    for (const each of forged) expect((await get(hub().url + each)).status, each).toBe(403);
    expect((await get(address)).status).toBe(200);
    expect((await get(`${hub().url}/media/${id}/x`)).status).toBe(404);
  });

  test('in the console they are for the owner and administrators', async () => {
    const [owner, stranger] = [await addPerson(hub()), await addPerson(hub())];
    const id = await finished({ url: at('v.mp4') });
    await deps().db.updateTable('tasks').set({ user_id: owner.id }).where('task_id', '=', id).execute();
    const { id: number } = await row(id);
    const status = async (client: { cookie: string }, route: string) =>
      (await get(hub().url + route, { cookie: client.cookie, range: 'bytes=0-99' })).status;
    const [own, any] = [`/api/task/self/${number}/media/0`, `/api/task/${number}/media/0`];
    expect([await status(owner.client, own), await status(stranger.client, own)]).toEqual([206, 404]);
    expect([await status(hub().root, any), await status(owner.client, any)]).toEqual([206, 403]);
    expect(await status(hub().root, `/api/task/${number}/media/7`)).toBe(404);
    await deps()
      .db.updateTable('tasks')
      .set({ media: JSON.stringify([unstored({ kind: 'video', url: at('gone') })]) })
      .where('id', '=', number)
      .execute();
    expect(await status(owner.client, own)).toBe(410);
  });

  test('no record and no answer names the vendor’s address', async () => {
    const id = await finished({ kind: 'image', url: at('p.png'), cover: at('cover.png') }, { url: at('v.mp4') });
    const data = JSON.stringify({
      videoUrl: at('v.mp4'),
      imageUrls: [{ url: at('p.png'), thumbnail: at('cover.png') }],
    });
    await deps()
      .db.updateTable('tasks')
      .set({ image_url: at('p.png'), data })
      .where('task_id', '=', id)
      .execute();
    const records = [
      await hub().root.call(taskApi.list, { query: { task_id: id } }),
      await hub().root.call(midjourneyApi.list, { query: { mj_id: id } }),
      (await call(who, `/mj/task/${id}/fetch`)).json,
    ];
    for (const record of records) expect(JSON.stringify(record)).not.toContain(`:${vendor.port}`);
    const [{ media }] = (records[0] as { data: [{ media: { cover: string }[] }] }).data; // the list above
    expect((await get(hub().url + media[0]!.cover)).headers.get('content-type')).toBe('image/png');
    await poll();
  });
});

import { once } from 'node:events';
import { virtualModelApi } from '@relay-hub/contract';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, addKey, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { roundTrip } from '#testing/until.ts';
import type { VideoBehaviour } from '#upstream-simulator/video-service.ts';
import { SECOND, START, videoWorld } from '#tasks/testing/dialect-world.ts';

const sora = { model: 'sora-2', prompt: 'a cat' };
const PRICE = 4 * SECOND;

onOneDatabase('a video that is ordered again', (make) => {
  const { hub, upstream, deps, send, spent, service, client } = videoWorld(make);
  let who: TestCaller;
  let before: number;
  beforeEach(async () => {
    who = await addCaller(deps().db, { quota: START });
    before = service().videos.size;
  });
  afterEach(() => expectBooksBalance(deps().db));

  const made = () => service().videos.size - before;
  const named = async (key: string, body: object = sora, by: Pick<TestCaller, 'key'> = who) =>
    send({ ...who, ...by }, '/v1/videos', { body, headers: { 'idempotency-key': key } });
  /** Sends an order and leaves when the vendor has it; returned is what lets the vendor answer. */
  const leave = async (more: Partial<VideoBehaviour> = {}) => {
    const { promise: until, resolve } = Promise.withResolvers<void>();
    service().next({ until, ...more });
    const { total } = upstream().requests;
    const asks = vi.spyOn(deps().connections, 'asks');
    const gone = new AbortController();
    const headers = { authorization: `Bearer ${who.key}`, 'content-type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify(sora), signal: gone.signal };
    const answer = fetch(`${hub().url}/v1/videos`, request).catch(() => undefined);
    await upstream().requests.waitFor(() => upstream().requests.total > total);
    const [, response] = asks.mock.calls.findLast(([{ url }]) => url === '/v1/videos') ?? [];
    asks.mockRestore();
    const noticed = once(response!, 'close');
    gone.abort();
    await answer;
    await noticed;
    return resolve;
  };

  test('with the same Idempotency-Key is the same one, charged once', async () => {
    const first = await named('once');
    const again = await named('once');
    expect(again.json).toEqual(first.json);
    service().next({ delayMs: 100 });
    const both = await Promise.all([named('both'), named('both')]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(both[0].json['id']).toBe(both[1].json['id']);
    expect(made()).toBe(2);
    expect(await spent(who)).toBe(2 * PRICE);
    expect(await named('once', { ...sora, prompt: 'a dog' })).toMatchObject({
      status: 400,
      json: { error: { param: 'Idempotency-Key' } },
    });
    expect(await named('k'.repeat(256))).toMatchObject({ status: 400 });
    // Keys of different tokens have nothing to do with each other.
    const other = await addKey(deps().db, who.userId);
    expect((await named('once', sora, other)).json['id']).not.toBe(first.json['id']);
  });

  test('by a virtual name is made by the model of the first step with a channel', async () => {
    const models = (model: string) => ({ models: [{ model }] });
    const { id } = await hub().root.call(virtualModelApi.create, {
      body: { name: 'films', steps: [models('nobody-serves-it'), models('sora-2')] },
    });
    try {
      expect(await send(who, '/v1/videos', { body: { ...sora, model: 'films' } })).toMatchObject({ status: 200 });
      expect(made()).toBe(1);
      expect(await spent(who)).toBe(PRICE);
      const [row] = await rowsOf(deps().db, who);
      expect(row).toMatchObject({ model_name: 'sora-2_second', metadata: { virtual: { name: 'films', step: 2 } } });
    } finally {
      await hub().root.call(virtualModelApi.remove, { params: { id } });
    }
  });

  test('after a refusal is a new one, also with the same Idempotency-Key', async () => {
    service().next({ status: 400 });
    expect((await named('again')).status).toBe(400);
    expect((await named('again')).status).toBe(200);
    expect(await spent(who)).toBe(PRICE);
  });

  test('is a second one if the first was answered', async () => {
    const { videos } = client(who);
    const one = await videos.create(sora);
    const [two, three] = await Promise.all([videos.create(sora), videos.create(sora)]);
    expect(new Set([one.id, two.id, three.id]).size).toBe(3);
    expect(await spent(who)).toBe(3 * PRICE);
  });

  test('is the first one if its answer never left, once', async () => {
    const answerFirst = await leave();
    // The first is still running: it is waited for.
    const repeated = send(who, '/v1/videos', { body: sora });
    await roundTrip(hub());
    answerFirst();
    const again = await repeated;
    expect(again.status).toBe(200);
    expect(made()).toBe(1);
    expect(await spent(who)).toBe(PRICE);
    const third = await send(who, '/v1/videos', { body: sora });
    expect(third.json['id']).not.toBe(again.json['id']);
    expect(made()).toBe(2);
  });

  test('is the first one if that has ended meanwhile, but not with another body or another token', async () => {
    const answerFirst = await leave();
    answerFirst();
    // Noted as unanswered.
    const noted = () =>
      deps().db.selectFrom('tasks').where('user_id', '=', who.userId).where('request_key', '<>', '').select('id');
    await expect.poll(async () => (await noted().execute()).length, { message: 'orders noted as unanswered' }).toBe(1);
    expect(made()).toBe(1);
    const other = await addKey(deps().db, who.userId);
    const foreign = await send({ ...who, ...other }, '/v1/videos', { body: sora });
    const dog = await send(who, '/v1/videos', { body: { ...sora, prompt: 'a dog' } });
    const again = await send(who, '/v1/videos', { body: sora });
    expect(new Set([foreign, dog, again].map(({ json }) => json['id'])).size).toBe(3);
    expect(made()).toBe(3);
    expect(await spent(who)).toBe(3 * PRICE);
  });

  test('is a new one if the first was refused after its caller had left', async () => {
    const answerFirst = await leave({ status: 400 });
    const repeated = send(who, '/v1/videos', { body: sora });
    answerFirst();
    const again = await repeated;
    expect(again.status).toBe(200);
    expect(made()).toBe(1);
    expect(await spent(who)).toBe(PRICE);
  });
});

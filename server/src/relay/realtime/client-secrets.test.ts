import { tokenApi } from '@relay-hub/contract';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { pruneObjects } from '#affinity/upstream-objects.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, addToken, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { clientOf, errorOf, post } from '#testing/relay-calls.ts';
import { RealtimeClient as Client } from '#testing/realtime-client.ts';

const MODEL = 'gpt-realtime';
const PATH = '/v1/realtime';

onOneDatabase('client secrets', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const db = () => hub().server.deps.db;
  let who: TestCaller;

  beforeAll(async () => {
    await addChannel(hub(), upstream().url, { models: MODEL });
  });
  beforeEach(async () => {
    who = await addCaller(db());
  });

  const create = (session?: object, seconds?: number) =>
    clientOf(hub(), who.key).realtime.clientSecrets.create({
      ...(session && { session: session as never }),
      ...(seconds !== undefined && { expires_after: { anchor: 'created_at', seconds } }),
    });

  test('open sessions with the configuration that they were created for, and nothing else', async () => {
    const { value, expires_at, session } = await create({ type: 'realtime', model: MODEL, instructions: 'Be brief.' });
    expect(value).toMatch(/^ek_\w{48}$/);
    expect(expires_at - Date.now() / 1000).toBeGreaterThan(590);
    expect(session).toMatchObject({ object: 'realtime.session', model: MODEL, instructions: 'Be brief.' });
    const stored = JSON.stringify(await db().selectFrom('client_secrets').selectAll().execute());
    expect(stored).not.toContain(value);
    expect(stored).not.toContain('Be brief.');

    // A browser sends it as a protocol.
    const client = new Client(hub(), PATH, undefined, ['realtime', `openai-insecure-api-key.${value}`]);
    expect(await client.opened).toBe('realtime');
    await client.until('session.created');
    client.send({ type: 'response.create' });
    await client.until('response.done');
    const { events, headers, url } = upstream().realtime.sessions.at(-1)!;
    expect(events[0]).toEqual({ type: 'session.update', session: { type: 'realtime', instructions: 'Be brief.' } });
    expect(url).toContain(`model=${MODEL}`);
    expect(JSON.stringify(headers)).not.toContain(value);
    client.socket.close(1000);
    await client.closed;
    await expect.poll(() => rowsOf(db(), who), { message: 'rows of the caller' }).toHaveLength(1);
    expect((await rowsOf(db(), who))[0]).toMatchObject({ model_name: MODEL, token_id: who.tokenId });

    await expect(new Client(hub(), `${PATH}?model=gpt-other`, value).opened).rejects.toMatchObject({ status: 400 });
    for (const path of ['/v1/models', '/v1/chat/completions', '/v1/realtime/client_secrets'])
      expect((await post(hub(), value, {}, path, { method: path === '/v1/models' ? 'GET' : 'POST' })).status).toBe(401);
  });

  test('expire, and end with their token', async () => {
    const { value } = await create(undefined, 60);
    await expect(new Client(hub(), PATH, value).opened).rejects.toMatchObject({
      status: 400,
      code: 'model_name_required',
    });
    const usable = new Client(hub(), `${PATH}?model=${MODEL}`, value);
    await usable.opened;
    usable.socket.close(1000);
    await usable.closed;
    await db().updateTable('client_secrets').set({ expires_at: 1 }).execute();
    await expect(new Client(hub(), `${PATH}?model=${MODEL}`, value).opened).rejects.toMatchObject({ status: 401 });
    await pruneObjects(db(), 2);
    expect(await db().selectFrom('client_secrets').selectAll().execute()).toEqual([]);

    const { id, key } = await addToken(hub());
    const secret = await clientOf(hub(), key).realtime.clientSecrets.create({
      session: { type: 'realtime', model: MODEL },
    });
    await hub().root.call(tokenApi.remove, { params: { id } });
    await expect(new Client(hub(), PATH, secret.value).opened).rejects.toMatchObject({ status: 401 });
  });

  test('are refused for what cannot be called, and calls over WebRTC are not served', async () => {
    const cases: [body: object, status: number][] = [
      [{ session: { type: 'realtime', model: 'gpt-unknown' } }, 404],
      [{ session: { type: 'transcription' } }, 400],
      [{ session: [] }, 400],
      [{ expires_after: { anchor: 'created_at', seconds: 5 } }, 400],
      [{ expires_after: { seconds: 7201 } }, 400],
      [{ session: { instructions: 'x'.repeat(300_000) } }, 400],
    ];
    for (const [body, status] of cases)
      expect((await post(hub(), who.key, body, '/v1/realtime/client_secrets')).status).toBe(status);
    const { key } = await addToken(hub(), { limits: { models: ['gpt-4o'] } });
    const session = { type: 'realtime', model: MODEL };
    expect((await post(hub(), key, { session }, '/v1/realtime/client_secrets')).status).toBe(403);
    expect((await post(hub(), undefined, { session }, '/v1/realtime/client_secrets')).status).toBe(401);
    expect((await post(hub(), who.key, {}, '/v1/realtime/client_secrets', { method: 'DELETE' })).status).toBe(405);
    const call = await post(hub(), who.key, 'v=0', '/v1/realtime/calls', {
      headers: { 'content-type': 'application/sdp' },
    });
    expect([call.status, errorOf(call).code]).toEqual([404, 'unknown_url']);
  });
});

import { auditApi, blockApi, type InputOf } from '@relay-hub/contract';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { addCaller } from '#testing/callers.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';

type NewBlock = InputOf<typeof blockApi.create>['body'];

/** Stranger to all blocks of this file. */
const ELSEWHERE = '198.51.100.7';

onEveryDatabase('blocked networks', (make) => {
  const hub = hubForSuite(make, { TRUSTED_PROXIES: '127.0.0.1' });
  const upstream = upstreamForSuite();
  let key: string;
  beforeAll(async () => {
    await addChannel(hub(), upstream().url, { models: 'gpt-4o,gpt-realtime' });
    ({ key } = await addCaller(hub().server.deps.db));
  });
  afterEach(async () => {
    const { data } = await hub().root.call(blockApi.list, { query: { size: 100 } });
    for (const { id } of data) await hub().root.call(blockApi.remove, { params: { id } });
  });

  const block = (body: NewBlock) => hub().root.call(blockApi.create, { body });
  const from = async (ip: string, path: string, body?: object) => {
    const response = await fetch(hub().url + path, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: {
        'x-forwarded-for': ip,
        authorization: `Bearer ${key}`,
        'x-api-key': key,
        'x-goog-api-key': key,
        'content-type': 'application/json',
        'accept-language': 'en-US',
      },
    });
    const text = await response.text();
    return { status: response.status, text, isJson: response.headers.get('content-type')?.includes('json') };
  };
  const messages = [{ role: 'user', content: 'hi' }];

  test.each<[blocked: string, stored: string, inside: string, outside: string]>([
    ['203.0.113.9', '203.0.113.9', '203.0.113.9', '203.0.113.8'],
    ['203.0.113.77/24', '203.0.113.0/24', '203.0.113.255', '203.0.114.0'],
    ['2001:DB8:0:0:1::7/64', '2001:db8::/64', '2001:db8::ffff:1', '2001:db8:0:1::1'],
    ['2001:db8::5', '2001:db8::5', '2001:0db8:0::0005', '2001:db8::6'],
    ['::ffff:203.0.113.9', '203.0.113.9', '::ffff:203.0.113.9', '203.0.113.10'],
  ])('%s is stored as %s and refuses %s, not %s', async (network, stored, inside, outside) => {
    expect(await block({ network })).toMatchObject({ network: stored, created_by: 'root', expired_time: -1 });
    expect((await from(inside, '/v1/models')).status).toBe(403);
    expect((await from(outside, '/v1/models')).status).toBe(200);
  });

  test.each<[path: string, body: object | undefined, told: object]>([
    ['/v1/chat/completions', { model: 'gpt-4o', messages }, { error: { code: 'address_blocked' } }],
    [
      '/v1/messages',
      { model: 'gpt-4o', messages, max_tokens: 9 },
      { type: 'error', error: { type: 'permission_error' } },
    ],
    ['/gemini/v1beta/models/gpt-4o:generateContent', { contents: [] }, { error: { status: 'PERMISSION_DENIED' } }],
    ['/v1/models', undefined, { error: { status: 'PERMISSION_DENIED' } }],
    ['/api/status', undefined, { success: false, code: 'address.blocked' }],
    ['/api/user/login', { username: 'root', password: 'x' }, { success: false, code: 'address.blocked' }],
  ])('%s tells the caller in its own form, whatever key is sent', async (path, body, told) => {
    await block({ network: '203.0.113.0/24', reason: 'scrapes' });
    const { status, text } = await from('203.0.113.5', path, body);
    expect(status).toBe(403);
    expect(JSON.parse(text)).toMatchObject(told);
    expect(text).toContain('203.0.113.5');
    expect(text, 'the reason is for administrators').not.toContain('scrapes');
    expect((await from(ELSEWHERE, path, body)).status).not.toBe(403);
  });

  test('pages are refused as well', async () => {
    await block({ network: '203.0.113.5' });
    const page = (ip: string) => fetch(`${hub().url}/about`, { headers: { 'x-forwarded-for': ip } });
    expect((await page('203.0.113.5')).status).toBe(403);
    expect((await page(ELSEWHERE)).status).not.toBe(403);
  });

  test('a WebSocket is refused before a session opens', async () => {
    await block({ network: '203.0.113.5' });
    const open = (ip: string) =>
      new Promise<number>((resolve) => {
        const headers = { 'x-forwarded-for': ip, authorization: `Bearer ${key}` };
        const socket = new WebSocket(`${hub().url.replace('http', 'ws')}/v1/realtime?model=gpt-realtime`, { headers });
        // An aborted handshake is an error of the socket.
        socket.on('error', () => {});
        socket.on('open', () => {
          socket.close();
          resolve(101);
        });
        socket.on('unexpected-response', (_, { statusCode = 0 }) => {
          socket.terminate();
          resolve(statusCode);
        });
      });
    expect(await open('203.0.113.5')).toBe(403);
    expect(await open(ELSEWHERE)).toBe(101);
  });

  test('health checks and signed notifications of payment gateways pass', async () => {
    await block({ network: '203.0.113.5' });
    for (const path of ['/healthz', '/readyz']) expect((await from('203.0.113.5', path)).status).toBe(200);
    expect((await from('203.0.113.5', '/api/payment/notify/unknown')).text).not.toContain('blocked');
  });

  test('a known key leaves a trace that names the reason', async () => {
    await block({ network: '203.0.113.5' });
    await from('203.0.113.5', '/v1/chat/completions', { model: 'gpt-4o', messages });
    const rows = () =>
      hub().server.deps.db.selectFrom('refusals').where('reason', '=', 'address_blocked').select('source_ip').execute();
    await expect.poll(rows, { message: 'row of the refused call' }).toContainEqual({ source_ip: '203.0.113.5' });
  });

  test('it ends by itself, and at once when it is removed', async () => {
    const { now, live } = hub().server.deps;
    const { id } = await block({ network: '203.0.113.5', expired_time: now() + 3600 });
    expect((await from('203.0.113.5', '/v1/models')).status).toBe(403);
    expect(live.blocks.has('203.0.113.5', now() + 3600)).toBe(false);
    await hub().root.call(blockApi.remove, { params: { id } });
    expect((await from('203.0.113.5', '/v1/models')).status).toBe(200);
  });

  test('nobody blocks the own address, nor this machine', async () => {
    for (const network of [ELSEWHERE, '198.51.100.0/24', '0.0.0.0/0']) {
      const refused = await hub().root.send('POST', '/api/block/', { network }, { 'x-forwarded-for': ELSEWHERE });
      expect(refused).toMatchObject({ status: 409, body: { code: 'block.own_address', field: 'network' } });
      expect(refused.body.message).toContain(ELSEWHERE);
    }
    const { id } = await block({ network: '203.0.113.5' });
    const body = { id, network: '198.51.100.0/24' };
    expect(await hub().root.send('PUT', '/api/block/', body, { 'x-forwarded-for': ELSEWHERE })).toMatchObject({
      status: 409,
    });
    await hub().root.send('POST', '/api/block/', { network: '127.0.0.0/8' }, { 'x-forwarded-for': ELSEWHERE });
    expect((await from('127.0.0.1', '/v1/models')).status).toBe(200);
  });

  test.each<[body: object, field: string, status: number, code: string]>([
    [{}, 'network', 400, 'input.invalid'],
    [{ network: 'example.com' }, 'network', 400, 'input.invalid'],
    [{ network: '203.0.113.0/33' }, 'network', 400, 'input.invalid'],
    [{ network: '203.0.113.5', reason: 'x'.repeat(201) }, 'reason', 400, 'input.invalid'],
    [{ network: '203.0.113.5', expired_time: 5 }, 'expired_time', 400, 'block.expiry_past'],
    [{ network: '192.0.2.1/32' }, 'network', 409, 'record.exists'],
  ])('%j is refused and changes nothing', async (body, field, status, code) => {
    await block({ network: '192.0.2.1' });
    expect(await hub().root.send('POST', '/api/block/', body)).toMatchObject({ status, body: { code, field } });
    expect(await hub().root.call(blockApi.list)).toMatchObject({ total_count: 1 });
  });

  test('another node refuses within a second, and the change is audited', async () => {
    const { db, live } = hub().server.deps;
    // As another node writes it.
    await db
      .insertInto('blocks')
      .values({ network: '203.0.113.5', reason: '', created_time: 0, created_by: 'x', expired_time: -1 })
      .execute();
    await db
      .updateTable('revisions')
      .set((eb) => ({ value: eb('value', '+', 1) }))
      .where('name', '=', 'blocks')
      .execute();
    await expect.poll(() => live.blocks.has('203.0.113.5', 0), { message: 'reload after a revision' }).toBe(true);
    const { id } = await block({ network: '192.0.2.1', reason: 'floods' });
    const { data } = await hub().root.call(auditApi.list, { query: { size: 1 } });
    expect(data).toMatchObject([{ kind: 'block', object_id: String(id), object_name: '192.0.2.1' }]);
  });
});

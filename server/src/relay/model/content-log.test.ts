import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { auditApi, logApi } from '@relay-hub/contract';
import { beforeAll, expect, test } from 'vitest';
import { maskedContent } from '#affinity/content-log.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, addToken, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { setOptions } from '#testing/mailbox.ts';
import { hello, post } from '#testing/relay-calls.ts';

onOneDatabase('the content log', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  let tagged: TestCaller;
  let other: TestCaller;
  beforeAll(async () => {
    const { db } = hub().server.deps;
    await addChannel(hub(), upstream().url);
    tagged = await addCaller(db);
    other = await addCaller(db);
    await db.updateTable('tokens').set({ tag: 'keep-content' }).where('id', '=', tagged.tokenId).execute();
  });

  const ask = (who: TestCaller, content: string, more: object = {}) =>
    post(hub(), who.key, { ...hello, messages: [{ role: 'user', content }], ...more });
  const rowOf = async (who: TestCaller, requestId: string) =>
    (await rowsOf(hub().server.deps.db, who)).find((row) => row.request_id === requestId);
  const contentOf = async (who: TestCaller, requestId: string) => {
    const row = await rowOf(who, requestId);
    return hub().root.call(logApi.content, { params: { id: row!.id } });
  };
  const files = (): string[] =>
    readdirSync(path.join(hub().server.deps.config.dataDir, 'content'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name));

  test('by default, nothing is kept', async () => {
    const { requestId } = await ask(tagged, 'hello');
    expect((await rowOf(tagged, requestId))?.metadata).not.toHaveProperty('content');
    expect(() => files()).toThrow('ENOENT');
  });

  test('of tokens with the tag, request and reply are kept encrypted and masked; streams as their bytes', async () => {
    await setOptions(hub().root, { ContentLog: 'tagged' });
    upstream().behaviour = { text: 'the-answer-of-the-model' };
    const plain = await ask(
      tagged,
      'the-question sk-proj-abcdefghijklmnop a.person@example.org 4111 1111 1111 1111 4111 1111 1111 1112',
    );
    const streamed = await ask(tagged, 'the-question', { stream: true });
    const untagged = await ask(other, 'the-question');
    upstream().behaviour = { status: 400, error: { message: 'no', type: 'invalid_request_error' } };
    const failed = await ask(tagged, 'the-question');
    upstream().behaviour = {};

    const kept = await contentOf(tagged, plain.requestId);
    expect(kept).toEqual({
      request: expect.stringContaining('the-question'),
      reply: plain.text,
      content_type: expect.stringContaining('application/json'),
      truncated: false,
    });
    expect(kept.request).toContain('4111 1111 1111 1112');
    for (const secret of ['abcdefghijklmnop', 'a.person', '1111 1111 1111 1111'])
      expect(kept.request).not.toContain(secret);
    expect(await contentOf(tagged, streamed.requestId)).toMatchObject({ reply: streamed.text, truncated: false });
    expect(streamed.text).toContain('[DONE]');
    expect(await contentOf(tagged, failed.requestId)).toMatchObject({ reply: '', truncated: false });
    expect((await rowOf(tagged, plain.requestId))?.metadata?.content).toBe(true);
    expect((await rowOf(other, untagged.requestId))?.metadata).not.toHaveProperty('content');
    expect(files()).toHaveLength(3);
    for (const file of files()) expect(readFileSync(file, 'latin1')).not.toMatch(/the-question|the-answer/);
  });

  test('own patterns of the site are masked too', async () => {
    expect(await hub().root.send('PUT', '/api/option/', { key: 'ContentLogPatterns', value: '(a' })).toMatchObject({
      status: 400,
    });
    await setOptions(hub().root, { ContentLogPatterns: 'PRJ-\\d{4}\n\n(?i)falcon' });
    const { requestId } = await ask(tagged, 'about PRJ-1234 and Falcon, not PRJ-12');
    const { request } = await contentOf(tagged, requestId);
    expect(request).toContain('about •••• and ••••, not PRJ-12');
    await setOptions(hub().root, { ContentLogPatterns: '' });
  });

  test('the owner reads it, no other account does, and a reading by the super administrator is in the audit log', async () => {
    const { db } = hub().server.deps;
    const { key, id: tokenId } = await addToken(hub(), { tag: 'keep-content' });
    const root = await db.selectFrom('tokens').where('id', '=', tokenId).select('user_id').executeTakeFirstOrThrow();
    const own = { key, tokenId, userId: root.user_id };
    const idOf = async (who: TestCaller) => (await rowOf(who, (await ask(who, 'whose')).requestId))!.id;
    const ofRoot = await hub().root.call(logApi.ownContent, { params: { id: await idOf(own) } });
    expect(ofRoot.request).toContain('whose');
    const params = { id: await idOf(tagged) };
    expect((await hub().root.try(logApi.ownContent, { params })).status).toBe(404);
    await hub().root.call(logApi.content, { params });
    const { data } = await hub().root.call(auditApi.list, { query: { page: 1, size: 50 } });
    expect(data.filter(({ path: of }) => of === '/api/log/:id/content')).toContainEqual(
      expect.objectContaining({ object_id: String(params.id) }),
    );
  });

  test('requests and replies above the limit are cut, and say so', async () => {
    await setOptions(hub().root, { ContentLog: 'all', ContentLogKiB: '1' });
    upstream().behaviour = { text: 'word '.repeat(1000) };
    const long = 'question '.repeat(1000);
    const plain = await ask(other, long);
    const streamed = await ask(other, 'short', { stream: true });
    upstream().behaviour = {};
    const cut = await contentOf(other, plain.requestId);
    expect(cut.truncated).toBe(true);
    expect([cut.request.length, cut.reply.length]).toEqual([1024, 1024]);
    expect(await contentOf(other, streamed.requestId)).toMatchObject({ reply: '', truncated: true });
  });

  test('contents age out, and leave with a closed account', async () => {
    const { contentLog, now } = hub().server.deps;
    const before = files().length;
    await contentLog.prune(7, now());
    expect(files()).toHaveLength(before);
    await contentLog.forget(other.userId);
    expect(files().length).toBeGreaterThan(0);
    expect(files().filter((file) => path.basename(file).startsWith(`${other.userId}-`))).toEqual([]);
    await contentLog.prune(7, now() + 9 * 86_400);
    expect(files()).toEqual([]);
  });
});

test.each([
  ['4111111111111111', true],
  ['4111-1111-1111-1111', true],
  ['378282246310005', true],
  ['4111111111111112', false],
  ['1796083200', false],
  ['12345678901234567890123', false],
  ['a.person+tag@mail.example.org', true],
  ['@decorator x@y', false],
])('%s is masked: %s', (text, isMasked) => {
  expect(maskedContent(`before ${text} after`)).toBe(`before ${isMasked ? '••••' : text} after`);
});

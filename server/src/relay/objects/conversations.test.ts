import { creditsFor, noUsage, ratesOf } from '@relay-hub/contract';
import { toFile } from 'openai';
import { beforeEach, expect, test } from 'vitest';
import { objectOr, parseJson, textOr } from '#json.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { clientOf, errorOf, post } from '#testing/relay-calls.ts';

const MODEL = 'gpt-4o-mini';

onOneDatabase('conversations of users', (make) => {
  const hub = hubForSuite(make);
  const raw = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;
  /** Key of the account that keeps an object. */
  const kept = new Map<string, string>();
  let who: TestCaller;
  let other: TestCaller;

  beforeEach(async () => {
    who = await addCaller(db());
    other = await addCaller(db());
    raw().requests.length = 0;
    await db().updateTable('channels').set({ deleted_time: 1 }).where('deleted_time', 'is', null).execute();
    for (const name of ['a', 'b'])
      await addChannel(hub(), raw().url, {
        type: 1,
        name,
        key: `sk-key-${name}1-000000\nsk-key-${name}2-000000`,
        models: MODEL,
      });
    raw().reply = (response, body) => {
      const { url, headers } = raw().requests.at(-1)!;
      const auth = String(headers.authorization);
      const made = (prefix: string) => {
        const id = `${prefix}_${kept.size + 1}`;
        kept.set(id, auth);
        return id;
      };
      const [, id, rest] = /^\/v1\/conversations\/([^/?]+)(\/items)?/.exec(url) ?? [];
      if (id !== undefined && kept.get(id) !== auth)
        return sendJson(response, { error: { message: 'not found' } }, 404);
      if (rest) return sendJson(response, { object: 'list', data: [], has_more: false, first_id: '', last_id: '' });
      if (url === '/v1/conversations') return sendJson(response, { id: made('conv'), object: 'conversation' });
      if (id !== undefined) return sendJson(response, { id, object: 'conversation', deleted: true, metadata: {} });
      if (url === '/v1/files') return sendJson(response, { id: made('file'), object: 'file' });
      if (url === '/v1/responses/compact')
        return sendJson(response, {
          id: 'resp_c1',
          object: 'response.compaction',
          created_at: 1,
          output: [{ type: 'compaction', id: 'cmp_1', encrypted_content: 'x' }],
          usage: { input_tokens: 1000, output_tokens: 50, total_tokens: 1050 },
        });
      const { conversation } = objectOr(parseJson(body.toString()));
      if (conversation !== undefined && kept.get(textOr(conversation, '')) !== auth)
        return sendJson(response, { error: { message: 'no such conversation' } }, 404);
      return sendJson(response, {
        id: made('resp'),
        object: 'response',
        status: 'completed',
        output: [
          { type: 'message', id: made('msg'), role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
        ],
        usage: { input_tokens: 500, output_tokens: 5, total_tokens: 505 },
      });
    };
  });

  test('belong to their creator, and calls that name them go to their account', async () => {
    const client = clientOf(hub(), who.key);
    const { id } = await client.conversations.create({ items: [{ type: 'message', role: 'user', content: 'hello' }] });
    for (let n = 0; n < 4; n++)
      expect((await client.responses.create({ model: MODEL, input: 'x', conversation: id })).status).toBe('completed');
    const row = await db()
      .selectFrom('upstream_objects')
      .where('object_id', '=', id)
      .selectAll()
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({ kind: 'conversation', user_id: who.userId, tokens: 505 });
    expect(await client.conversations.retrieve(id)).toMatchObject({ id });
    await client.conversations.update(id, { metadata: { topic: 'x' } });
    await client.conversations.items.list(id);
    await client.conversations.items.create(id, { items: [{ type: 'message', role: 'user', content: 'more' }] });

    const sent = raw().requests.length;
    const theirs = clientOf(hub(), other.key);
    for (const refused of [
      () => theirs.conversations.retrieve(id),
      () => theirs.conversations.update(id, { metadata: {} }),
      () => theirs.conversations.delete(id),
      () => theirs.conversations.items.list(id),
      () => theirs.conversations.items.retrieve('msg_1', { conversation_id: id }),
      () => theirs.conversations.items.create(id, { items: [] }),
      () => theirs.responses.create({ model: MODEL, input: 'x', conversation: id }),
    ])
      await expect(refused()).rejects.toMatchObject({ status: 404, code: 'conversation_not_found' });
    expect(raw().requests).toHaveLength(sent);

    await client.conversations.delete(id);
    await expect(client.conversations.retrieve(id)).rejects.toMatchObject({ status: 404 });
    expect((await post(hub(), who.key, {}, `/v1/conversations/${id}`, { method: 'PUT' })).status).toBe(405);
  });

  test('take only files and items of their owner', async () => {
    const theirs = clientOf(hub(), other.key);
    const { id: fileId } = await theirs.files.create({
      file: await toFile(Buffer.from('x'), 'a.txt'),
      purpose: 'user_data',
    });
    const { output } = await theirs.responses.create({ model: MODEL, input: 'x' });
    const sent = raw().requests.length;
    const content = [{ type: 'input_file', file_id: fileId }];
    for (const item of [
      { type: 'message', role: 'user', content },
      { type: 'item_reference', id: output[0]!.id },
    ]) {
      const answer = await post(hub(), who.key, { items: [item] }, '/v1/conversations');
      expect([answer.status, errorOf(answer).code]).toEqual([404, expect.stringMatching(/^(file|item)_not_found$/)]);
    }
    expect(raw().requests).toHaveLength(sent);
    // One with the owner's file goes where the file is.
    const { id } = await theirs.conversations.create({
      items: [{ type: 'message', role: 'user', content: content as never }],
    });
    expect(kept.get(id)).toBe(kept.get(fileId));
  });

  test('are compacted by providers that have the call, and charged', async () => {
    const compacted = await clientOf(hub(), who.key).responses.compact({ model: MODEL, input: 'a long story' });
    expect(compacted).toMatchObject({ object: 'response.compaction', output: [{ type: 'compaction' }] });
    const rates = ratesOf({ type: 'tokens', input: 0.075, output: 0.3 }, 1);
    const [row] = await rowsOf(db(), who);
    expect(row).toMatchObject({ model_name: MODEL, quota: creditsFor(rates, { ...noUsage, input: 1000, output: 50 }) });
    await addChannel(hub(), raw().url, { type: 28, models: 'mistral-small-latest' });
    const none = await post(hub(), who.key, { model: 'mistral-small-latest', input: 'x' }, '/v1/responses/compact');
    expect([none.status, errorOf(none).code]).toEqual([400, 'unsupported_operation']);
  });
});

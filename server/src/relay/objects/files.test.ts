import { Readable } from 'node:stream';
import type OpenAI from 'openai';
import { toFile } from 'openai';
import Anthropic, { toFile as toAnthropicFile } from '@anthropic-ai/sdk';
import { beforeEach, expect, test } from 'vitest';
import { objectOr, parseJson } from '#json.ts';
import { addCaller, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { clientOf, errorOf, post } from '#testing/relay-calls.ts';

onOneDatabase('files of users', (make) => {
  const hub = hubForSuite(make);
  const raw = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;
  /** Contents by id, as the provider keeps them. */
  const kept = new Map<string, { filename: string; content: string; auth: string }>();
  let who: TestCaller;
  let other: TestCaller;

  beforeEach(async () => {
    who = await addCaller(db());
    other = await addCaller(db());
    raw().requests.length = 0;
    await db().updateTable('channels').set({ deleted_time: 1 }).where('deleted_time', 'is', null).execute();
    for (const [type, name, priority] of [
      [1, 'a', 0],
      [1, 'b', 5],
      [14, 'c', 0],
    ] as const)
      await addChannel(hub(), raw().url, {
        type,
        name,
        priority,
        key: `sk-key-${name}1-000000\nsk-key-${name}2-000000`,
        models: type === 1 ? 'gpt-5' : 'claude-sonnet-4-5',
      });
    raw().reply = (response, body) => {
      const { url, headers } = raw().requests.at(-1)!;
      const isAnthropic = headers['anthropic-version'] !== undefined;
      const auth = String(headers.authorization ?? headers['x-api-key']);
      const [, id, content] = /^\/v1\/files\/([^/?]+)(\/content)?/.exec(url) ?? [];
      if (url.startsWith('/v1/files') && id === undefined) {
        const filename = /filename="([^"]+)"/.exec(body.toString())?.[1] ?? '';
        const fileId = `file-${kept.size + 1}`;
        kept.set(fileId, { filename, auth, content: body.toString() });
        const purpose = /name="purpose"\r\n\r\n(\w+)/.exec(body.toString())?.[1];
        return sendJson(
          response,
          isAnthropic
            ? { id: fileId, type: 'file', filename, size_bytes: 5, created_at: '2026-11-26T00:00:00Z' }
            : { id: fileId, object: 'file', bytes: 5, created_at: 1, filename, purpose },
        );
      }
      const file = id === undefined ? undefined : kept.get(id);
      if (id !== undefined && file?.auth !== auth)
        return sendJson(response, { error: { message: 'No such file' } }, 404);
      if (content)
        return void response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(file!.content);
      if (id !== undefined) return sendJson(response, { id, object: 'file', deleted: true });
      const named = [...body.toString().matchAll(/"file_id":"([^"]+)"/g)].map((match) => kept.get(match[1]!));
      if (named.some((one) => one?.auth !== auth))
        return sendJson(response, { error: { message: 'No such file' } }, 404);
      const { model } = objectOr(parseJson(body.toString()));
      return sendJson(response, {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1,
        model,
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'read' } }],
        usage: { prompt_tokens: 10, completion_tokens: 5 },
      });
    };
  });

  const upload = async (client: OpenAI, name = 'a.txt') =>
    client.files.create({ file: await toFile(Buffer.from('hello'), name), purpose: 'user_data' });
  const readBy = (key: string, ids: readonly string[]) =>
    post(hub(), key, {
      model: 'gpt-5',
      messages: [{ role: 'user', content: ids.map((file_id) => ({ type: 'file', file: { file_id } })) }],
    });

  test('go to one account, are listed, read and deleted by their owner, and are named in calls', async () => {
    const client = clientOf(hub(), who.key);
    const files = [];
    for (let i = 0; i < 5; i++) files.push(await upload(client, `file-${i}.txt`));
    const ids = files.map(({ id }) => id);
    expect(new Set([...kept.values()].slice(-5).map(({ auth }) => auth)).size).toBe(1);
    // The preferred channel keeps them.
    expect(kept.get(ids[0]!)!.auth).toMatch(/sk-key-b/);
    const page = await client.files.list({ limit: 2 });
    expect(page.data).toHaveLength(2);
    expect(page.has_more).toBe(true);
    const listed: string[] = [];
    for await (const file of client.files.list({ limit: 2 })) listed.push(file.id);
    expect(listed.toSorted()).toEqual(ids.toSorted());
    expect((await client.files.list({ purpose: 'batch' })).data).toEqual([]);
    expect(await (await client.files.content(ids[0]!)).text()).toContain('hello');

    for (let i = 0; i < 4; i++) expect((await readBy(who.key, ids.slice(0, 2))).status).toBe(200);
    const sent = raw().requests.length;
    const stolen = await readBy(other.key, ids.slice(0, 1));
    expect([stolen.status, errorOf(stolen).code]).toEqual([404, 'file_not_found']);
    const theirs = clientOf(hub(), other.key);
    expect((await theirs.files.list()).data).toEqual([]);
    await expect(theirs.files.retrieve(ids[0]!)).rejects.toThrow('404');
    await expect(theirs.files.content(ids[0]!)).rejects.toThrow('404');
    await expect(theirs.files.delete(ids[0]!)).rejects.toThrow('404');
    expect(raw().requests).toHaveLength(sent);

    expect(await client.files.delete(ids[0]!)).toMatchObject({ deleted: true });
    expect((await client.files.list()).data).toHaveLength(4);
    expect((await readBy(who.key, ids.slice(0, 1))).status).toBe(404);
  });

  test('in Anthropic’s form stay at Anthropic', async () => {
    const client = new Anthropic({ apiKey: who.key, baseURL: hub().url, maxRetries: 0 });
    const file = await client.beta.files.upload({ file: await toAnthropicFile(Buffer.from('hello'), 'b.txt') });
    expect(kept.get(file.id)!.auth).toMatch(/sk-key-c/);
    expect((await client.beta.files.list()).data).toMatchObject([{ id: file.id, filename: 'b.txt' }]);
    expect((await clientOf(hub(), who.key).files.list()).data).toEqual([]);
    expect(await (await client.beta.files.download(file.id)).text()).toContain('hello');
    expect(raw().requests.at(-1)!.headers['anthropic-version']).toBeDefined();
  });

  test('that do not arrive whole are not recorded, and groups without such a channel are told', async () => {
    const body = Readable.from(['--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nhel']);
    const headers = {
      authorization: `Bearer ${who.key}`,
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': '999',
    };
    await expect(fetch(`${hub().url}/v1/files`, { method: 'POST', body, headers, duplex: 'half' })).rejects.toThrow();
    expect((await clientOf(hub(), who.key).files.list()).data).toEqual([]);
    await db().updateTable('channels').set({ deleted_time: 1 }).execute();
    await addChannel(hub(), raw().url, { type: 28, name: 'deepseek', models: 'deepseek-chat' });
    const none = await post(hub(), who.key, 'x', '/v1/files');
    expect([none.status, errorOf(none).code]).toEqual([404, 'files_not_available']);
  });
});

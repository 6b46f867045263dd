import type OpenAI from 'openai';
import { optionApi } from '@relay-hub/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { objectOr, parseJson, type Json } from '#json.ts';
import { pruneObjects } from '#affinity/upstream-objects.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, addToken, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';
import { clientOf, errorOf, post } from '#testing/relay-calls.ts';

const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
const chatUsage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

onOneDatabase('state of conversations', (make) => {
  const hub = hubForSuite(make);
  const raw = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;
  let who: TestCaller;
  let other: TestCaller;
  let serial = 0;

  const bodyAt = (index: number): Json => objectOr(parseJson(raw().requests.at(index)!.body.toString()));
  const keepFor = (hours: number) =>
    hub().root.call(optionApi.set, { body: { key: 'ResponseStoreHours', value: String(hours) } });
  const get = (key: string, path: string, method = 'GET') => post(hub(), key, undefined, path, { method, body: null });
  const clear = () => db().updateTable('channels').set({ deleted_time: 1 }).where('deleted_time', 'is', null).execute();

  beforeEach(async () => {
    who = await addCaller(db());
    other = await addCaller(db());
    raw().requests.length = 0;
    await clear();
  });

  describe('at a provider that keeps responses', () => {
    beforeEach(async () => {
      // Two channels, the first with two keys: only one of three keys knows a response.
      await addChannel(hub(), raw().url, {
        type: 1,
        name: 'a',
        key: 'sk-key-a1-000000\nsk-key-a2-000000',
        models: 'gpt-5',
      });
      await addChannel(hub(), raw().url, { type: 1, name: 'b', key: 'sk-key-b1-000000', models: 'gpt-5' });
      raw().reply = (response, body) => {
        const { url, headers } = raw().requests.at(-1)!;
        if (body.length === 0)
          return sendJson(response, { id: url.split('/').at(-1), object: 'response', kept: headers.authorization });
        const { stream, model } = objectOr(parseJson(body.toString()));
        const id = `resp_up${++serial}`;
        const output = [
          { type: 'reasoning', id: `rs_up${serial}`, summary: [] },
          { type: 'message', id: `msg_up${serial}`, role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
        ];
        const whole = { id, object: 'response', status: 'completed', model, output, usage };
        if (!stream) return sendJson(response, whole);
        const event = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
        return sendStream(response, [
          event('response.created', { response: { ...whole, status: 'in_progress', output: [], usage: null } }),
          event('response.output_text.delta', { output_index: 1, delta: 'Hi' }),
          event('response.completed', { response: whole }),
        ]);
      };
    });

    const keys = () => new Set(raw().requests.map(({ headers }) => headers.authorization));

    test.each([false, true])(
      'a conversation stays with the channel and key that hold it (stream: %s)',
      async (stream) => {
        const client = clientOf(hub(), who.key);
        const turn = async (more: object): Promise<string> => {
          if (!stream) return (await client.responses.create({ model: 'gpt-5', input: 'hello', ...more })).id;
          let id = '';
          for await (const event of await client.responses.create({
            model: 'gpt-5',
            input: 'hello',
            stream: true,
            ...more,
          }))
            if (event.type === 'response.completed') id = event.response.id;
          return id;
        };
        let previous = await turn({});
        for (let i = 0; i < 8; i++) previous = await turn({ previous_response_id: previous });
        expect(bodyAt(-1)['previous_response_id']).toBe(`resp_up${serial - 1}`);
        for (let i = 0; i < 8; i++)
          await turn({
            input: [
              { type: 'item_reference', id: `rs_up${serial}` },
              { role: 'user', content: 'more' },
            ],
          });
        expect(raw().requests).toHaveLength(17);
        expect(keys().size).toBe(1);

        const [auth] = keys();
        expect(parseJson((await get(who.key, `/v1/responses/${previous}`)).text)).toMatchObject({
          id: previous,
          kept: auth,
        });
        expect(raw().requests.at(-1)!.url).toBe(`/v1/responses/${previous}`);
        const sent = raw().requests.length;
        expect((await get(other.key, `/v1/responses/${previous}`)).status).toBe(404);
        expect((await get(other.key, `/v1/responses/${previous}`, 'DELETE')).status).toBe(404);
        expect(raw().requests).toHaveLength(sent);
        expect((await get(who.key, `/v1/responses/${previous}`, 'DELETE')).status).toBe(200);
        expect((await get(who.key, `/v1/responses/${previous}`)).status).toBe(404);
      },
    );

    test('nobody can refer to what another user was answered', async () => {
      const mine = await clientOf(hub(), who.key).responses.create({ model: 'gpt-5', input: 'my secret' });
      const sent = raw().requests.length;
      const theirs = (more: object) =>
        post(hub(), other.key, { model: 'gpt-5', input: 'hello', ...more }, '/v1/responses');
      const previous = await theirs({ previous_response_id: mine.id });
      expect(previous.status).toBe(400);
      expect(errorOf(previous)).toMatchObject({ code: 'previous_response_not_found', param: 'previous_response_id' });
      const item = await theirs({ input: [{ type: 'item_reference', id: mine.output[0]!.id }] });
      expect([item.status, errorOf(item).code]).toEqual([404, 'item_not_found']);
      expect((await theirs({ conversation: 'conv_1' })).status).toBe(404);
      expect((await theirs({ previous_response_id: { id: 1 } })).status).toBe(400);
      expect(raw().requests).toHaveLength(sent);
      expect(await rowsOf(db(), other)).toEqual([]);
    });

    test('what the provider keeps is part of the reservation', async () => {
      const { id } = await clientOf(hub(), who.key).responses.create({ model: 'gpt-5', input: 'hello' });
      await db().updateTable('upstream_objects').set({ tokens: 10_000_000 }).where('object_id', '=', id).execute();
      const next = await post(
        hub(),
        who.key,
        { model: 'gpt-5', input: 'hello', previous_response_id: id },
        '/v1/responses',
      );
      expect(next.status).toBe(402);
    });

    test('a response that was not to be kept, or whose channel is gone, cannot be continued', async () => {
      const client = clientOf(hub(), who.key);
      const kept = await client.responses.create({ model: 'gpt-5', input: 'hello' });
      const unkept = await client.responses.create({ model: 'gpt-5', input: 'hello', store: false });
      const continued = (id: string) =>
        post(hub(), who.key, { model: 'gpt-5', input: 'hello', previous_response_id: id }, '/v1/responses');
      expect((await continued(kept.id)).status).toBe(200);
      expect((await continued(unkept.id)).status).toBe(400);
      for (const { id } of await db().selectFrom('channels').where('deleted_time', 'is', null).select('id').execute())
        await hub().root.send('DELETE', `/api/channel/${id}`);
      await addChannel(hub(), raw().url, { type: 1, name: 'c', models: 'gpt-5' });
      const gone = await continued(kept.id);
      expect([gone.status, errorOf(gone).code]).toEqual([404, 'state_unavailable']);
    });
  });

  describe('at a provider that keeps nothing', () => {
    beforeEach(async () => {
      await addChannel(hub(), raw().url, { type: 28, name: 'chat', models: 'deepseek-chat' });
      raw().reply = (response, body) => {
        const { stream, model } = objectOr(parseJson(body.toString()));
        const head = { id: `chatcmpl-${++serial}`, created: 1, model };
        const text = `answer ${serial}`;
        if (!stream)
          return sendJson(response, {
            ...head,
            object: 'chat.completion',
            choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } }],
            usage: chatUsage,
          });
        const chunk = (more: object) =>
          `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...more })}\n\n`;
        return sendStream(response, [
          chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: text } }] }),
          chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
          chunk({ choices: [], usage: chatUsage }),
          'data: [DONE]\n\n',
        ]);
      };
    });
    const model = 'deepseek-chat';

    test('without the store the caller is told what to do', async () => {
      await keepFor(0);
      const client = clientOf(hub(), who.key);
      const first = await client.responses.create({ model, input: 'hello' });
      expect(first).toMatchObject({ store: false });
      for (const more of [
        { previous_response_id: first.id },
        { input: [{ type: 'item_reference', id: first.output[0]!.id! }] },
      ]) {
        const next = await post(hub(), who.key, { model, input: 'hello', ...more }, '/v1/responses');
        expect(next.status).toBe(400);
        expect(errorOf(next).message).toContain("Set 'store' to false and send the whole conversation");
      }
      expect((await get(who.key, `/v1/responses/${first.id}`)).status).toBe(404);
      expect(await db().selectFrom('stored_responses').select('response_id').execute()).toEqual([]);
    });

    test.each([false, true])('with the store a conversation is continued by its id (stream: %s)', async (stream) => {
      await keepFor(2);
      const client = clientOf(hub(), who.key);
      const turn = async (input: string, previous_response_id?: string) => {
        const request = { model, input, ...(previous_response_id && { previous_response_id }) };
        if (!stream) return client.responses.create(request);
        return client.responses.stream(request).finalResponse();
      };
      const start = serial;
      const first = await turn('the word is kiwi');
      const second = await turn('what is the word?', first.id);
      const third = await turn('and again?', second.id);
      expect(third).toMatchObject({ store: true, previous_response_id: second.id, output_text: `answer ${start + 3}` });
      expect(bodyAt(-1)['messages']).toEqual([
        { role: 'user', content: 'the word is kiwi' },
        { role: 'assistant', content: `answer ${start + 1}` },
        { role: 'user', content: 'what is the word?' },
        { role: 'assistant', content: `answer ${start + 2}` },
        { role: 'user', content: 'and again?' },
      ]);
      const item = second.output[0]!;
      await client.responses.create({
        model,
        input: [
          { role: 'user', content: 'a' },
          { type: 'item_reference', id: item.id! },
          { role: 'user', content: 'b' },
        ],
      });
      expect(bodyAt(-1)['messages']).toEqual([
        { role: 'user', content: 'a' },
        { role: 'assistant', content: `answer ${start + 2}` },
        { role: 'user', content: 'b' },
      ]);

      const stored = await db().selectFrom('stored_responses').where('user_id', '=', who.userId).selectAll().execute();
      expect(stored).toHaveLength(4);
      expect(JSON.stringify(stored)).not.toContain('kiwi');
      expect(await client.responses.retrieve(second.id)).toMatchObject({
        id: second.id,
        output_text: second.output_text,
        output: [{ id: item.id }],
      });
      const items = await client.responses.inputItems.list(third.id, { order: 'asc', limit: 2 });
      expect(items.data).toHaveLength(2);
      expect(items.has_more).toBe(true);
      expect(items.data[0]).toMatchObject({
        role: 'user',
        content: [{ type: 'input_text', text: 'the word is kiwi' }],
      });
      const counted = await client.responses.inputTokens.count({ model, input: 'x', previous_response_id: third.id });
      const alone = await client.responses.inputTokens.count({ model, input: 'x' });
      expect(counted.input_tokens).toBeGreaterThan(alone.input_tokens + 10);

      const sent = raw().requests.length;
      for (const path of [`/v1/responses/${second.id}`, `/v1/responses/${second.id}/input_items`])
        expect((await get(other.key, path)).status).toBe(404);
      expect((await get(other.key, `/v1/responses/${second.id}`, 'DELETE')).status).toBe(404);
      const theirs = await post(
        hub(),
        other.key,
        { model, input: 'x', previous_response_id: second.id },
        '/v1/responses',
      );
      expect(theirs.status).toBe(400);
      expect((await get(who.key, `/v1/responses/${second.id}/cancel`, 'POST')).status).toBe(400);

      await client.responses.delete(second.id);
      const broken = await post(hub(), who.key, { model, input: 'x', previous_response_id: third.id }, '/v1/responses');
      expect(errorOf(broken).code).toBe('previous_response_not_found');
      expect(raw().requests).toHaveLength(sent);
    });

    test('as installed, a response is kept for an hour', async () => {
      await hub().server.deps.db.deleteFrom('options').where('key', '=', 'ResponseStoreHours').execute();
      await hub().server.deps.live.changed('settings');
      const { id } = await clientOf(hub(), who.key).responses.create({ model, input: 'hello' });
      const row = db().selectFrom('stored_responses').where('response_id', '=', id).select('expires_at');
      const { expires_at: until } = await row.executeTakeFirstOrThrow();
      expect(until - hub().server.deps.now()).toBeGreaterThan(3500);
      expect(until - hub().server.deps.now()).toBeLessThan(3700);
    });

    test('the oldest responses of a user give way to new ones, and those of others stay', async () => {
      await keepFor(2);
      const [mine, theirs] = [clientOf(hub(), who.key), clientOf(hub(), other.key)];
      const long = 'x'.repeat(4 * 1024 * 1024);
      const kept = await theirs.responses.create({ model, input: 'hello' });
      const first = await mine.responses.create({ model, input: 'hello' });
      const second = await mine.responses.create({ model, input: 'hello' });
      const sized = (id: string, bytes: number, age: number) =>
        db()
          .updateTable('stored_responses')
          .set((eb) => ({ content_cipher: 'x'.repeat(bytes), created_at: eb('created_at', '-', age) }))
          .where('response_id', '=', id)
          .execute();
      await sized(first.id, 30 * 1024 * 1024, 20);
      await sized(second.id, 40 * 1024 * 1024, 10);
      const last = await mine.responses.create({ model, input: long });
      const ids = await db()
        .selectFrom('stored_responses')
        .where('user_id', 'in', [who.userId, other.userId])
        .select('response_id')
        .execute();
      expect(new Set(ids.map(({ response_id: id }) => id))).toEqual(new Set([kept.id, second.id, last.id]));
    });

    test('the store keeps nothing that the caller asked not to keep, and nothing beyond its time', async () => {
      await keepFor(2);
      const client = clientOf(hub(), who.key);
      const unkept = await client.responses.create({ model, input: 'hello', store: false });
      expect(unkept).toMatchObject({ store: false });
      const kept = await client.responses.create({ model, input: 'hello' });
      const idsOf = () =>
        db().selectFrom('stored_responses').where('user_id', '=', who.userId).select('response_id').execute();
      expect(await idsOf()).toEqual([{ response_id: kept.id }]);
      await pruneObjects(db(), hub().server.deps.now() + 2 * 3600 - 60);
      expect(await idsOf()).toHaveLength(1);
      await pruneObjects(db(), hub().server.deps.now() + 2 * 3600 + 60);
      expect(await idsOf()).toEqual([]);
    });

    test('a token keeps responses for its own time, or not at all', async () => {
      const keeperFor = async (response_store_hours: number | null) =>
        clientOf(hub(), (await addToken(hub(), { response_store_hours })).key);
      const isKept = async (client: OpenAI) => {
        const { id } = await client.responses.create({ model, input: 'hello' });
        const row = db().selectFrom('stored_responses').where('response_id', '=', id).select('expires_at');
        return (await row.executeTakeFirst())?.expires_at;
      };
      await keepFor(2);
      expect(await isKept(await keeperFor(0))).toBeUndefined();
      expect(await isKept(await keeperFor(null))).toBeGreaterThan(hub().server.deps.now() + 7000);
      await keepFor(0);
      expect(await isKept(await keeperFor(null))).toBeUndefined();
      const keeping = await keeperFor(24);
      expect(await isKept(keeping)).toBeGreaterThan(hub().server.deps.now() + 86_000);
      const { id } = await keeping.responses.create({ model, input: 'the word is kiwi' });
      await keeping.responses.create({ model, input: 'more', previous_response_id: id });
      expect(raw().requests.at(-1)!.body.toString()).toContain('kiwi');
    });

    test('a conversation that no request could hold, and more references than a query takes, are refused', async () => {
      await keepFor(2);
      const client = clientOf(hub(), who.key);
      const first = await client.responses.create({ model, input: 'hello' });
      const second = await client.responses.create({ model, input: 'more', previous_response_id: first.id });
      const sent = raw().requests.length;
      await db()
        .updateTable('stored_responses')
        .set({ content_cipher: 'x'.repeat(45 * 1024 * 1024) })
        .where('response_id', '=', first.id)
        .execute();
      const continued = await post(
        hub(),
        who.key,
        { model, input: 'x', previous_response_id: second.id },
        '/v1/responses',
      );
      expect([continued.status, errorOf(continued).code]).toEqual([413, 'request_too_large']);
      const many = Array.from({ length: 10_001 }, (_, n) => ({ type: 'item_reference', id: `rs_${n}` }));
      const flooded = await post(hub(), who.key, { model, input: many }, '/v1/responses');
      expect([flooded.status, errorOf(flooded).param]).toEqual([400, 'input']);
      expect(raw().requests).toHaveLength(sent);
    });

    test('fields that the conversion drops are named in a header', async () => {
      const chat = await post(
        hub(),
        who.key,
        { model, input: 'hello', top_logprobs: 3, novelty: { a: 1 } },
        '/v1/responses',
      );
      expect(chat.status).toBe(200);
      expect(chat.headers.get('x-relay-dropped')).toBe('top_logprobs, novelty');
      const plain = await post(hub(), who.key, { model, input: 'hello', instructions: 'be brief' }, '/v1/responses');
      expect(plain.headers.get('x-relay-dropped')).toBeNull();
      const messages = { model, max_tokens: 10, messages: [{ role: 'user', content: 'hello' }] };
      const threaded = await post(hub(), who.key, { ...messages, thread: { type: 'create' } }, '/v1/messages');
      expect([threaded.status, threaded.headers.get('x-relay-dropped')]).toEqual([200, 'thread']);
      const sent = raw().requests.length;
      const thread = { type: 'continue', previous_message_id: 'msg_1' };
      const lost = await post(hub(), who.key, { ...messages, thread }, '/v1/messages');
      expect(lost.status).toBe(404);
      expect(parseJson(lost.text)).toMatchObject({
        error: { type: 'not_found_error', details: { error_code: 'thread_not_found' } },
      });
      expect(raw().requests).toHaveLength(sent);
    });
  });

  test('a thread stays with the channel that holds it, and with its user', async () => {
    for (const name of ['a', 'b', 'c'])
      await addChannel(hub(), raw().url, {
        type: 14,
        name,
        key: `sk-key-${name}-0000000`,
        models: 'claude-sonnet-4-5',
      });
    raw().reply = (response) =>
      sendJson(response, {
        id: `msg_up${++serial}`,
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [{ type: 'text', text: 'Hi' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 10, output_tokens: 5 },
      });
    const turn = (key: string, thread: object) =>
      post(
        hub(),
        key,
        { model: 'claude-sonnet-4-5', max_tokens: 10, messages: [{ role: 'user', content: 'hello' }], thread },
        '/v1/messages',
      );
    const idOf = ({ text }: { text: string }) => String(objectOr(parseJson(text))['id']);
    let previous = idOf(await turn(who.key, { type: 'create' }));
    for (let i = 0; i < 8; i++)
      previous = idOf(await turn(who.key, { type: 'continue', previous_message_id: previous }));
    expect(new Set(raw().requests.map(({ headers }) => headers['x-api-key'])).size).toBe(1);
    expect(bodyAt(-1)['thread']).toEqual({ type: 'continue', previous_message_id: `msg_up${serial - 1}` });
    expect((await turn(other.key, { type: 'continue', previous_message_id: previous })).status).toBe(404);
    expect((await turn(who.key, { type: 'fork' })).status).toBe(400);
    expect(raw().requests).toHaveLength(9);
  });

  test.each([false, true])(
    'containers and files of code execution stay with the channel, and with their user (stream: %s)',
    async (stream) => {
      for (const name of ['a', 'b', 'c'])
        await addChannel(hub(), raw().url, {
          type: 14,
          name,
          key: `sk-key-${name}-0000000`,
          models: 'claude-sonnet-4-5',
        });
      const made = { container: `container_${++serial}`, file: `file_up${serial}` };
      const result = {
        type: 'bash_code_execution_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: {
          type: 'bash_code_execution_result',
          stdout: '',
          stderr: '',
          return_code: 0,
          content: [{ type: 'bash_code_execution_output', file_id: made.file }],
        },
      };
      const container = { id: made.container, expires_at: new Date(Date.now() + 3600_000).toISOString() };
      const message = { id: `msg_up${serial}`, type: 'message', role: 'assistant', model: 'claude-sonnet-4-5' };
      const counts = { input_tokens: 10, output_tokens: 5 };
      raw().reply = (response, body) => {
        if (body.length === 0) return sendJson(response, { id: made.file, type: 'file' });
        if (!objectOr(parseJson(body.toString()))['stream'])
          return sendJson(response, {
            ...message,
            content: [result, { type: 'text', text: 'Done' }],
            container,
            stop_reason: 'end_turn',
            usage: counts,
          });
        const event = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
        return sendStream(response, [
          event('message_start', { message: { ...message, content: [], usage: counts } }),
          event('content_block_start', { index: 0, content_block: result }),
          event('content_block_stop', { index: 0 }),
          event('content_block_start', { index: 1, content_block: { type: 'text', text: '' } }),
          event('content_block_delta', { index: 1, delta: { type: 'text_delta', text: 'Done' } }),
          event('content_block_stop', { index: 1 }),
          event('message_delta', { delta: { stop_reason: 'end_turn', container }, usage: counts }),
          event('message_stop', {}),
        ]);
      };
      const tools = [{ type: 'code_execution_20250825', name: 'code_execution' }];
      const messages = [{ role: 'user', content: 'draw' }];
      const turn = async ({ key }: TestCaller, more: object) =>
        (
          await post(
            hub(),
            key,
            { model: 'claude-sonnet-4-5', max_tokens: 10, stream, tools, messages, ...more },
            '/v1/messages',
          )
        ).status;
      expect(await turn(who, {})).toBe(200);
      const next = [...messages, { role: 'assistant', content: [result] }, { role: 'user', content: 'again' }];
      for (let i = 0; i < 6; i++) expect(await turn(who, { container: made.container, messages: next })).toBe(200);
      expect(await turn(who, { container: { id: made.container } })).toBe(200);
      expect((await get(who.key, `/v1/files/${made.file}/content`)).status).toBe(200);
      expect(new Set(raw().requests.map(({ headers }) => headers['x-api-key'])).size).toBe(1);

      const sent = raw().requests.length;
      expect(await turn(other, { container: made.container })).toBe(404);
      expect(await turn(other, { container: { id: made.container } })).toBe(404);
      expect(await turn(other, { messages: next })).toBe(404);
      expect((await get(other.key, `/v1/files/${made.file}/content`)).status).toBe(404);
      expect(raw().requests).toHaveLength(sent);
    },
  );
});

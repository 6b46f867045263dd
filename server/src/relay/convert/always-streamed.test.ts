import { readFileSync } from 'node:fs';
import { channelApi, priceApi } from '@relay-hub/contract';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';
import { clientOf, errorOf, post } from '#testing/relay-calls.ts';

const recorded = new URL('../../providers/adapters/fixtures/coze/chat.json', import.meta.url);
const { answer } = JSON.parse(readFileSync(recorded, 'utf8')) as { answer: { reply: string } };
const said = 'The sky scatters blue light.';

onOneDatabase('a vendor that only streams', (make) => {
  const hub = hubForSuite(make);
  const upstream = rawUpstreamForSuite();
  let who: TestCaller;
  let id = 0;

  beforeAll(async () => {
    await hub().root.call(priceApi.create, {
      body: { model: 'coze-7', type: 'tokens', channel_type: 1, input: 1, output: 1 },
    });
    id = await addChannel(hub(), `${upstream().url}/open_api`, { type: 38, key: 'pat_1', models: 'coze-7' });
  });
  beforeEach(async () => {
    who = await addCaller(hub().server.deps.db);
    upstream().reply = async (response, body) => {
      const {
        bot_id: bot,
        stream,
        additional_messages: messages,
      } = JSON.parse(body.toString()) as Record<string, unknown>;
      if (upstream().requests.at(-1)!.url !== '/v3/chat' || bot !== '7' || stream !== true || !Array.isArray(messages))
        return sendJson(response, { code: 4000, msg: 'The field bot_id provided is not a valid bot' });
      await sendStream(response, [answer.reply]);
    };
  });
  const hello = { model: 'coze-7', messages: [{ role: 'user' as const, content: 'Why?' }] };
  const charged = async () =>
    (await rowsOf(hub().server.deps.db, who)).map((row) => row.prompt_tokens + row.completion_tokens);

  test('answers in one piece to a caller who wants one', async () => {
    const reply = await clientOf(hub(), who.key).chat.completions.create(hello);
    expect(reply.choices[0]).toMatchObject({ finish_reason: 'stop', message: { role: 'assistant', content: said } });
    expect(reply.usage).toMatchObject({ prompt_tokens: 12, completion_tokens: 7 });
    expect(await charged()).toEqual([19]);
  });

  test('answers in pieces to a caller who wants a stream', async () => {
    const stream = await clientOf(hub(), who.key).chat.completions.create({ ...hello, stream: true });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toBe(said);
    expect(await charged()).toEqual([19]);
  });

  test.each([true, false])('is heard when it refuses with status 200, streamed: %s', async (stream) => {
    upstream().reply = (response) => sendJson(response, { code: 4000, msg: 'The field bot_id is not valid' });
    const refused = await post(hub(), who.key, { ...hello, stream });
    expect(refused.status).toBe(400);
    expect(errorOf(refused).message).toContain('bot_id is not valid');
    expect(await charged()).toEqual([0]);
  });

  test('is tested as a channel', async () => {
    expect(await hub().root.call(channelApi.test, { params: { id }, query: { model: 'coze-7' } })).toMatchObject({
      model: 'coze-7',
      answer: said,
    });
  });
});

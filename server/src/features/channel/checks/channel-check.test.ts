import { channelCheckApi, checkEvent, type CheckEvent, type CheckedModel, optionApi } from '@relay-hub/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { eventsOf } from '#http/serve-events.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, startHub } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';

const KEY = 'plainwordkey-without-a-known-shape';
const usage = { prompt_tokens: 9, completion_tokens: 3 };

interface CheckRequest {
  model: string;
  messages: { role: string; content: string | { image_url?: { url: string } }[] }[];
  response_format?: object;
  tools?: object[];
}

/** Replies of a fully capable upstream, in the order of the checks. */
const answers = {
  said: (model: string, content: string, calls: string[] = []) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: `${model}-2024-08-06`,
    choices: [
      {
        index: 0,
        finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
        message: {
          role: 'assistant',
          content: calls.length > 0 ? null : content,
          ...(calls.length > 0 && {
            tool_calls: calls.map((name, i) => ({
              id: `call_${i}`,
              type: 'function',
              function: { name, arguments: '{"city":"Paris"}' },
            })),
          }),
        },
      },
    ],
    usage,
  }),
  noRole: { error: { message: `No such role for ${KEY} (request id: a) (request id: b)`, type: 'bad', code: null } },
};

/** Events of a stream as received. */
function eventsIn(text: string): CheckEvent[] {
  return text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => checkEvent.parse(JSON.parse(/^event:message\ndata:(.+)$/.exec(event)![1]!)));
}

const statusesOf = (checked: CheckedModel): Record<string, number> =>
  Object.fromEntries(
    checked.process.flatMap(({ name, results }) => results.map((one) => [`${name}.${one.name}`, one.status])),
  );

onEveryDatabase('the check of a channel', (make) => {
  const hub = hubForSuite(make);
  const raw = rawUpstreamForSuite();
  let channel: number;

  const check = (models: string, signal?: AbortSignal, id = channel) =>
    fetch(hub().url + channelCheckApi.check.path, {
      method: 'POST',
      headers: { cookie: hub().root.cookie, 'content-type': 'application/json' },
      body: JSON.stringify({ id, models }),
      ...(signal && { signal }),
    });

  const setAddress = (value: string) => hub().root.call(optionApi.set, { body: { key: 'ServerAddress', value } });

  beforeEach(async () => {
    raw().requests.length = 0;
    channel = await addChannel(hub(), raw().url, {
      key: KEY,
      models: 'gpt-4o,other',
      model_mapping: '{"other":"gpt-4.1"}',
    });
    await setAddress(`${hub().url}/`);
    raw().reply = async (response, body) => {
      const { model, messages, tools, response_format: format } = JSON.parse(body.toString()) as CheckRequest;
      const [{ role, content }] = messages as [CheckRequest['messages'][number]];
      if (role === 'nobody') return sendJson(response, answers.noRole, 400);
      if (tools) return sendJson(response, answers.said(model, '', ['get_weather', 'get_time']));
      if (format) return sendJson(response, answers.said(model, '{"sum":42}'));
      if (typeof content === 'string') return sendJson(response, answers.said(model, `Hi ${KEY}`));
      const picture = await fetch(content[1]!.image_url!.url, { headers: { 'user-agent': 'OpenAI Image Downloader' } });
      expect(picture.headers.get('content-type')).toBe('image/png');
      expect(
        Buffer.from(await picture.arrayBuffer())
          .subarray(1, 4)
          .toString(),
      ).toBe('PNG');
      return sendJson(response, answers.said(model, 'Red.'));
    };
  });

  test('streams each model when its checks are done, then the end', async () => {
    const answer = await check('gpt-4o, other,text-embedding-3-small');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    expect(answer.headers.get('content-encoding')).toBeNull();
    const text = await answer.text();
    expect(text).not.toContain(KEY);
    const events = eventsIn(text).filter(({ type }) => type !== 'heartbeat');
    expect(events.at(-1)).toEqual({ type: 'done', data: 'completed' });
    const checked = events.flatMap((event) => (event.type === 'result' ? [event.data] : []));
    expect(checked.map(({ model }) => model).toSorted()).toEqual(['gpt-4o', 'other', 'text-embedding-3-small']);
    for (const model of checked.filter(({ process }) => process.length > 1)) {
      expect(model.process.map(({ name }) => name)).toEqual(['basic', 'error', 'image', 'json', 'tools']);
      expect(statusesOf(model)).toEqual({
        'basic.answer': 1,
        'basic.usage': 1,
        'basic.model': 1,
        'basic.id': 1,
        'error.refused': 1,
        'error.relays': 2,
        'image.seen': 1,
        'image.fetched': 1,
        'json.schema': 1,
        'tools.called': 1,
        'tools.both': 1,
      });
      expect(model.process[1]!.results[1]).toMatchObject({ remark: '2' });
      expect(model.process[2]!.results[1]!.remark).toContain('OpenAI · 127.0.0.1');
      expect(model.process[0]!.response).toMatchObject({ object: 'chat.completion', id: 'chatcmpl-1' });
    }
    expect(raw().requests.map(({ body }) => (JSON.parse(body.toString()) as CheckRequest).model)).toContain('gpt-4.1');
  });

  test('what an upstream cannot do is a result', async () => {
    await setAddress('');
    raw().reply = (response) => sendJson(response, { ...answers.said('qwen-max', 'no'), usage: undefined, id: 'x' });
    const [checked] = eventsIn(await (await check('gpt-4o')).text()).flatMap((event) =>
      event.type === 'result' ? [event.data] : [],
    );
    expect(statusesOf(checked!)).toEqual({
      'basic.answer': 1,
      'basic.usage': 0,
      'basic.model': 0,
      'basic.id': 0,
      'error.refused': 0,
      'image.address': 2,
      'json.schema': 0,
      'tools.called': 0,
    });
  });

  test('an upstream that refuses everything is reported in its own words', async () => {
    raw().reply = (response) => sendJson(response, { error: { message: 'No credit', type: 'x', code: null } }, 401);
    const [checked] = eventsIn(await (await check('gpt-4o')).text()).flatMap((event) =>
      event.type === 'result' ? [event.data] : [],
    );
    expect(statusesOf(checked!)).toMatchObject({ 'basic.answer': 0, 'error.refused': 2, 'image.answer': 0 });
    expect(checked!.process[0]!.results[0]!.remark).toBe('401 No credit');
  });

  test('ends with the client, and asks nothing more', async () => {
    const gone = new AbortController();
    let closed = false;
    raw().reply = (response) => void response.on('close', () => (closed = true));
    const answer = await check('gpt-4o', gone.signal);
    expect(answer.status).toBe(200);
    await expect.poll(() => raw().requests.length, { message: 'requests at the upstream' }).toBe(1);
    gone.abort();
    await expect.poll(() => closed, { message: 'the upstream connection is closed' }).toBe(true);
    expect(raw().requests).toHaveLength(1);
  });

  test('a picture is had from every node, and the one that checks knows who came for it', async () => {
    const database = await make();
    const [here, there] = [await startHub(database), await startHub(database)];
    try {
      await here.root.call(optionApi.set, { body: { key: 'ServerAddress', value: there.url } });
      const id = await addChannel(here, raw().url, { key: KEY });
      const answer = await fetch(here.url + channelCheckApi.check.path, {
        method: 'POST',
        headers: { cookie: here.root.cookie, 'content-type': 'application/json' },
        body: JSON.stringify({ id, models: 'gpt-4o' }),
      });
      const [result] = eventsIn(await answer.text()).filter(({ type }) => type === 'result');
      expect(JSON.stringify(result)).toContain('OpenAI · 127.0.0.1');
    } finally {
      await Promise.all([here.close(), there.close()]);
      await database.remove();
    }
  });

  describe('refuses', () => {
    test.each(['', ' , ', 'gpt-*', 'x'.repeat(101)])('the models %j', async (models) => {
      const answer = await check(models);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ success: false, field: 'models' });
    });

    test('an unknown channel, and a picture of no check, are not found', async () => {
      expect((await check('gpt-4o', undefined, 4711)).status).toBe(404);
      expect((await fetch(`${hub().url}/api/image/aaaaaaaaaa`)).status).toBe(404);
    });
  });
});

test('a stream of events has a heartbeat while there is nothing to tell', async () => {
  let stopped = false;
  const stream = eventsOf(
    (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(void (stopped = true)))),
    () => {},
    5,
  );
  let text = '';
  for await (const piece of stream) if ((text += String(piece)).split('\n\n').length > 3) break;
  expect(eventsIn(text).every(({ type }) => type === 'heartbeat')).toBe(true);
  await expect.poll(() => stopped, { message: 'the upstream is left' }).toBe(true);
});

import { GoogleGenAI } from '@google/genai';
import { beforeEach, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';
import { post } from '#testing/relay-calls.ts';

const PATH = '/gemini/v1beta/interactions';
const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 2, totalTokenCount: 17 };
const call = { functionCall: { id: 'call_1', name: 'weather', args: { city: 'Rome' } }, thoughtSignature: 'c2ln' };
const answerOf = (parts: object[], finishReason = 'STOP') => ({
  candidates: [{ content: { role: 'model', parts }, finishReason, index: 0 }],
  usageMetadata,
});
const claude = {
  type: 'message',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 10, output_tokens: 5 },
};

onOneDatabase('interactions of Google', (make) => {
  const hub = hubForSuite(make);
  const raw = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;
  let who: TestCaller;
  let isSetUp = false;

  beforeEach(async () => {
    who = await addCaller(db());
    if (isSetUp) return;
    isSetUp = true;
    await addChannel(hub(), raw().url, { type: 25, models: 'gemini-2.5-flash' });
    await addChannel(hub(), raw().url, { type: 14, models: 'claude-sonnet-4-5' });
  });
  const answer = (...replies: object[]) => {
    let at = 0;
    raw().reply = (response) => sendJson(response, replies[Math.min(at++, replies.length - 1)]!);
  };
  const ask = async (more: object) => {
    const reply = await post(hub(), who.key, { model: 'gemini-2.5-flash', input: 'Hi', ...more }, PATH);
    return { ...reply, json: JSON.parse(reply.text) as Record<string, unknown> };
  };
  const sent = () => JSON.parse(raw().requests.at(-1)!.body.toString()) as Record<string, unknown>;
  const rows = async () => {
    await hub().server.deps.book.caughtUp();
    await expectBooksBalance(db());
    return rowsOf(db(), who);
  };
  const client = () =>
    new GoogleGenAI({
      apiKey: who.key,
      httpOptions: { baseUrl: `${hub().url}/gemini`, retryOptions: { attempts: 1 } },
    });

  test('are calls of generateContent, and are continued by their id', async () => {
    answer(answerOf([{ text: 'Hello', thoughtSignature: 'c2ln' }]));
    const first = await ask({ system_instruction: 'Be kind.', generation_config: { max_output_tokens: 50 } });
    expect(first.status).toBe(200);
    expect(first.json).toMatchObject({
      id: expect.stringMatching(/^int_/),
      status: 'completed',
      output_text: 'Hello',
      steps: [
        { type: 'thought', signature: 'c2ln' },
        { type: 'model_output', content: [{ type: 'text', text: 'Hello' }] },
      ],
      usage: { total_input_tokens: 10, total_output_tokens: 5, total_thought_tokens: 2, total_tokens: 17 },
    });
    expect(raw().requests.at(-1)!.url).toBe('/v1beta/models/gemini-2.5-flash:generateContent');
    expect(sent()).toMatchObject({
      systemInstruction: { parts: [{ text: 'Be kind.' }] },
      generationConfig: { maxOutputTokens: 50 },
    });
    const second = await ask({ input: 'And?', previous_interaction_id: first.json['id'] });
    expect(second.json).toMatchObject({ previous_interaction_id: first.json['id'] });
    expect(sent()['contents']).toEqual([
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [{ text: 'Hello', thoughtSignature: 'c2ln' }] },
      { role: 'user', parts: [{ text: 'And?' }] },
    ]);
    const charged = { prompt_tokens: 10, completion_tokens: 7, metadata: { endpoint: '/gemini/v1beta/interactions' } };
    expect(await rows()).toMatchObject([charged, charged]);
  });

  test('call functions, and take their results', async () => {
    answer(answerOf([call]), answerOf([{ text: 'Sunny' }]));
    const tools = [{ type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } }];
    const first = await ask({ tools });
    expect(first.json).toMatchObject({
      status: 'requires_action',
      steps: [
        { type: 'thought' },
        { type: 'function_call', id: 'call_1', name: 'weather', arguments: { city: 'Rome' } },
      ],
    });
    const input = [{ type: 'function_result', name: 'weather', call_id: 'call_1', result: { sky: 'blue' } }];
    await ask({ tools, input, previous_interaction_id: first.json['id'] });
    expect(sent()['contents']).toMatchObject([
      {},
      { role: 'model', parts: [call] },
      { role: 'user', parts: [{ functionResponse: { id: 'call_1', name: 'weather', response: { sky: 'blue' } } }] },
    ]);
    // The same, sent whole by a caller who keeps nothing here.
    const steps = [
      { type: 'user_input', content: [{ type: 'text', text: 'Hi' }] },
      ...(first.json['steps'] as object[]),
    ];
    await ask({ tools, store: false, input: [...steps, ...input] });
    expect(sent()['contents']).toMatchObject([{ role: 'user' }, { role: 'model', parts: [call] }, { role: 'user' }]);
  });

  test.each(['gemini-2.5-flash', 'claude-sonnet-4-5'])('work with the client of Google at %s', async (model) => {
    answer(model.startsWith('claude') ? claude : answerOf([{ text: 'Hello' }]));
    const interaction = await client().interactions.create({ model, input: 'Hi' });
    expect(interaction).toMatchObject({ status: 'completed', output_text: 'Hello' });
    expect(await client().interactions.get(interaction.id)).toMatchObject({ id: interaction.id, status: 'completed' });
    await client().interactions.delete(interaction.id);
    await expect(client().interactions.get(interaction.id)).rejects.toMatchObject({ status: 404 });
  });

  test('stream as events', async () => {
    raw().reply = (response) =>
      sendStream(
        response,
        [answerOf([{ text: 'Hel' }], ''), answerOf([{ text: 'lo' }], ''), answerOf([call])].map(
          (one) => `data: ${JSON.stringify(one)}\n\n`,
        ),
      );
    const seen: string[] = [];
    let text = '';
    let id = '';
    for await (const event of await client().interactions.create({
      model: 'gemini-2.5-flash',
      input: 'Hi',
      stream: true,
    })) {
      seen.push(event.event_type);
      if (event.event_type === 'step.delta' && event.delta.type === 'text') text += event.delta.text;
      if (event.event_type === 'interaction.completed') ({ id } = event.interaction);
    }
    expect([text, seen.at(0), seen.at(-1)]).toEqual(['Hello', 'interaction.created', 'interaction.completed']);
    expect(seen.filter((type) => type === 'step.start')).toHaveLength(
      seen.filter((type) => type === 'step.stop').length,
    );
    answer(answerOf([{ text: 'x' }]));
    expect((await ask({ previous_interaction_id: id })).status).toBe(200);
    expect(await rows()).toHaveLength(2);
  });

  test('a stream that breaks ends with an error, and is not kept', async () => {
    raw().reply = (response) =>
      sendStream(response, [`data: ${JSON.stringify(answerOf([{ text: 'Hel' }], ''))}\n\n`], 'cut');
    const { text } = await post(hub(), who.key, { model: 'gemini-2.5-flash', input: 'Hi', stream: true }, PATH);
    expect(text).toContain('event: error\n');
    expect(text).not.toContain('interaction.completed');
  });

  test.each<[string, object, number, RegExp]>([
    ['an agent', { agent: 'deep-research' }, 400, /'agent'/],
    ['work in the background', { background: true }, 400, /'background'/],
    ['an unknown member', { sandbox: 1 }, 400, /'sandbox'/],
    ['an unknown tool', { tools: [{ type: 'file_search' }] }, 400, /'tools\.0\.type'/],
    ['no input', { input: null }, 400, /'input'/],
    ['an unknown interaction', { previous_interaction_id: 'int_1' }, 404, /int_1/],
    ['an unknown model', { model: 'gemini-nope' }, 404, /gemini-nope/],
  ])('%s is refused in the form of Google', async (_, more, status, says) => {
    const reply = await ask(more);
    expect(reply.status).toBe(status);
    expect(reply.json['error']).toMatchObject({ code: status, message: expect.stringMatching(says) });
  });

  test('belong to their user', async () => {
    answer(answerOf([{ text: 'Hello' }]));
    const { json } = await ask({});
    who = await addCaller(db());
    expect((await ask({ previous_interaction_id: json['id'] })).status).toBe(404);
    const { status } = await post(hub(), who.key, undefined, `${PATH}/${String(json['id'])}`, { method: 'GET' });
    expect(status).toBe(404);
  });
});

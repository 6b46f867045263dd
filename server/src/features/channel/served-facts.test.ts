import { channelApi, logApi } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { withoutChannel } from '#features/log/log-queries.ts';
import { addCaller } from '#testing/callers.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';
import { hello, post } from '#testing/relay-calls.ts';

const usage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 };
const message = { role: 'assistant', content: 'Hello there' };
const reply = { id: 'c', object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }], usage };

onEveryDatabase('what a channel says that it served', (make) => {
  const hub = hubForSuite(make);
  const upstream = rawUpstreamForSuite();

  test('is counted by model, tier, fingerprint and usage, each with its last call', async () => {
    const { root, server } = hub();
    const channel = await addChannel(hub(), upstream().url, { models: 'gpt-4o' });
    const { key } = await addCaller(server.deps.db);
    const answers: object[] = [
      { ...reply, model: 'gpt-4o', system_fingerprint: 'fp_one' },
      { ...reply, model: 'gpt-4o-2024-11-20', system_fingerprint: 'fp_one' },
      { ...reply, model: 'gpt-4o-2024-11-20', system_fingerprint: 'fp_two' },
      { ...reply, model: 'gpt-4o-mini', service_tier: 'flex' },
      { ...reply, usage: undefined },
    ];
    for (const answer of answers) {
      upstream().reply = (response) => sendJson(response, answer);
      expect((await post(hub(), key, hello)).status).toBe(200);
    }
    const chunk = { id: 'c', object: 'chat.completion.chunk', model: 'gpt-4o-mini', system_fingerprint: 'fp_two' };
    upstream().reply = (response) =>
      sendStream(response, [
        `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta: message, finish_reason: 'stop' }] })}\n\n`,
        `data: ${JSON.stringify({ ...chunk, choices: [], usage })}\n\n`,
        'data: [DONE]\n\n',
      ]);
    expect((await post(hub(), key, { ...hello, stream: true })).status).toBe(200);
    upstream().reply = (response) => sendJson(response, { error: { message: 'busy' } }, 503);
    await post(hub(), key, hello);
    const { data } = await root.call(logApi.list, { query: { order: 'id' } });
    const ids = data.map(({ id }) => id);
    // Its owner sees the tier that was charged, not the model behind it.
    expect(data[3]!.metadata!.served).toMatchObject({ modes: ['flex'], asked: [], model: 'gpt-4o-mini' });
    expect(withoutChannel(data[3]!).metadata!.served).toEqual({ modes: ['flex'], at: expect.any(Number) });
    const facts = await root.call(channelApi.served, { params: { id: channel }, query: { days: 1 } });
    expect(facts.calls).toBe(6);
    const [model] = facts.models;
    expect(facts.models).toHaveLength(1);
    expect(model).toMatchObject({
      model: 'gpt-4o',
      sent: 'gpt-4o',
      calls: 6,
      tiers: [{ asked: [], served: ['flex'], calls: 1, last_id: ids[3] }],
      usage: [{ kind: 'none', calls: 1, last_id: ids[4] }],
    });
    expect(new Map(model!.reported.map((one) => [one.model, [one.alike, one.calls, one.last_id]]))).toEqual(
      new Map([
        ['gpt-4o-2024-11-20', [true, 2, ids[2]]],
        ['gpt-4o-mini', [false, 2, ids[5]]],
      ]),
    );
    expect(new Map(model!.fingerprints.map((one) => [one.fingerprint, [one.calls, one.last_id]]))).toEqual(
      new Map([
        ['fp_one', [2, ids[1]]],
        ['fp_two', [2, ids[5]]],
      ]),
    );
  });
});

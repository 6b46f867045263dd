import { logApi, userApi } from '@relay-hub/contract';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, addToken, hubForSuite, upstreamForSuite } from '#testing/hub.ts';

onEveryDatabase('relay', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();

  test('a completion costs what its row explains', async () => {
    await addChannel(hub(), upstream().url);
    const { key } = await addToken(hub());
    const before = await hub().root.call(userApi.self);
    const client = new OpenAI({ apiKey: key, baseURL: `${hub().url}/v1` });
    const reply = await client.chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] });
    expect(reply.choices[0]?.message.content).toMatch(/Hello/);
    const after = await hub().root.call(userApi.self);
    const { data } = await hub().root.call(logApi.list, { query: { size: 1 } });
    expect(before.quota - after.quota).toBe(data[0]?.quota);
    expect(data[0]).toMatchObject({ model_name: 'gpt-4o', metadata: { outcome: 'answered' } });
  });
});

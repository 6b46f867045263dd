import { expect, test } from 'vitest';
import { addCaller } from '#testing/callers.ts';
import { newSqlite } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';
import { clientOf } from '#testing/relay-calls.ts';

const hub = hubForSuite(newSqlite);
const raw = rawUpstreamForSuite();
const url = 'data:image/png;base64,iVBORw0KGgo=';
const reply = {
  candidates: [
    {
      content: {
        role: 'model',
        parts: [{ text: 'A cat.' }, { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }],
      },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 1290, totalTokenCount: 1295 },
};

test.each([
  [false, 'A cat.'],
  [true, `A cat.\n\n![image](${url})`],
])('pictures of Gemini are part of the text where the channel says so: %s', async (enable, text) => {
  const model = enable ? 'gemini-2.5-flash-image' : 'gemini-2.5-flash';
  const plugin = { markdown_images: { enable } };
  await addChannel(hub(), raw().url, { type: 25, models: model, plugin });
  const client = clientOf(hub(), (await addCaller(hub().server.deps.db)).key);
  const messages = [{ role: 'user' as const, content: 'draw a cat' }];
  raw().reply = (response) => sendJson(response, reply);
  const { choices } = await client.chat.completions.create({ model, messages });
  expect(choices[0]!.message).toMatchObject({ content: text, images: [{ image_url: { url } }] });

  raw().reply = (response) => sendStream(response, [`data: ${JSON.stringify(reply)}\n\n`]);
  let streamed = '';
  let pictures = 0;
  for await (const chunk of await client.chat.completions.create({ model, messages, stream: true })) {
    const { content, images } = (chunk.choices[0]?.delta ?? {}) as { content?: string; images?: unknown[] };
    streamed += content ?? '';
    pictures += images?.length ?? 0;
  }
  expect([streamed, pictures]).toEqual([text, 1]);
});

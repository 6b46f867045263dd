import { beforeAll, describe, expect, test } from 'vitest';
import { addCaller, rowsOf } from '#testing/callers.ts';
import { newSqlite } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';
import { clientOf, errorOf, post } from '#testing/relay-calls.ts';

const hub = hubForSuite(newSqlite);
const raw = rawUpstreamForSuite();
const url = 'data:image/png;base64,iVBORw0KGgo=';
const picture = {
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
  raw().reply = (response) => sendJson(response, picture);
  const { choices } = await client.chat.completions.create({ model, messages });
  expect(choices[0]!.message).toMatchObject({ content: text, images: [{ image_url: { url } }] });

  raw().reply = (response) => sendStream(response, [`data: ${JSON.stringify(picture)}\n\n`]);
  let streamed = '';
  let pictures = 0;
  for await (const chunk of await client.chat.completions.create({ model, messages, stream: true })) {
    const { content, images } = (chunk.choices[0]?.delta ?? {}) as { content?: string; images?: unknown[] };
    streamed += content ?? '';
    pictures += images?.length ?? 0;
  }
  expect([streamed, pictures]).toEqual([text, 1]);
});

describe('sound of Gemini', () => {
  const model = 'gemini-2.5-flash-preview-tts';
  /** Two samples in two parts. */
  const [first, second] = ['AQA=', 'AgA='];
  const pcm = Buffer.from([1, 0, 2, 0]);
  const spoken = (...data: string[]) => ({
    candidates: [
      {
        content: {
          role: 'model',
          parts: data.map((one) => ({ inlineData: { mimeType: 'audio/L16;codec=pcm;rate=24000', data: one } })),
        },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: {
      promptTokenCount: 5,
      candidatesTokenCount: 25,
      totalTokenCount: 30,
      candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 25 }],
    },
  });
  const speaking = { modalities: ['audio' as const], audio: { voice: 'coral', format: 'wav' as const } };
  const messages = [{ role: 'user' as const, content: 'Say hello' }];
  const asked = { model, messages, ...speaking };
  let key: string;
  let lastRow: () => Promise<unknown>;
  beforeAll(async () => {
    await addChannel(hub(), raw().url, { type: 25, models: model });
    const who = await addCaller(hub().server.deps.db);
    key = who.key;
    lastRow = async () => {
      await hub().server.deps.book.caughtUp();
      return (await rowsOf(hub().server.deps.db, who)).at(-1);
    };
  });
  const charged = {
    completion_tokens: 25,
    quota: Math.ceil(5 * 0.25 + 25 * 5),
    metadata: { output_audio_tokens: 25, usage_source: 'upstream' },
  };
  const sent = () => JSON.parse(raw().requests.at(-1)!.body.toString()) as { generationConfig: object };

  test('asked in a chat comes in the shape of Chat Completions', async () => {
    raw().reply = (response) => sendJson(response, spoken(first, second));
    const { choices } = await clientOf(hub(), key).chat.completions.create(asked);
    const { audio, content } = choices[0]!.message;
    const file = Buffer.from(audio!.data, 'base64');
    expect([content, file.toString('latin1', 0, 4), file.subarray(44)]).toEqual(['', 'RIFF', pcm]);
    expect(audio).toMatchObject({
      id: expect.stringMatching(/^audio_/),
      expires_at: expect.any(Number),
      transcript: '',
    });
    expect(sent().generationConfig).toEqual({
      responseModalities: ['AUDIO'],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Autonoe' } } },
    });
    expect(await lastRow()).toMatchObject(charged);
  });

  test('streams as samples', async () => {
    raw().reply = (response) =>
      sendStream(
        response,
        [spoken(first), spoken(second)].map((one) => `data: ${JSON.stringify(one)}\n\n`),
      );
    const pieces: Buffer[] = [];
    const audio = { voice: 'Kore', format: 'pcm16' as const };
    for await (const chunk of await clientOf(hub(), key).chat.completions.create({ ...asked, audio, stream: true })) {
      const delta = chunk.choices[0]?.delta as { audio?: { data: string } } | undefined;
      if (delta?.audio) pieces.push(Buffer.from(delta.audio.data, 'base64'));
    }
    expect(Buffer.concat(pieces)).toEqual(pcm);
    expect(await lastRow()).toMatchObject(charged);
  });

  test.each([
    ['/v1/chat/completions', { ...asked, audio: { voice: 'Kore', format: 'mp3' } }, 'audio.format'],
    ['/v1/chat/completions', { ...asked, stream: true }, 'audio.format'],
    ['/v1/audio/speech', { model, input: 'x', voice: 'Kore', response_format: 'mp3' }, 'response_format'],
    ['/v1/audio/speech', { model, input: 'x', voice: 'Kore', speed: 2 }, 'speed'],
    ['/v1/audio/speech', { model, input: 'x', voice: 'Kore', stream_format: 'sse' }, 'model'],
  ])('at %s what it cannot be is a 400 that names the field', async (path, body, param) => {
    const reply = await post(hub(), key, body, path);
    expect([reply.status, errorOf(reply).param]).toEqual([400, param]);
  });

  test('is speech, charged by the reported tokens', async () => {
    raw().reply = (response) => sendJson(response, spoken(first, second));
    const order = { model, voice: 'alloy', input: 'Hello' };
    const reply = await clientOf(hub(), key).audio.speech.create(order);
    expect(reply.headers.get('content-type')).toBe('audio/wav');
    expect(Buffer.from(await reply.arrayBuffer()).subarray(44)).toEqual(pcm);
    expect(await lastRow()).toMatchObject(charged);
  });

  test('goes to callers of Google from a vendor that speaks Chat Completions', async () => {
    await addChannel(hub(), raw().url, { type: 1, models: 'gpt-audio' });
    const audio = { id: 'audio_1', data: pcm.toString('base64'), transcript: 'Hello', expires_at: 1 };
    raw().reply = (response) =>
      sendJson(response, {
        choices: [{ index: 0, message: { role: 'assistant', content: null, audio }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 5, completion_tokens: 25, total_tokens: 30 },
      });
    const body = {
      contents: [{ parts: [{ text: 'Say hello' }] }],
      generationConfig: {
        responseModalities: ['AUDIO'],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'verse' } } },
      },
    };
    const reply = await post(hub(), key, body, '/gemini/v1beta/models/gpt-audio:generateContent');
    expect(JSON.parse(reply.text)).toMatchObject({
      candidates: [{ content: { parts: [{ text: 'Hello' }, { inlineData: { data: audio.data } }] } }],
    });
    expect(sent()).toMatchObject({ modalities: ['text', 'audio'], audio: { voice: 'verse', format: 'pcm16' } });
  });

  test('that the vendor cannot give is named', async () => {
    await addChannel(hub(), raw().url, { type: 14, models: 'claude-sonnet-4-5' });
    raw().reply = (response) =>
      sendJson(response, {
        type: 'message',
        content: [{ type: 'text', text: 'Hello' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 5, output_tokens: 1 },
      });
    const reply = await post(hub(), key, { ...asked, model: 'claude-sonnet-4-5' });
    expect([reply.status, reply.headers.get('x-relay-dropped')]).toEqual([200, 'audio']);
  });
});

import { channelApi, priceApi } from '@relay-hub/contract';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { errorOf, post } from '#testing/relay-calls.ts';

const TURBO = '@cf/openai/whisper-large-v3-turbo';
const OLDER = '@cf/openai/whisper';
const heard = {
  text: 'Hello there.',
  vtt: 'WEBVTT\n\n00.000 --> 00.900\nHello there.\n',
  segments: [{ start: 0, end: 0.9, text: 'Hello there.' }],
  transcription_info: { language: 'en', duration: 2.2 },
};
const picture = Buffer.from('\x89PNG a picture', 'latin1');

onOneDatabase('vendors with forms of their own', (make) => {
  const hub = hubForSuite(make);
  const upstream = rawUpstreamForSuite();
  let who: TestCaller;
  let cloudflare = 0;
  let stability = 0;

  const sent = () => upstream().requests.at(-1)!;

  beforeAll(async () => {
    const models = [TURBO, OLDER, '@cf/black-forest-labs/flux-1-schnell', '@cf/lykon/dreamshaper-8-lcm'];
    for (const model of [...models, 'sd3-core', 'sd3.5-large'])
      await hub().root.call(priceApi.create, { body: { model, type: 'times', channel_type: 1, input: 5, output: 0 } });
    cloudflare = await addChannel(hub(), upstream().url, { type: 35, key: 'acc|tok', models: models.join(',') });
    stability = await addChannel(hub(), `${upstream().url}/v2beta`, {
      type: 37,
      key: 'sk-st',
      models: 'sd3-core,sd3.5-large',
    });
  });
  beforeEach(async () => {
    who = await addCaller(hub().server.deps.db);
    upstream().requests.length = 0;
    // Fields that neither vendor has are refused, as they would refuse them.
    upstream().reply = (response) => {
      const request = sent();
      const run = /^\/accounts\/acc\/ai\/run\/(@cf\/.+)$/.exec(request.url)?.[1];
      if (run !== undefined && request.headers.authorization !== 'Bearer tok')
        return sendJson(response, { success: false, errors: [{ code: 10000, message: 'Authentication error' }] }, 401);
      if (run === TURBO) {
        const { audio, task, ...more } = JSON.parse(request.body.toString()) as Record<string, unknown>;
        const isKnown = Object.keys(more).every((name) => ['language', 'initial_prompt'].includes(name));
        if (typeof audio !== 'string' || !/^trans(cribe|late)$/.test(String(task)) || !isKnown)
          return sendJson(response, { success: false, errors: [{ code: 5006, message: 'must have audio' }] }, 400);
        return sendJson(response, { success: true, result: heard });
      }
      if (run === OLDER) {
        if (!request.headers['content-type']?.startsWith('application/octet-stream'))
          return sendJson(response, { success: false, errors: [{ message: 'not binary' }] }, 400);
        return sendJson(response, { success: true, result: { text: 'Hello there.', vtt: heard.vtt } });
      }
      if (run === '@cf/lykon/dreamshaper-8-lcm') {
        response.writeHead(200, { 'content-type': 'image/png' });
        response.end(picture);
        return;
      }
      if (run !== undefined)
        return sendJson(response, { success: true, result: { image: picture.toString('base64') } });
      if (!/^\/v2beta\/stable-image\/generate\/(core|sd3)$/.test(request.url))
        return sendJson(response, { id: 'x', name: 'not_found', errors: ['no such path'] }, 404);
      const isForm = request.headers['content-type']?.startsWith('multipart/form-data; boundary=');
      if (!isForm || request.headers.accept !== 'application/json')
        return sendJson(response, { id: 'x', name: 'bad_request', errors: ['content-type: must be a form'] }, 400);
      if (request.body.includes('naked'))
        return sendJson(response, { id: 'x', name: 'content_moderation', errors: ['Your request was flagged.'] }, 403);
      sendJson(response, { image: picture.toString('base64'), finish_reason: 'SUCCESS', seed: 1 });
    };
  });

  const speak = async (path: string, fields: Record<string, string>, sound: Buffer) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set('file', new Blob([new Uint8Array(sound)]), 'a.mp3');
    const response = await fetch(hub().url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${who.key}` },
      body: form,
    });
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
  };
  const costs = async () => (await rowsOf(hub().server.deps.db, who)).map(({ quota }) => quota);

  // The larger one is on disk, and no multiple of three bytes long.
  test.each([3, 700_001])('a sound of %i bytes reaches Whisper whole', async (size) => {
    const sound = Buffer.alloc(size, 'sound of the sea');
    const turbo = await speak('/v1/audio/transcriptions', { model: TURBO, language: 'en', temperature: '0' }, sound);
    expect(turbo).toMatchObject({ status: 200, text: '{"text":"Hello there."}' });
    const { audio, ...told } = JSON.parse(sent().body.toString()) as { audio: string };
    expect(told).toEqual({ task: 'transcribe', language: 'en' });
    expect(Buffer.from(audio, 'base64').equals(sound)).toBe(true);
    const older = await speak('/v1/audio/transcriptions', { model: OLDER }, sound);
    expect(older).toMatchObject({ status: 200, text: '{"text":"Hello there."}' });
    expect(sent().body.equals(sound)).toBe(true);
  });

  test.each([
    ['text', 'text/plain; charset=utf-8', 'Hello there.\n'],
    ['vtt', 'text/vtt; charset=utf-8', heard.vtt],
    [
      'verbose_json',
      'application/json',
      JSON.stringify({ task: 'translate', language: 'en', duration: 2.2, text: heard.text, segments: heard.segments }),
    ],
  ])('a translation is told as %s', async (format, type, text) => {
    const fields = { model: TURBO, response_format: format };
    expect(await speak('/v1/audio/translations', fields, Buffer.from('x'))).toEqual({ status: 200, type, text });
  });

  test('a format that the vendor does not have is refused before it is asked', async () => {
    const answer = await speak('/v1/audio/transcriptions', { model: TURBO, response_format: 'srt' }, Buffer.from('x'));
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('response_format');
    expect(upstream().requests).toEqual([]);
    expect(await costs()).toEqual([]);
  });

  test.each(['@cf/black-forest-labs/flux-1-schnell', '@cf/lykon/dreamshaper-8-lcm', 'sd3-core', 'sd3.5-large'])(
    'a picture of %s comes as base64 and is charged once',
    async (model) => {
      const answer = await post(hub(), who.key, { model, prompt: 'a cat', n: 1 }, '/v1/images/generations');
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.text)).toMatchObject({ data: [{ b64_json: picture.toString('base64') }] });
      expect(await costs()).toEqual([5000]);
    },
  );

  test('a prompt that moderation refuses is the caller’s fault and costs nothing', async () => {
    const request = { model: 'sd3-core', prompt: 'naked' };
    const answer = await post(hub(), who.key, request, '/v1/images/generations');
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toMatchObject({ code: 'content_filter', message: expect.stringContaining('flagged') });
    expect(await costs()).toEqual([0]);
  });

  test.each([
    [() => cloudflare, TURBO],
    [() => cloudflare, OLDER],
    [() => cloudflare, '@cf/black-forest-labs/flux-1-schnell'],
    [() => stability, 'sd3.5-large'],
  ])('the channel’s test works: %#', async (id, model) => {
    const answer = await hub().root.call(channelApi.test, { params: { id: id() }, query: { model } });
    expect(answer).toMatchObject({ model, answer: '' });
  });
});

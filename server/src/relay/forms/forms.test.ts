import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { type IncomingMessage, request as ask } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { channelApi, priceApi } from '@relay-hub/contract';
import { toFile } from 'openai';
import { beforeAll, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller, userOf } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { clientOf, errorOf, post } from '#testing/relay-calls.ts';
import type { ReceivedRequest } from '#upstream-simulator/request-ring.ts';
import { FORM_LIMIT } from './read-form.ts';
import { spoolFolder } from './spool.ts';

const field = (name: string, value: string) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`;
const file = 'Content-Disposition: form-data; name="file"; filename="a.mp3"\r\nContent-Type: audio/mpeg\r\n\r\nsound';
const formOf = (...parts: string[]) => `${parts.map((part) => `--cut\r\n${part}\r\n`).join('')}--cut--\r\n`;

/** Half a second of silence. */
function wave(): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.write('WAVE', 8, 'latin1');
  head.writeUInt32LE(16_000, 28);
  return Buffer.concat([head, Buffer.alloc(8000)]);
}

function linkOf(name: string): string {
  try {
    return readlinkSync(name);
  } catch {
    return ''; // it was closed meanwhile
  }
}

/** The form that an upstream received, read by an independent parser. */
const received = (request: ReceivedRequest): Promise<FormData> =>
  new Response(new Uint8Array(request.raw), {
    headers: { 'content-type': request.headers['content-type']! },
  }).formData();

onOneDatabase('forms', (make) => {
  const hub = hubForSuite(make);
  const first = upstreamForSuite();
  const second = upstreamForSuite();
  const db = () => hub().server.deps.db;
  /** Named files of callers' bodies. */
  const spooled = () => {
    const folder = spoolFolder(hub().server.deps.config.dataDir);
    return existsSync(folder) ? readdirSync(folder) : [];
  };
  /** Unlinked files that this process holds open, where the system reports them. */
  const openSpools = () => {
    const folder = spoolFolder(hub().server.deps.config.dataDir);
    return readdirSync('/proc/self/fd').filter((fd) => linkOf(`/proc/self/fd/${fd}`).startsWith(`${folder}/`)).length;
  };
  let who: TestCaller;
  let firstId = 0;

  beforeAll(async () => {
    for (const [model, type, input, output] of [
      ['gpt-heard', 'tokens', 1, 2],
      ['whisper-test', 'tokens', 3, 3],
      ['pictures', 'times', 5, 0],
      ['mapped', 'times', 1, 0],
    ] as const)
      await hub().root.call(priceApi.create, { body: { model, type, channel_type: 1, input, output } });
    const models = 'gpt-heard,whisper-test,pictures,mapped,dall-e-2';
    const model_mapping = '{"mapped":"+another-name"}';
    firstId = await addChannel(hub(), first().url, { type: 1, name: 'first', models, model_mapping, priority: 5 });
    await addChannel(hub(), second().url, { type: 1, name: 'second', models, model_mapping });
    who = await addCaller(db());
  });

  const client = () => clientOf(hub(), who.key);
  const sound = () => toFile(Buffer.alloc(32_000, 7), 'tune.mp3', { type: 'audio/mpeg' });

  /** The row of a call, after which all accounts add up. */
  async function charged(call: () => Promise<unknown>) {
    const before = await userOf(db(), who);
    const rows = (await rowsOf(db(), who)).length;
    await call();
    const [row, ...more] = (await rowsOf(db(), who)).slice(rows);
    expect(more).toEqual([]);
    expect((await userOf(db(), who)).balance).toBe(before.balance - row!.quota);
    await expectBooksBalance(db());
    expect(hub().server.deps.book.openCalls).toBe(0);
    hub().server.deps.live.health.forget(firstId);
    return row!;
  }

  test('a transcription passes through and is charged by reported tokens', async () => {
    const row = await charged(async () => {
      const asked = { file: await sound(), model: 'gpt-heard', language: 'en' };
      expect((await client().audio.transcriptions.create(asked)).text).toBe('Hello! How can I help you today?');
    });
    expect(row).toMatchObject({ quota: 30 + 7 * 2, metadata: { usage_source: 'upstream', reserved: 7 } });
    const form = await received(first().requests.at(-1)!);
    expect([...form.keys()]).toEqual(['file', 'model', 'language']);
    expect((form.get('file') as File).name).toBe('tune.mp3');
  });

  test.each(['text', 'srt', 'vtt', 'verbose_json'] as const)('the format %s passes', async (response_format) => {
    let told = '';
    const row = await charged(async () => {
      const asked = { file: await sound(), model: 'whisper-test', response_format };
      const reply: unknown = await client().audio.transcriptions.create(asked);
      told = typeof reply === 'string' ? reply : JSON.stringify(reply);
    });
    expect(told).toContain('How can I help you today?');
    expect(told.includes('-->')).toBe(response_format === 'srt' || response_format === 'vtt');
    const isTold = response_format === 'verbose_json';
    expect(row.metadata?.usage_source).toBe(isTold ? 'upstream' : 'estimate');
    // 9 seconds at 3⅓ × 3, or the 9 tokens of the text, without the times of subtitles
    expect(row).toMatchObject(
      isTold ? { quota: 90, metadata: { audio_seconds: 9 } } : { quota: 27, completion_tokens: 9 },
    );
  });

  test('a duration is read from a WAV header or from the reply', async () => {
    first().next({ text: '', usage: 'none' }, { usage: 'none' });
    const silent = await charged(async () =>
      client().audio.transcriptions.create({ file: await toFile(wave(), 'a.wav'), model: 'whisper-test' }),
    );
    expect(silent).toMatchObject({ quota: 10, metadata: { audio_seconds: 1, usage_source: 'estimate' } });
    const asked = { model: 'whisper-test', response_format: 'verbose_json' as const };
    const row = await charged(async () => client().audio.translations.create({ ...asked, file: await sound() }));
    expect(row).toMatchObject({ quota: 90, metadata: { audio_seconds: 9, usage_source: 'upstream' } });
  });

  test('a transcription as events', async () => {
    const row = await charged(async () => {
      const asked = { file: await sound(), model: 'gpt-heard', stream: true as const };
      const types: string[] = [];
      for await (const event of await client().audio.transcriptions.create(asked)) types.push(event.type);
      expect(types).toEqual(['transcript.text.delta', 'transcript.text.done']);
    });
    expect(row).toMatchObject({ quota: 30 + 7 * 2, is_stream: true });
  });

  test.each([
    [200_000, 'from memory'],
    [5_000_000, 'from the disk'],
  ])('what the first channel fails at, the second is sent byte by byte: %i bytes, %s', async (size) => {
    first().next({ status: 500 });
    const row = await charged(async () => {
      const asked = {
        image: await toFile(Buffer.alloc(size, 9), 'a.png'),
        prompt: 'a hat',
        model: 'pictures',
        n: 2,
      };
      expect((await client().images.edit(asked)).data).toHaveLength(2);
    });
    expect(row).toMatchObject({
      quota: 10_000,
      metadata: {
        units: 2,
        reserved: 10_000,
        attempts: [
          { channel_name: 'first', status: 500, next: 'retried' },
          { channel_name: 'second', result: 'ok' },
        ],
      },
    });
    const [one, two] = [first().requests.at(-1)!, second().requests.at(-1)!];
    expect(two.raw.equals(one.raw)).toBe(true);
    expect(two.headers['content-type']).toBe(one.headers['content-type']);
    expect(((await received(two)).get('image') as File).size).toBe(size);
    expect(two.headers['content-length']).toBe(String(two.raw.length));
    expect(spooled()).toEqual([]);
  });

  test('a channel that hangs is left for the next one, and one that takes no images is not asked', async () => {
    const { live } = hub().server.deps;
    const change = (more: { first_token_timeout?: number; excluded?: 'images'[] }) =>
      hub().root.call(channelApi.update, { body: { id: firstId, ...more } });
    await change({ first_token_timeout: 1 });
    first().next({ fault: 'hang' });
    const row = await charged(async () =>
      client().audio.transcriptions.create({ file: await sound(), model: 'gpt-heard' }),
    );
    expect(row.metadata?.attempts).toMatchObject([{ result: 'first_token_timeout' }, { channel_name: 'second' }]);
    await change({ first_token_timeout: 0, excluded: ['images'] });
    live.health.forget(firstId);
    const asked = { model: 'pictures', prompt: 'a hat' };
    const edited = await charged(async () =>
      client().images.edit({ ...asked, image: await toFile(Buffer.alloc(10), 'a.png') }),
    );
    expect(edited.metadata?.attempts).toMatchObject([{ channel_name: 'second' }]);
    const made = await charged(() => client().images.generate(asked));
    expect(made.metadata?.attempts).toMatchObject([{ channel_name: 'first' }]);
    await change({ excluded: [] });
  });

  test('a mapped model is sent under its name there, and one that is not named is the usual one', async () => {
    await charged(async () =>
      client().images.createVariation({ image: await toFile(Buffer.alloc(10), 'a.png'), model: 'mapped' }),
    );
    const form = await received(first().requests.at(-1)!);
    expect(form.getAll('model')).toEqual(['another-name']);
    expect((form.get('image') as File).size).toBe(10);
    const row = await charged(async () =>
      client().images.createVariation({ image: await toFile(Buffer.alloc(10), 'a.png') }),
    );
    expect(row).toMatchObject({ model_name: 'dall-e-2', prompt_tokens: 1250 });
    expect((await received(first().requests.at(-1)!)).getAll('model')).toEqual(['dall-e-2']);
  });

  test.each<[string, string, string, string | null]>([
    ['no boundary', 'multipart/form-data', formOf(file), null],
    ['two boundaries', 'multipart/form-data; boundary=cut; boundary=x', formOf(file), null],
    ['no form', 'text/plain', formOf(file), null],
    ['JSON', 'application/json', '{"model":"gpt-heard"}', null],
    ['no model', 'multipart/form-data; boundary=cut', formOf(file), 'model'],
    [
      'two models',
      'multipart/form-data; boundary=cut',
      formOf(file, field('model', 'a'), field('model', 'b')),
      'model',
    ],
    [
      'a model that is a file',
      'multipart/form-data; boundary=cut',
      formOf(file, file.replace('file', 'model')),
      'model',
    ],
    ['no file', 'multipart/form-data; boundary=cut', formOf(field('model', 'gpt-heard')), 'file'],
    [
      'a file that is a text',
      'multipart/form-data; boundary=cut',
      formOf(field('model', 'a'), field('file', 'x')),
      'file',
    ],
    ['two files', 'multipart/form-data; boundary=cut', formOf(file, file, field('model', 'a')), 'file'],
    ['too many parts', 'multipart/form-data; boundary=cut', formOf(...Array<string>(101).fill(field('x', 'y'))), null],
    ['no end', 'multipart/form-data; boundary=cut', `--cut\r\n${file}\r\n`, null],
    ['another boundary', 'multipart/form-data; boundary=other', formOf(file), null],
    ['a boundary that goes on', 'multipart/form-data; boundary=cut', formOf(`${file}\r\n--cutter`), null],
    ['a name in other words', 'multipart/form-data; boundary=cut', formOf(field('model"; name*="model', 'a')), null],
    [
      'a folded header',
      'multipart/form-data; boundary=cut',
      formOf(file.replace('; filename', ';\r\n filename')),
      null,
    ],
    [
      'a stream that is neither',
      'multipart/form-data; boundary=cut',
      formOf(file, field('model', 'a'), field('stream', 'so')),
      'stream',
    ],
  ])('a form is refused that has %s', async (_, type, body, param) => {
    const sent = first().requests.total;
    const answer = await post(hub(), who.key, body, '/v1/audio/transcriptions', { headers: { 'content-type': type } });
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toMatchObject({ type: 'invalid_request_error', param });
    expect(first().requests.total).toBe(sent);
  });

  test('a form that is larger than one may be is refused before it has come', async () => {
    const { hostname, port } = new URL(hub().url);
    const asking = ask({
      hostname,
      port,
      method: 'POST',
      path: '/v1/audio/transcriptions',
      headers: {
        authorization: `Bearer ${who.key}`,
        'content-type': 'multipart/form-data; boundary=cut',
        'content-length': FORM_LIMIT + 1,
      },
    });
    asking.write('--cut\r\n');
    const [answer] = (await once(asking, 'response')) as [IncomingMessage]; // by `response`'s own type
    expect(answer.statusCode).toBe(413);
    expect(await text(answer)).toContain('larger than 100 MiB');
    asking.destroy();
  });

  test('a large form without a channel, or cut short, leaves nothing behind', async () => {
    const large = file + 'x'.repeat(1_000_000);
    const headers = { 'content-type': 'multipart/form-data; boundary=cut' };
    const send = (body: string) => post(hub(), who.key, body, '/v1/audio/transcriptions', { headers });
    expect((await send(formOf(large, field('model', 'nobody-has-it')))).status).toBe(404);
    expect((await send(`--cut\r\n${large}`)).status).toBe(400);
    expect((await send(formOf(large, field('prompt', 'y'.repeat(1_100_000))))).text).toContain('longer than 1024 KiB');
    expect(spooled()).toEqual([]);
  });

  test('an upstream that answers before it has read a large form is one that failed, and the next one gets all of it', async () => {
    const hasty = createServer((asking) => {
      asking.once('data', () => asking.end('HTTP/1.1 503 Busy\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'));
      asking.on('error', () => {});
    });
    await new Promise<void>((resolve) => hasty.listen(0, '127.0.0.1', resolve));
    const { port } = hasty.address() as AddressInfo; // a TCP port
    const id = await addChannel(hub(), `http://127.0.0.1:${port}`, { type: 1, models: 'pictures', priority: 9 });
    const row = await charged(async () => {
      const asked = { image: await toFile(Buffer.alloc(9_000_000, 9), 'a.png'), prompt: 'a hat', model: 'pictures' };
      expect((await client().images.edit(asked)).data).toHaveLength(1);
    });
    expect(row.metadata?.attempts).toMatchObject([
      { channel_id: id, next: 'retried' },
      { channel_name: 'first', result: 'ok' },
    ]);
    expect(((await received(first().requests.at(-1)!)).get('image') as File).size).toBe(9_000_000);
    await hub().root.call(channelApi.remove, { params: { id } });
    hasty.close();
  });

  test.skipIf(process.platform !== 'linux')('who leaves in the middle of a large form pays nothing', async () => {
    const { hostname, port } = new URL(hub().url);
    const rows = (await rowsOf(db(), who)).length;
    const leaving = ask({
      hostname,
      port,
      method: 'POST',
      path: '/v1/audio/transcriptions',
      headers: { authorization: `Bearer ${who.key}`, 'content-type': 'multipart/form-data; boundary=cut' },
    });
    leaving.on('error', () => {});
    await new Promise<void>((resolve) => leaving.write(`--cut\r\n${file}${'x'.repeat(1_000_000)}`, () => resolve()));
    await expect.poll(() => openSpools(), { message: 'open files' }).toBe(1);
    leaving.destroy();
    await expect.poll(() => openSpools(), { message: 'open files' }).toBe(0);
    expect(await rowsOf(db(), who)).toHaveLength(rows);
    expect(hub().server.deps.book.openCalls).toBe(0);
  });

  test('a large form for another name of its model is changed there and nowhere else', async () => {
    await charged(async () =>
      client().images.createVariation({ image: await toFile(Buffer.alloc(700_000, 5), 'a.png'), model: 'mapped' }),
    );
    const form = await received(first().requests.at(-1)!);
    expect(form.getAll('model')).toEqual(['another-name']);
    expect((form.get('image') as File).size).toBe(700_000);
    await charged(async () => client().images.createVariation({ image: await toFile(Buffer.alloc(700_000), 'a.png') }));
    expect((await received(first().requests.at(-1)!)).getAll('model')).toEqual(['dall-e-2']);
  });
});

import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller, userOf } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite } from '#testing/network/raw-upstream.ts';
import { clientOf } from '#testing/relay-calls.ts';
import { mp3, wav } from '#testing/sounds.ts';

const MODEL = 'gpt-4o-mini-tts';
/** 60 seconds of speech. */
const input = 'x'.repeat(900);
/** $0.015 a minute of audio, and $0.60 per million characters. */
const MINUTE = 7500 + 270;

onOneDatabase('speech that its vendor sells by the audio', (make) => {
  const hub = hubForSuite(make);
  const upstream = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;
  let who: TestCaller;
  beforeAll(async () => {
    await addChannel(hub(), upstream().url, { models: `${MODEL},tts-1` });
  });
  beforeEach(async () => void (who = await addCaller(db())));

  const answerWith = (sound: Buffer, type = 'audio/mpeg', end = (response: ServerResponse) => void response.end()) => {
    upstream().reply = async (response) => {
      response.writeHead(200, { 'content-type': type });
      for (let at = 0; at < sound.length; at += 50_000) {
        response.write(sound.subarray(at, at + 50_000));
        await sleep(1);
      }
      end(response);
    };
  };
  const say = async (more: object = {}) => {
    const reply = await clientOf(hub(), who.key).audio.speech.create({ model: MODEL, voice: 'alloy', input, ...more });
    return Buffer.from(await reply.arrayBuffer());
  };
  const onlyRow = async () => {
    await expect.poll(() => rowsOf(db(), who), { message: 'rows of the caller' }).toHaveLength(1);
    await expectBooksBalance(db());
    return (await rowsOf(db(), who))[0]!;
  };

  test.each([
    ['mp3', mp3(60)],
    ['wav', wav(60)],
    ['pcm', Buffer.alloc(60 * 48_000, 0xff)],
  ])('is charged by the duration of its %s, as an estimate', async (format, sound) => {
    answerWith(sound, `audio/${format}`);
    expect((await say({ response_format: format })).equals(sound)).toBe(true);
    const row = await onlyRow();
    expect(Math.abs(row.quota - MINUTE)).toBeLessThan(20);
    expect(row.metadata).toMatchObject({ usage_source: 'estimate', outcome: 'answered' });
    expect(Math.abs(row.metadata!.output_audio_tokens! - 1250)).toBeLessThan(4);
    expect(row.metadata!.reserved!).toBeGreaterThan(2 * row.quota);
    expect((await userOf(db(), who)).balance).toBe(1_000_000 - row.quota);
  });

  test('is never charged more than was reserved', async () => {
    answerWith(mp3(600));
    await say({ input: 'short' });
    const row = await onlyRow();
    expect(row.quota).toBe(row.metadata!.reserved);
  });

  test('needs credits for the audio', async () => {
    who = await addCaller(db(), { quota: 2 * MINUTE });
    await expect(say()).rejects.toMatchObject({ status: 402, code: 'insufficient_quota' });
  });

  describe('that breaks off', () => {
    test('is charged for what came', async () => {
      answerWith(mp3(30), 'audio/mpeg', (response) => void response.destroy());
      await expect(say()).rejects.toThrow();
      const row = await onlyRow();
      expect(row.metadata).toMatchObject({ outcome: 'broken' });
      expect(row.quota).toBeGreaterThan(3000);
      expect(row.quota).toBeLessThan(MINUTE / 2 + 150);
    });

    test('before its first byte costs nothing', async () => {
      answerWith(Buffer.alloc(0), 'audio/mpeg', (response) => void response.destroy());
      await expect(say()).rejects.toThrow();
      expect(await onlyRow()).toMatchObject({ quota: 0, failed: true });
    });
  });

  test('other speech is charged by its characters only', async () => {
    answerWith(mp3(60));
    await say({ model: 'tts-1' });
    expect(await onlyRow()).toMatchObject({ quota: 900 * 7.5, completion_tokens: 0 });
  });
});

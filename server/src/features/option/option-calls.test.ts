import { priceApi } from '@relay-hub/contract';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { estimateTokens } from '#quota/estimate.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { chat, lastLog } from '#testing/chat.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, addToken, ApiClient, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { setOptions } from '#testing/mailbox.ts';

const heard = {
  prompt_tokens: 30,
  completion_tokens: 20,
  prompt_tokens_details: { audio_tokens: 10 },
  completion_tokens_details: { audio_tokens: 5 },
};
/** Text around a message. */
const AROUND = 4;
const answer = 'Sixty-four tokens are what a tokenizer would never make of this: 一二三四五六七八九十, and so on.';

onEveryDatabase('settings that the next call obeys', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  let key: string;
  const set = (name: string, value: string) => setOptions(hub().root, { [name]: value });
  const threadOf = () => hub().server.deps.tokenizer.running;
  const count = async () => {
    const response = await fetch(`${hub().url}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'silent', messages: [{ role: 'user', content: answer }] }),
    });
    return (await response.json()) as { input_tokens: number };
  };

  beforeAll(async () => {
    ({ key } = await addToken(hub()));
    const model_mapping = JSON.stringify({
      'heard-audio': `+sim:${JSON.stringify({ usage: heard })}`,
      silent: `+sim:${JSON.stringify({ usage: 'none', text: answer })}`,
    });
    await addChannel(hub(), upstream().url, { models: 'heard-audio,silent', model_mapping });
    for (const model of ['heard-audio', 'silent'])
      await hub().root.call(priceApi.create, {
        body: { model, type: 'tokens', channel_type: 1, input: 2, output: 4 },
      });
  });
  beforeEach(async () => {
    await setOptions(hub().root, { AudioTokenJson: '{}', ApproximateTokenEnabled: 'false' });
  });

  test('AudioTokenJson: what sound costs, in the charge, its row and the public prices', async () => {
    await chat(hub(), key, 'heard-audio');
    expect(await lastLog(hub())).toMatchObject({ quota: (20 + 10) * 2 + (15 + 5) * 4 });
    const ratios = { input_audio_tokens_ratio: 40, output_audio_tokens_ratio: 20 };
    await set('AudioTokenJson', JSON.stringify({ 'heard-audio': ratios }));
    await chat(hub(), key, 'heard-audio');
    expect(await lastLog(hub())).toMatchObject({
      quota: (20 + 10 * 40) * 2 + (15 + 5 * 20) * 4,
      metadata: ratios,
    });
    const available = await new ApiClient(hub().url).call(priceApi.available);
    expect(available['heard-audio']?.price?.extra_ratios).toEqual(ratios);
    await expectBooksBalance(hub().server.deps.db);
  });

  test('ApproximateTokenEnabled: what an upstream did not tell is estimated by its length, without a thread', async () => {
    await set('ApproximateTokenEnabled', 'true');
    expect(threadOf()).toBe(false);
    await chat(hub(), key, 'silent');
    expect(await lastLog(hub())).toMatchObject({
      completion_tokens: estimateTokens(answer),
      metadata: { usage_source: 'estimate' },
    });
    expect((await count()).input_tokens).toBe(estimateTokens(answer) + AROUND);
    expect(threadOf()).toBe(false);
    await set('ApproximateTokenEnabled', 'false');
    await count();
    expect(threadOf()).toBe(true);
  });
});

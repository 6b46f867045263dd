import { noUsage } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { geminiLive } from '#usage/gemini-live.ts';
import { factsOf } from '#usage/model-facts.ts';
import { openAiResponses } from '#usage/open-ai-responses.ts';
import { LiveUsage } from './live-usage.ts';
import { RealtimeUsage } from './realtime-usage.ts';

const event = (type: string, more: object = {}) => Buffer.from(JSON.stringify({ type, event_id: 'event_1', ...more }));
const done = (usage: unknown) => event('response.done', { response: { id: 'resp_1', usage } });

/** The usage of a session in which the caller has sent some messages. */
function usageOf(model = '', messages = 3): RealtimeUsage {
  const usage = new RealtimeUsage(openAiResponses, factsOf(model));
  for (let i = 0; i < messages; i++) usage.sent(event('response.create'), false);
  return usage;
}

test('responses are summed up, each kind for itself', () => {
  const usage = usageOf();
  const told = {
    input_tokens: 100,
    output_tokens: 30,
    input_token_details: { cached_tokens: 64, cached_tokens_details: { audio_tokens: 32 }, audio_tokens: 40 },
    output_token_details: { audio_tokens: 20 },
  };
  expect([usage.read(done(told)), usage.read(done(told))]).toEqual([true, true]);
  expect(usage.reported).toEqual({
    ...noUsage,
    cached: 64,
    cachedAudio: 64,
    inputAudio: 16,
    input: 56,
    outputAudio: 40,
    output: 20,
    units: 2,
  });
  expect(usage.isEstimated).toBe(false);
});

test('a response without reported usage is estimated', () => {
  const usage = usageOf();
  usage.read(event('response.output_text.delta', { delta: 'x'.repeat(400) }));
  usage.read(event('response.output_audio.delta', { delta: 'A'.repeat(32_000) }));
  expect(usage.isUnderWay).toBe(true);
  expect(usage.total.outputAudio).toBeGreaterThan(9);
  usage.read(done({ input_tokens: 1, output_tokens: 1 }));
  expect([usage.isUnderWay, usage.isEstimated, usage.reported.output]).toEqual([false, false, 1]);
  usage.read(event('response.text.delta', { delta: 'x'.repeat(400) }));
  usage.read(done(null));
  expect([usage.isUnderWay, usage.isEstimated, usage.reported.units]).toEqual([false, true, 2]);
  usage.end();
  expect(usage.reported.units).toBe(2);
});

test('what only speaks of an end is none', () => {
  const usage = usageOf();
  expect(usage.read(event('session.updated', { names: ['response.done'] }))).toBe(false);
  expect(usage.read(Buffer.from('"response.done" {'))).toBe(false);
  expect(usage.reported).toEqual(noUsage);
});

test('more than the model can read and write is cut to that', () => {
  const usage = usageOf('gpt-4o-realtime-preview-2024-12-17');
  usage.sent(event('conversation.item.create', { item: { content: [{ text: 'x'.repeat(200_000) }] } }), false);
  usage.read(done({ input_tokens: 100_000, output_tokens: 4000 }));
  expect([usage.reported.input, usage.reported.output, usage.doubt]).toEqual([100_000, 4000, undefined]);
  usage.read(done({ input_tokens: 1_000_000_000, output_tokens: 1_000_000_000 }));
  expect([usage.reported.input, usage.reported.output]).toEqual([228_000, 20_384]);
  expect(usage.doubt).toMatchObject({
    mark: 'implausible',
    findings: [{ bound: 'context_window' }, { bound: 'model_output' }],
  });
});

test('more than the session has had to read is cut to that, unless the model reads elsewhere', () => {
  const lie = done({ input_tokens: 128_000, output_tokens: 9 });
  const usage = usageOf('gpt-realtime');
  usage.sent(event('input_audio_buffer.append', { audio: 'A'.repeat(640_000) }), true);
  usage.read(lie);
  // The allowance for hidden prompts is 32,768.
  expect(usage.reported.input).toBeGreaterThan(32_768 + 600);
  expect(usage.reported.input).toBeLessThan(32_768 + 2000);
  expect(usage.doubt).toMatchObject({ mark: 'implausible', findings: [{ bound: 'sent' }] });

  const withTools = usageOf('gpt-realtime');
  withTools.sent(event('session.update', { session: { tools: [{ type: 'mcp', server_url: 'https://x' }] } }), false);
  withTools.read(lie);
  expect([withTools.reported.input, withTools.doubt]).toEqual([128_000, undefined]);
});

test('an unknown model is bound by what any model can do, and responses by what the caller sent', () => {
  const usage = usageOf('somebodys-voice', 1);
  usage.read(done({ input_tokens: 5, output_tokens: 1_000_000_000 }));
  expect(usage.reported.output).toBe(65_536);
  usage.read(done({ input_tokens: 5, output_tokens: 1000 }));
  expect([usage.reported.input, usage.reported.output]).toEqual([5, 65_536]);
});

test('turns of a live session are bound by what the caller sent; more of them count for what came', () => {
  const usage = new LiveUsage(geminiLive);
  usage.sent(Buffer.from('{"setup":{}}'), false);
  const turn = {
    serverContent: { modelTurn: { parts: [{ text: 'a' }] }, turnComplete: true },
    usageMetadata: { promptTokenCount: 10, responseTokenCount: 50, totalTokenCount: 60 },
  };
  for (let n = 0; n < 3; n++) usage.read(Buffer.from(JSON.stringify(turn)));
  usage.end();
  expect([usage.reported.input, usage.reported.units, usage.isEstimated]).toEqual([10, 3, true]);
});

test('no output for a text that came is no report', () => {
  const usage = usageOf();
  usage.read(event('response.output_text.delta', { delta: 'x'.repeat(4000) }));
  usage.read(done({ input_tokens: 7, output_tokens: 0 }));
  expect(usage.reported.input).toBe(7);
  expect(usage.reported.output).toBeGreaterThan(900);
  expect([usage.isEstimated, usage.reported.units]).toEqual([true, 1]);
});

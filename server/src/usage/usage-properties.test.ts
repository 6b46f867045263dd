import {
  completionTokens,
  creditsFor,
  explainCharge,
  extraKinds,
  extraRatiosOf,
  promptTokens,
  ratesOf,
  usageOf,
  usageRow,
  type PriceTerms,
} from '@relay-hub/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAll } from '#testing/dialects/golden-usage.ts';
import { aliDashScope } from './ali-dash-scope.ts';
import { anthropicMessages } from './anthropic-messages.ts';
import { bedrockConverse } from './bedrock-converse.ts';
import { cohere } from './cohere.ts';
import { gemini } from './gemini.ts';
import { openAiChat, xAiChat } from './open-ai-chat.ts';
import { openAiImages, openAiSpeech, openAiTranscription } from './open-ai-media.ts';
import { openAiResponses } from './open-ai-responses.ts';
import * as plain from './plain-counters.ts';
import type { UsageFormat } from './usage-format.ts';

const formats: [string, UsageFormat][] = Object.entries({
  aliDashScope,
  anthropicMessages,
  bedrockConverse,
  cohere,
  gemini,
  openAiChat,
  openAiImages,
  openAiResponses,
  openAiSpeech,
  openAiTranscription,
  xAiChat,
  ...plain,
});

const hostile = fc.oneof(
  { arbitrary: fc.nat(5000), weight: 6 },
  fc.double(),
  fc.integer(),
  fc.constantFrom(null, undefined, '7', true, Number.NaN, -0, 1_000_000_000, 1_000_000_001, 2 ** 60, -1e300, [], {}),
);

const named = (names: string) => names.split(/\s+/);

const details = fc.dictionary(
  fc.constantFrom(
    ...named(`cached_tokens audio_tokens image_tokens text_tokens reasoning_tokens cache_write_tokens
        cache_creation_input_tokens ephemeral_5m_input_tokens ephemeral_1h_input_tokens inputTokens ttl
        input_tokens output_tokens search_units classifications tokenCount`),
  ),
  hostile,
);
const modalities = fc.array(
  fc.record({ modality: fc.constantFrom('TEXT', 'AUDIO', 'IMAGE', 7), tokenCount: hostile }),
  { maxLength: 3 },
);
const part = fc.oneof(details, modalities, hostile);

/** Any counter of any format, with details of every kind. */
const usage = fc
  .tuple(
    fc.dictionary(
      fc.constantFrom(
        ...named(`prompt_tokens completion_tokens total_tokens input_tokens output_tokens cached_tokens
        prompt_cache_hit_tokens cache_read_input_tokens cache_creation_input_tokens audio_tokens
        promptTokenCount candidatesTokenCount thoughtsTokenCount toolUsePromptTokenCount
        cachedContentTokenCount totalTokenCount inputTokens outputTokens cacheReadInputTokens
        cacheWriteInputTokens image_tokens image_count prompt_eval_count eval_count seconds
        PromptTokens CompletionTokens input_count output_count usage_characters images
        input_token_count output_token_count prompt_audio_seconds inputTextTokenCount`),
      ),
      hostile,
      { minKeys: 2, maxKeys: 30 },
    ),
    fc.dictionary(
      fc.constantFrom(
        ...named(`prompt_tokens_details completion_tokens_details input_tokens_details output_tokens_details
        input_token_details cache_creation promptTokensDetails promptTokenDetails candidatesTokensDetails billed_units
        cacheTokensDetails cacheDetails tokens cached_tokens_details type`),
      ),
      part,
    ),
  )
  .map(([counters, parts]) => ({ ...counters, ...parts }));

const ratio = fc.double({ min: 0, max: 100, noNaN: true }).map((value) => Number(value.toPrecision(6)));
const price: fc.Arbitrary<PriceTerms> = fc.record({
  type: fc.constantFrom('tokens' as const, 'times' as const),
  input: ratio,
  output: ratio,
  extra_ratios: fc.record(Object.fromEntries(extraKinds.map(({ key }) => [key, ratio])), { requiredKeys: [] }),
});

describe.each(formats)('%s', (_, format) => {
  test('reads any report or nothing: no counter is negative or fractional', () => {
    fc.assert(
      fc.property(fc.array(usage, { minLength: 1, maxLength: 3 }), (told) => {
        const merged = told.reduce<unknown>((before, now) => format.merge(before, now), undefined);
        const read = format.read(merged);
        for (const count of Object.values(read ?? {}))
          expect(Number.isSafeInteger(count) && count >= 0 && !Object.is(count, -0)).toBe(true);
      }),
    );
  });

  test('throws at no message', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.anything(), fc.jsonValue(), usage)), (messages) => {
        readAll(format, messages);
        for (const message of messages) format.read(message);
      }),
    );
  });

  test('what was read is charged as its row explains it, and never below zero', () => {
    fc.assert(
      fc.property(usage, price, ratio, (told, terms, group) => {
        const read = format.read(told);
        fc.pre(read !== undefined);
        const credits = creditsFor(ratesOf(terms, group), read);
        expect(credits).toBeGreaterThanOrEqual(0);
        const row = JSON.parse(JSON.stringify(usageRow(read, terms.extra_ratios))) as ReturnType<typeof usageRow>;
        const again = explainCharge({ ...terms, extra_ratios: extraRatiosOf(row) }, group, usageOf(row));
        expect(again.credits).toBe(credits);
      }),
    );
  });
});

test('OpenAI’s parts are the whole, whatever the parts say', () => {
  fc.assert(
    fc.property(usage, fc.nat(5000), fc.nat(5000), (told, prompt, completion) => {
      const raw = { ...told, prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
      const read = openAiChat.read(raw);
      expect(read && promptTokens(read) + read.cacheWrite + read.cacheWrite1h).toBe(prompt);
      expect(read && completionTokens(read)).toBe(completion);
    }),
  );
});

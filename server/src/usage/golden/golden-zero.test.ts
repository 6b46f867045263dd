import { explainCharge, noUsage, type Usage } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { estimateTokens } from '#quota/estimate.ts';
import { readAll, tokens } from '#testing/dialects/golden-usage.ts';
import { anthropicMessages } from '#usage/anthropic-messages.ts';
import { bedrockConverse } from '#usage/bedrock-converse.ts';
import { gemini } from '#usage/gemini.ts';
import { openAiChat } from '#usage/open-ai-chat.ts';
import { openAiResponses } from '#usage/open-ai-responses.ts';
import { ollama } from '#usage/plain-counters.ts';
import type { UsageFormat } from '#usage/usage-format.ts';
import { lacksOutputTokens, withEstimatedOutput } from '#usage/zero-output.ts';

/** 39 letters: about 10 tokens. The prompt is estimated at 7. */
const text = 'x'.repeat(39);
const PROMPT = 7;
const price = tokens(2, 5, { cached_read_ratio: 0.1, cached_tokens_ratio: 0.5 });

type Row = [what: string, format: UsageFormat, message: unknown, said: string, parts: string[], credits: number];

const rows: Row[] = [
  [
    'zeros beside a text: prompt and output are estimated',
    openAiChat,
    { usage: { prompt_tokens: 0, completion_tokens: 0 } },
    text,
    ['input 7 × 2 = 14', 'output 10 × 5 = 50'],
    64,
  ],
  [
    'a prompt that was reported stays, with its cached part',
    openAiChat,
    { usage: { prompt_tokens: 100, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 40 } } },
    text,
    ['input 60 × 2 = 120', 'cached 40 × 1 = 40', 'output 10 × 5 = 50'],
    210,
  ],
  [
    'no counter of the output at all',
    openAiChat,
    { usage: { prompt_tokens: 100 } },
    text,
    ['input 100 × 2 = 200', 'output 10 × 5 = 50'],
    250,
  ],
  [
    'reasoning alone is an output',
    openAiChat,
    { usage: { prompt_tokens: 1, completion_tokens: 3, completion_tokens_details: { reasoning_tokens: 3 } } },
    text,
    ['input 1 × 2 = 2', 'reasoning 3 × 5 = 15'],
    17,
  ],
  ['zeros where nothing came', openAiChat, { usage: { prompt_tokens: 0, completion_tokens: 0 } }, '', [], 1],
  [
    'a prompt to which nothing came',
    openAiChat,
    { usage: { prompt_tokens: 4, completion_tokens: 0 } },
    '',
    ['input 4 × 2 = 8'],
    8,
  ],
  [
    'Responses',
    openAiResponses,
    { usage: { input_tokens: 3, output_tokens: 0 } },
    text,
    ['input 3 × 2 = 6', 'output 10 × 5 = 50'],
    56,
  ],
  [
    'Messages, with a prompt that was read from a cache alone',
    anthropicMessages,
    { usage: { input_tokens: 0, cache_read_input_tokens: 100, output_tokens: 0 } },
    text,
    ['cacheRead 100 × 0.2 = 20', 'output 10 × 5 = 50'],
    70,
  ],
  [
    'the start of a message, before a stream broke off',
    anthropicMessages,
    { message: { usage: { input_tokens: 3, output_tokens: 1 } } },
    text,
    ['input 3 × 2 = 6', 'output 10 × 5 = 50'],
    56,
  ],
  [
    'Gemini’s early events, which count the prompt alone',
    gemini,
    { usageMetadata: { promptTokenCount: 3 } },
    text,
    ['input 3 × 2 = 6', 'output 10 × 5 = 50'],
    56,
  ],
  [
    'Converse',
    bedrockConverse,
    { usage: { inputTokens: 3, outputTokens: 0 } },
    text,
    ['input 3 × 2 = 6', 'output 10 × 5 = 50'],
    56,
  ],
  [
    'Ollama, which leaves a zero out',
    ollama,
    { prompt_eval_count: 3 },
    text,
    ['input 3 × 2 = 6', 'output 10 × 5 = 50'],
    56,
  ],
];

test.each(rows)('zero output: %s', (_, format, message, said, parts, credits) => {
  const told: Usage = readAll(format, [message]) ?? noUsage;
  const output = estimateTokens(said);
  const usage = lacksOutputTokens(told, output) ? withEstimatedOutput(told, PROMPT, output) : told;
  const explained = explainCharge(price, 1, usage);
  expect(explained.parts.map((part) => `${part.kind} ${part.count} × ${part.ratio} = ${part.credits}`)).toEqual(parts);
  expect(explained.credits).toBe(credits);
});

import { goldenTable, tokens } from '#testing/dialects/golden-usage.ts';
import { openAiChat, xAiChat } from '#usage/open-ai-chat.ts';

const deepseek = tokens(0.14, 0.21, { cached_tokens_ratio: 0.1 });
const kimi = tokens(0.3, 1.25, { cached_tokens_ratio: 0.25 });
const glm = tokens(0.3, 1.1, { cached_tokens_ratio: 0.2 });
const grok = tokens(1.5, 7.5, { cached_tokens_ratio: 0.25 });
const mistral = tokens(0.2, 0.6);
const voxtral = tokens(0.05, 0.05, { audio_seconds_ratio: 667 });
const llama = tokens(0.025, 0.04);
const qwen = tokens(0.6, 3, { cached_tokens_ratio: 0.1 });
const sonnet = tokens(1.5, 7.5, { cached_tokens_ratio: 0.1 });

const reply = (usage: unknown) => [{ choices: [{ message: { content: 'hi' } }], usage }];

goldenTable('DeepSeek', openAiChat, [
  [
    'hits and misses beside the details of others',
    reply({ prompt_tokens: 100, completion_tokens: 100, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 }),
    deepseek,
    1,
    ['input 36 × 0.14 × 1 = 5.04', 'cached 64 × 0.014 × 1 = 0.896', 'output 100 × 0.21 × 1 = 21'],
    '26.936',
    27,
  ],
  [
    'both ways to tell hits are one',
    reply({
      prompt_tokens: 100,
      completion_tokens: 10,
      prompt_cache_hit_tokens: 64,
      prompt_tokens_details: { cached_tokens: 64 },
    }),
    deepseek,
    1,
    ['input 36 × 0.14 × 1 = 5.04', 'cached 64 × 0.014 × 1 = 0.896', 'output 10 × 0.21 × 1 = 2.1'],
    '8.036',
    9,
  ],
  [
    'no hits',
    reply({ prompt_tokens: 100, completion_tokens: 0, prompt_cache_hit_tokens: 0, prompt_cache_miss_tokens: 100 }),
    deepseek,
    1,
    ['input 100 × 0.14 × 1 = 14'],
    '14',
    14,
  ],
  [
    'reasoning',
    reply({ prompt_tokens: 20, completion_tokens: 300, completion_tokens_details: { reasoning_tokens: 280 } }),
    deepseek,
    0.5,
    ['input 20 × 0.14 × 0.5 = 1.4', 'output 20 × 0.21 × 0.5 = 2.1', 'reasoning 280 × 0.21 × 0.5 = 29.4'],
    '32.9',
    33,
  ],
]);

goldenTable('Moonshot', openAiChat, [
  [
    'usage in the last choice of a stream',
    [
      { choices: [{ delta: { content: 'hi' } }] },
      { choices: [{ finish_reason: 'stop', usage: { prompt_tokens: 40, completion_tokens: 8, cached_tokens: 20 } }] },
    ],
    kimi,
    1,
    ['input 20 × 0.3 × 1 = 6', 'cached 20 × 0.075 × 1 = 1.5', 'output 8 × 1.25 × 1 = 10'],
    '17.5',
    18,
  ],
  [
    'cached tokens at the top',
    reply({ prompt_tokens: 1000, completion_tokens: 0, cached_tokens: 1000 }),
    kimi,
    1.2,
    ['cached 1000 × 0.075 × 1.2 = 90'],
    '90',
    90,
  ],
]);

goldenTable('Zhipu', openAiChat, [
  [
    'cached tokens as OpenAI tells them',
    reply({ prompt_tokens: 500, completion_tokens: 50, prompt_tokens_details: { cached_tokens: 400 } }),
    glm,
    1,
    ['input 100 × 0.3 × 1 = 30', 'cached 400 × 0.06 × 1 = 24', 'output 50 × 1.1 × 1 = 55'],
    '109',
    109,
  ],
]);

goldenTable('Mistral', openAiChat, [
  [
    'two counters',
    reply({ prompt_tokens: 33, completion_tokens: 17, total_tokens: 50 }),
    mistral,
    1,
    ['input 33 × 0.2 × 1 = 6.6', 'output 17 × 0.6 × 1 = 10.2'],
    '16.8',
    17,
  ],
  [
    'sound in seconds, beside the prompt',
    reply({ prompt_audio_seconds: 203, prompt_tokens: 4, completion_tokens: 100, total_tokens: 2729 }),
    voxtral,
    1,
    ['input 4 × 0.05 × 1 = 0.2', 'audioSeconds 203 × 33.35 × 1 = 6770.05', 'output 100 × 0.05 × 1 = 5'],
    '6775.25',
    6776,
  ],
]);

goldenTable('Groq', openAiChat, [
  [
    'usage in a member of its own, in the last event of a stream',
    [
      { choices: [{ delta: { content: 'hi' } }], x_groq: { id: 'req_1' } },
      {
        choices: [{ delta: {} }],
        x_groq: { id: 'req_1', usage: { queue_time: 0.01, prompt_tokens: 200, completion_tokens: 50 } },
      },
    ],
    llama,
    1,
    ['input 200 × 0.025 × 1 = 5', 'output 50 × 0.04 × 1 = 2'],
    '7',
    7,
  ],
]);

goldenTable('OpenRouter', openAiChat, [
  [
    'cache reads and writes, both inside of the prompt, and a cost that is not read',
    reply({
      prompt_tokens: 194,
      completion_tokens: 2,
      total_tokens: 196,
      cost: 0.95,
      cost_details: { upstream_inference_cost: 19 },
      prompt_tokens_details: { cached_tokens: 44, cache_write_tokens: 100, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    }),
    sonnet,
    1,
    [
      'input 50 × 1.5 × 1 = 75',
      'cached 44 × 0.15 × 1 = 6.6',
      'cacheWrite 100 × 1.875 × 1 = 187.5',
      'output 2 × 7.5 × 1 = 15',
    ],
    '284.1',
    285,
  ],
]);

goldenTable('Alibaba, compatible mode', openAiChat, [
  [
    'a cache mark that wrote',
    reply({
      prompt_tokens: 1610,
      completion_tokens: 10,
      prompt_tokens_details: {
        cache_creation: { ephemeral_5m_input_tokens: 1600 },
        cache_creation_input_tokens: 1600,
        cache_type: 'ephemeral',
        cached_tokens: 0,
      },
    }),
    qwen,
    1,
    ['input 10 × 0.6 × 1 = 6', 'cacheWrite 1600 × 0.75 × 1 = 1200', 'output 10 × 3 × 1 = 30'],
    '1236',
    1236,
  ],
  [
    'for an hour',
    reply({
      prompt_tokens: 100,
      completion_tokens: 0,
      prompt_tokens_details: {
        cache_creation_input_tokens: 90,
        cache_creation: { ephemeral_5m_input_tokens: 50, ephemeral_1h_input_tokens: 40 },
      },
    }),
    qwen,
    1,
    ['input 10 × 0.6 × 1 = 6', 'cacheWrite 50 × 0.75 × 1 = 37.5', 'cacheWrite1h 40 × 1.2 × 1 = 48'],
    '91.5',
    92,
  ],
  [
    'more written than is left of the prompt',
    reply({ prompt_tokens: 100, prompt_tokens_details: { cached_tokens: 80, cache_creation_input_tokens: 50 } }),
    qwen,
    1,
    ['cached 80 × 0.06 × 1 = 4.8', 'cacheWrite 20 × 0.75 × 1 = 15'],
    '19.8',
    20,
  ],
]);

goldenTable('xAI', xAiChat, [
  [
    'reasoning beside the completion: 10120 + 1499 + 2809 = 14428',
    reply({
      prompt_tokens: 10_120,
      completion_tokens: 1499,
      total_tokens: 14_428,
      prompt_tokens_details: { cached_tokens: 128 },
      completion_tokens_details: { reasoning_tokens: 2809 },
    }),
    grok,
    1,
    [
      'input 9992 × 1.5 × 1 = 14988',
      'cached 128 × 0.375 × 1 = 48',
      'output 1499 × 7.5 × 1 = 11242.5',
      'reasoning 2809 × 7.5 × 1 = 21067.5',
    ],
    '47346',
    47_346,
  ],
  [
    'beside also without a total, and larger than the completion',
    reply({ prompt_tokens: 12, completion_tokens: 1, completion_tokens_details: { reasoning_tokens: 386 } }),
    grok,
    1,
    ['input 12 × 1.5 × 1 = 18', 'output 1 × 7.5 × 1 = 7.5', 'reasoning 386 × 7.5 × 1 = 2895'],
    '2920.5',
    2921,
  ],
  [
    'inside where the total says so',
    reply({
      prompt_tokens: 12,
      completion_tokens: 400,
      total_tokens: 412,
      completion_tokens_details: { reasoning_tokens: 386 },
    }),
    grok,
    1,
    ['input 12 × 1.5 × 1 = 18', 'output 14 × 7.5 × 1 = 105', 'reasoning 386 × 7.5 × 1 = 2895'],
    '3018',
    3018,
  ],
  [
    'a negative reasoning is none',
    reply({ prompt_tokens: 12, completion_tokens: 4, completion_tokens_details: { reasoning_tokens: -386 } }),
    grok,
    1,
    ['input 12 × 1.5 × 1 = 18', 'output 4 × 7.5 × 1 = 30'],
    '48',
    48,
  ],
]);

goldenTable('another that speaks OpenAI’s dialect', openAiChat, [
  [
    'reasoning beside the completion where the total says so: 20 + 7 + 3 = 30',
    reply({
      prompt_tokens: 20,
      completion_tokens: 7,
      total_tokens: 30,
      completion_tokens_details: { reasoning_tokens: 3 },
    }),
    mistral,
    1,
    ['input 20 × 0.2 × 1 = 4', 'output 7 × 0.6 × 1 = 4.2', 'reasoning 3 × 0.6 × 1 = 1.8'],
    '10',
    10,
  ],
]);

import { goldenTable, tokens } from '#testing/dialects/golden-usage.ts';
import { openAiChat } from '#usage/open-ai-chat.ts';

const gpt4o = tokens(1.25, 5, { cached_tokens_ratio: 0.5 });
const audio = tokens(1.25, 5, { input_audio_tokens_ratio: 16, output_audio_tokens_ratio: 8 });
const thinking = tokens(0.2, 0.6, { reasoning_tokens_ratio: 2.5 });

const reply = (usage: unknown) => [{ id: 'chatcmpl-1', choices: [{ message: { content: 'hi' } }], usage }];

goldenTable('absent or not to be believed', openAiChat, [
  ['no usage', [{ choices: [] }], gpt4o, 1, 'absent'],
  ['null', reply(null), gpt4o, 1, 'absent'],
  ['empty', reply({}), gpt4o, 1, 'absent'],
  ['a list', reply([1, 2]), gpt4o, 1, 'absent'],
  ['a text', reply('10 tokens'), gpt4o, 1, 'absent'],
  ['a total only', reply({ total_tokens: 15 }), gpt4o, 1, 'absent'],
  ['no prompt', reply({ completion_tokens: 5 }), gpt4o, 1, 'absent'],
  [
    'a negative prompt does not refill a balance',
    reply({ prompt_tokens: -1_000_000, completion_tokens: 5 }),
    gpt4o,
    1,
    'absent',
  ],
  ['a negative completion', reply({ prompt_tokens: 10, completion_tokens: -5 }), gpt4o, 1, 'absent'],
  ['a fraction', reply({ prompt_tokens: 10.5, completion_tokens: 5 }), gpt4o, 1, 'absent'],
  ['texts for numbers', reply({ prompt_tokens: '10', completion_tokens: '5' }), gpt4o, 1, 'absent'],
  ['NaN', reply({ prompt_tokens: Number.NaN, completion_tokens: 5 }), gpt4o, 1, 'absent'],
  ['beyond 2^53', reply({ prompt_tokens: 2 ** 60, completion_tokens: 5 }), gpt4o, 1, 'absent'],
  ['more than any call can have', reply({ prompt_tokens: 10, completion_tokens: 1_000_000_001 }), gpt4o, 1, 'absent'],
]);

goldenTable('contradictions', openAiChat, [
  [
    'the most that is believed',
    reply({ prompt_tokens: 1_000_000_000, completion_tokens: 1_000_000_000 }),
    gpt4o,
    1,
    ['input 1000000000 × 1.25 × 1 = 1250000000', 'output 1000000000 × 5 × 1 = 5000000000'],
    '6250000000',
    6_250_000_000,
  ],
  [
    'more cached than prompt is cut to the prompt',
    reply({ prompt_tokens: 10, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 99 } }),
    gpt4o,
    1,
    ['cached 10 × 0.625 × 1 = 6.25'],
    '6.25',
    7,
  ],
  [
    'parts that overlap are not charged twice',
    reply({ prompt_tokens: 10, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 8, audio_tokens: 8 } }),
    audio,
    1,
    ['cached 8 × 0.625 × 1 = 5', 'inputAudio 2 × 20 × 1 = 40'],
    '45',
    45,
  ],
  [
    'more reasoning than completion is cut to the completion',
    reply({ prompt_tokens: 0, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 50 } }),
    thinking,
    1,
    ['reasoning 5 × 1.5 × 1 = 7.5'],
    '7.5',
    8,
  ],
  [
    'a negative part is none',
    reply({ prompt_tokens: 10, completion_tokens: 0, prompt_tokens_details: { cached_tokens: -4, audio_tokens: -1 } }),
    audio,
    1,
    ['input 10 × 1.25 × 1 = 12.5'],
    '12.5',
    13,
  ],
  [
    'a huge or fractional part is none',
    reply({
      prompt_tokens: 10,
      completion_tokens: 0,
      prompt_tokens_details: { cached_tokens: 1e300, audio_tokens: 1.5 },
    }),
    audio,
    1,
    ['input 10 × 1.25 × 1 = 12.5'],
    '12.5',
    13,
  ],
  [
    'a total that fits nothing is not read',
    reply({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 9999 }),
    gpt4o,
    1,
    ['input 10 × 1.25 × 1 = 12.5', 'output 5 × 5 × 1 = 25'],
    '37.5',
    38,
  ],
]);

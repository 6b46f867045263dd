import { goldenTable, tokens } from '#testing/dialects/golden-usage.ts';
import { anthropicMessages } from '#usage/anthropic-messages.ts';
import { bedrockConverse } from '#usage/bedrock-converse.ts';

const sonnet = tokens(1.5, 7.5);
const haiku = tokens(0.5, 2.5, { cached_read_ratio: 0.08, cached_write_ratio: 1.5, cached_write_1h_ratio: 2.4 });

const reply = (usage: unknown) => [{ type: 'message', content: [{ type: 'text', text: 'hi' }], usage }];
const stream = (start: unknown, ...deltas: unknown[]) => [
  { type: 'message_start', message: { usage: start } },
  { type: 'content_block_delta', delta: { type: 'text_delta', text: 'hi' } },
  ...deltas.map((usage) => ({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage })),
  { type: 'message_stop' },
];

goldenTable('Anthropic', anthropicMessages, [
  [
    'text',
    reply({ input_tokens: 1000, output_tokens: 500 }),
    sonnet,
    1,
    ['input 1000 × 1.5 × 1 = 1500', 'output 500 × 7.5 × 1 = 3750'],
    '5250',
    5250,
  ],
  [
    'cache counters lie beside the input',
    reply({
      input_tokens: 3412,
      cache_read_input_tokens: 18_944,
      cache_creation_input_tokens: 2048,
      output_tokens: 1286,
    }),
    sonnet,
    0.8,
    [
      'input 3412 × 1.5 × 0.8 = 4094.4',
      'cacheRead 18944 × 0.15 × 0.8 = 2273.28',
      'cacheWrite 2048 × 1.875 × 0.8 = 3072',
      'output 1286 × 7.5 × 0.8 = 7716',
    ],
    '17155.68',
    17_156,
  ],
  [
    'the whole prompt read from the cache: input is zero, not absent',
    reply({ input_tokens: 0, cache_read_input_tokens: 1000, cache_creation_input_tokens: 0, output_tokens: 10 }),
    sonnet,
    1,
    ['cacheRead 1000 × 0.15 × 1 = 150', 'output 10 × 7.5 × 1 = 75'],
    '225',
    225,
  ],
  [
    'written for five minutes and for an hour',
    reply({
      input_tokens: 4,
      cache_creation_input_tokens: 300,
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
      output_tokens: 2,
    }),
    sonnet,
    1,
    [
      'input 4 × 1.5 × 1 = 6',
      'cacheWrite 100 × 1.875 × 1 = 187.5',
      'cacheWrite1h 200 × 3 × 1 = 600',
      'output 2 × 7.5 × 1 = 15',
    ],
    '808.5',
    809,
  ],
  [
    'the same at ratios of its own',
    reply({
      input_tokens: 4,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 20,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 10 },
      output_tokens: 20,
    }),
    haiku,
    1.5,
    [
      'input 4 × 0.5 × 1.5 = 3',
      'cacheRead 100 × 0.04 × 1.5 = 6',
      'cacheWrite 10 × 0.75 × 1.5 = 11.25',
      'cacheWrite1h 10 × 1.2 × 1.5 = 18',
      'output 20 × 2.5 × 1.5 = 75',
    ],
    '113.25',
    114,
  ],
  [
    'only the older field: five minutes',
    reply({ input_tokens: 0, cache_creation_input_tokens: 40, output_tokens: 0 }),
    sonnet,
    1,
    ['cacheWrite 40 × 1.875 × 1 = 75'],
    '75',
    75,
  ],
  [
    'only the newer field: its sum',
    reply({ input_tokens: 0, cache_creation: { ephemeral_5m_input_tokens: 40, ephemeral_1h_input_tokens: 10 } }),
    sonnet,
    1,
    ['cacheWrite 40 × 1.875 × 1 = 75', 'cacheWrite1h 10 × 3 × 1 = 30'],
    '105',
    105,
  ],
  [
    'more for an hour than was written at all is cut',
    reply({ input_tokens: 0, cache_creation_input_tokens: 40, cache_creation: { ephemeral_1h_input_tokens: 900 } }),
    sonnet,
    1,
    ['cacheWrite1h 40 × 3 × 1 = 120'],
    '120',
    120,
  ],
  [
    'more read from the cache than input is no contradiction here',
    reply({ input_tokens: 1, cache_read_input_tokens: 1_000_000, output_tokens: 0 }),
    sonnet,
    1,
    ['input 1 × 1.5 × 1 = 1.5', 'cacheRead 1000000 × 0.15 × 1 = 150000'],
    '150001.5',
    150_002,
  ],
  [
    'a stream: the start, then cumulative output',
    stream(
      { input_tokens: 25, cache_read_input_tokens: 100, output_tokens: 1 },
      { output_tokens: 12 },
      { output_tokens: 40 },
    ),
    sonnet,
    1,
    ['input 25 × 1.5 × 1 = 37.5', 'cacheRead 100 × 0.15 × 1 = 15', 'output 40 × 7.5 × 1 = 300'],
    '352.5',
    353,
  ],
  [
    'a stream that repeats its cache counters at the end is not charged twice for them',
    stream(
      { input_tokens: 25, cache_read_input_tokens: 100, cache_creation_input_tokens: 8, output_tokens: 1 },
      { input_tokens: 25, cache_read_input_tokens: 100, cache_creation_input_tokens: 8, output_tokens: 4 },
    ),
    sonnet,
    1,
    [
      'input 25 × 1.5 × 1 = 37.5',
      'cacheRead 100 × 0.15 × 1 = 15',
      'cacheWrite 8 × 1.875 × 1 = 15',
      'output 4 × 7.5 × 1 = 30',
    ],
    '97.5',
    98,
  ],
  [
    'null at the end leaves what the start told',
    stream(
      { input_tokens: 10, cache_read_input_tokens: 20, output_tokens: 1 },
      { input_tokens: null, output_tokens: 2 },
    ),
    sonnet,
    1,
    ['input 10 × 1.5 × 1 = 15', 'cacheRead 20 × 0.15 × 1 = 3', 'output 2 × 7.5 × 1 = 15'],
    '33',
    33,
  ],
  ['zero', reply({ input_tokens: 0, output_tokens: 0 }), sonnet, 1, [], '0', 1],
  ['no usage', stream(undefined), sonnet, 1, 'absent'],
  ['no input', reply({ output_tokens: 5 }), sonnet, 1, 'absent'],
  ['a negative cache counter', reply({ input_tokens: 5, cache_read_input_tokens: -100_000 }), sonnet, 1, 'absent'],
  ['a huge cache write', reply({ input_tokens: 5, cache_creation_input_tokens: 1e18 }), sonnet, 1, 'absent'],
  [
    'a stream that turns negative',
    stream({ input_tokens: 5, output_tokens: 1 }, { output_tokens: -7 }),
    sonnet,
    1,
    'absent',
  ],
]);

const converse = (usage: unknown) => [{ output: { message: {} }, stopReason: 'end_turn', usage }];

goldenTable('Bedrock Converse', bedrockConverse, [
  [
    'cache counters lie beside the input',
    converse({
      inputTokens: 100,
      outputTokens: 20,
      totalTokens: 1130,
      cacheReadInputTokens: 1000,
      cacheWriteInputTokens: 10,
    }),
    sonnet,
    1,
    [
      'input 100 × 1.5 × 1 = 150',
      'cacheRead 1000 × 0.15 × 1 = 150',
      'cacheWrite 10 × 1.875 × 1 = 18.75',
      'output 20 × 7.5 × 1 = 150',
    ],
    '468.75',
    469,
  ],
  [
    'the metadata event of a stream, with the life of what was written',
    [
      { contentBlockDelta: { delta: { text: 'hi' } } },
      {
        metadata: {
          usage: {
            inputTokens: 2,
            outputTokens: 4,
            totalTokens: 56,
            cacheWriteInputTokens: 50,
            cacheDetails: [
              { ttl: '1h', inputTokens: 20 },
              { ttl: '5m', inputTokens: 30 },
            ],
          },
        },
      },
    ],
    sonnet,
    1,
    [
      'input 2 × 1.5 × 1 = 3',
      'cacheWrite 30 × 1.875 × 1 = 56.25',
      'cacheWrite1h 20 × 3 × 1 = 60',
      'output 4 × 7.5 × 1 = 30',
    ],
    '149.25',
    150,
  ],
  ['a fraction', converse({ inputTokens: 1.5, outputTokens: 1 }), sonnet, 1, 'absent'],
  ['no input', converse({ totalTokens: 15 }), sonnet, 1, 'absent'],
]);

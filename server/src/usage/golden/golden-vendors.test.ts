import { goldenTable, perCall, tokens } from '#testing/dialects/golden-usage.ts';
import { aliDashScope } from '#usage/ali-dash-scope.ts';
import { cohere } from '#usage/cohere.ts';
import {
  cloudflareRun,
  coze,
  jina,
  miniMaxSpeech,
  ollama,
  replicate,
  tencentHunyuan,
  titanEmbeddings,
  xunfeiSpark,
} from '#usage/plain-counters.ts';

const command = tokens(1.25, 5);
const qwen = tokens(0.2, 0.6, { cached_tokens_ratio: 0.2, input_audio_tokens_ratio: 10 });
const small = tokens(0.1, 0.3);
const rerank = tokens(0.01, 0.01);
const embedding = tokens(0.05, 0.05);
const search = perCall(1);

goldenTable('Cohere', cohere, [
  [
    'what is billed wins over what was counted',
    [
      {
        usage: {
          billed_units: { input_tokens: 40, output_tokens: 10 },
          tokens: { input_tokens: 240, output_tokens: 12 },
        },
      },
    ],
    command,
    1,
    ['input 40 × 1.25 × 1 = 50', 'output 10 × 5 × 1 = 50'],
    '100',
    100,
  ],
  [
    'a trial key is billed nothing: what was counted',
    [
      {
        usage: { billed_units: { input_tokens: 0, output_tokens: 0 }, tokens: { input_tokens: 24, output_tokens: 2 } },
      },
    ],
    command,
    1,
    ['input 24 × 1.25 × 1 = 30', 'output 2 × 5 × 1 = 10'],
    '40',
    40,
  ],
  [
    'the end of a stream',
    [
      { type: 'content-delta', delta: { message: {} } },
      {
        type: 'message-end',
        delta: { finish_reason: 'COMPLETE', usage: { tokens: { input_tokens: 8, output_tokens: 1 } } },
      },
    ],
    command,
    1,
    ['input 8 × 1.25 × 1 = 10', 'output 1 × 5 × 1 = 5'],
    '15',
    15,
  ],
  [
    'rerank by search, at a price by call: three searches',
    [{ results: [], meta: { api_version: { version: '2' }, billed_units: { search_units: 3 } } }],
    search,
    1.5,
    ['call 3 × 1000 × 1.5 = 4500'],
    '4500',
    4500,
  ],
  [
    'rerank by search, at a price by token: a search is a token',
    [{ results: [], meta: { billed_units: { search_units: 3 } } }],
    tokens(1000, 0),
    1,
    ['input 3 × 1000 × 1 = 3000'],
    '3000',
    3000,
  ],
  [
    'embeddings',
    [{ embeddings: {}, meta: { billed_units: { input_tokens: 200 } } }],
    embedding,
    1,
    ['input 200 × 0.05 × 1 = 10'],
    '10',
    10,
  ],
  [
    'SiliconFlow’s rerank, which tells the same',
    [{ results: [], meta: { tokens: { input_tokens: 250, output_tokens: 50 } } }],
    rerank,
    1,
    ['input 250 × 0.01 × 1 = 2.5', 'output 50 × 0.01 × 1 = 0.5'],
    '3',
    3,
  ],
  [
    'zero both ways',
    [{ usage: { billed_units: { input_tokens: 0 }, tokens: { input_tokens: 0 } } }],
    command,
    1,
    [],
    '0',
    1,
  ],
  [
    'billed below zero',
    [{ usage: { billed_units: { input_tokens: -9 }, tokens: { input_tokens: 9 } } }],
    command,
    1,
    'absent',
  ],
  ['a reply that only names its version', [{ meta: { api_version: { version: '2' } } }], search, 1, 'absent'],
]);

goldenTable('DashScope', aliDashScope, [
  [
    'text',
    [{ output: {}, usage: { input_tokens: 30, output_tokens: 10, total_tokens: 40 } }],
    qwen,
    1,
    ['input 30 × 0.2 × 1 = 6', 'output 10 × 0.6 × 1 = 6'],
    '12',
    12,
  ],
  [
    'an image inside of the input',
    [{ usage: { input_tokens: 1271, output_tokens: 5, image_tokens: 1246 } }],
    qwen,
    1,
    ['input 25 × 0.2 × 1 = 5', 'inputImage 1246 × 0.2 × 1 = 249.2', 'output 5 × 0.6 × 1 = 3'],
    '257.2',
    258,
  ],
  [
    'sound beside the input',
    [{ usage: { input_tokens: 33, output_tokens: 10, audio_tokens: 85 } }],
    qwen,
    1,
    ['input 33 × 0.2 × 1 = 6.6', 'inputAudio 85 × 2 × 1 = 170', 'output 10 × 0.6 × 1 = 6'],
    '182.6',
    183,
  ],
  [
    'details, cache and reasoning',
    [
      {
        usage: {
          input_tokens: 1000,
          output_tokens: 100,
          audio_tokens: 200,
          input_tokens_details: { text_tokens: 800, audio_tokens: 200 },
          prompt_tokens_details: { cached_tokens: 500 },
          output_tokens_details: { reasoning_tokens: 60 },
        },
      },
    ],
    qwen,
    1,
    [
      'input 300 × 0.2 × 1 = 60',
      'cached 500 × 0.04 × 1 = 20',
      'inputAudio 200 × 2 × 1 = 400',
      'output 40 × 0.6 × 1 = 24',
      'reasoning 60 × 0.6 × 1 = 36',
    ],
    '540',
    540,
  ],
  [
    'embeddings tell a total only',
    [{ usage: { total_tokens: 26 } }],
    embedding,
    1,
    ['input 26 × 0.05 × 1 = 1.3'],
    '1.3',
    2,
  ],
  [
    'images by number',
    [{ usage: { image_count: 4 } }],
    perCall(20),
    1,
    ['call 4 × 20000 × 1 = 80000'],
    '80000',
    80_000,
  ],
  ['negative sound', [{ usage: { input_tokens: 33, output_tokens: 10, audio_tokens: -85 } }], qwen, 1, 'absent'],
  ['a total beside an output only', [{ usage: { output_tokens: 9, total_tokens: 26 } }], qwen, 1, 'absent'],
]);

const twenty = ['input 100 × 0.1 × 1 = 10', 'output 30 × 0.3 × 1 = 9'];

goldenTable('Ollama', ollama, [
  [
    'the last line of a stream',
    [
      { message: { content: 'hi' }, done: false },
      { done: true, prompt_eval_count: 100, eval_count: 30 },
    ],
    small,
    1,
    twenty,
    '19',
    19,
  ],
  [
    'a prompt that was in memory is left out',
    [{ done: true, eval_count: 30 }],
    small,
    1,
    ['output 30 × 0.3 × 1 = 9'],
    '9',
    9,
  ],
  ['neither', [{ done: true, total_duration: 5 }], small, 1, 'absent'],
  ['negative', [{ done: true, prompt_eval_count: 100, eval_count: -30 }], small, 1, 'absent'],
]);

goldenTable('Jina', jina, [
  [
    'a total only',
    [{ results: [], usage: { total_tokens: 150 } }],
    rerank,
    1,
    ['input 150 × 0.01 × 1 = 1.5'],
    '1.5',
    2,
  ],
  [
    'prompt before total',
    [{ data: [], usage: { prompt_tokens: 100, total_tokens: 150 } }],
    rerank,
    1,
    ['input 100 × 0.01 × 1 = 1'],
    '1',
    1,
  ],
]);

goldenTable('Titan’s embeddings at Bedrock', titanEmbeddings, [
  [
    'of one text',
    [{ embedding: [0.5], inputTextTokenCount: 90 }],
    embedding,
    1,
    ['input 90 × 0.05 × 1 = 4.5'],
    '4.5',
    5,
  ],
]);

const both = { prompt_tokens: 100, completion_tokens: 30, total_tokens: 130 };

goldenTable('Tencent', tencentHunyuan, [
  ['a reply', [{ Response: { Usage: { PromptTokens: 100, CompletionTokens: 30 } } }], small, 1, twenty, '19', 19],
  ['an event', [{ Usage: { PromptTokens: 100, CompletionTokens: 30, TotalTokens: 130 } }], small, 1, twenty, '19', 19],
]);
goldenTable('Xunfei', xunfeiSpark, [
  ['the last frame', [{ header: { status: 1 } }, { payload: { usage: { text: both } } }], small, 1, twenty, '19', 19],
]);
goldenTable('Coze', coze, [
  [
    'the end of a chat',
    [{ usage: { token_count: 130, input_count: 100, output_count: 30 } }],
    small,
    1,
    twenty,
    '19',
    19,
  ],
]);
goldenTable('Cloudflare', cloudflareRun, [
  ['a run', [{ success: true, result: { response: 'hi', usage: both } }], small, 1, twenty, '19', 19],
]);
goldenTable('Replicate', replicate, [
  ['a prediction', [{ metrics: { input_token_count: 100, output_token_count: 30 } }], small, 1, twenty, '19', 19],
]);
goldenTable('MiniMax', miniMaxSpeech, [
  [
    'speech by character',
    [{ extra_info: { usage_characters: 26 } }],
    tokens(25, 0),
    1,
    ['input 26 × 25 × 1 = 650'],
    '650',
    650,
  ],
]);

import { goldenTable, tokens } from '#testing/dialects/golden-usage.ts';
import { gemini } from '#usage/gemini.ts';

const flash = tokens(0.15, 1.25, { cached_tokens_ratio: 0.25, input_audio_tokens_ratio: 3.3333333333 });
const cachingFlash = tokens(0.15, 1.25, {
  cached_tokens_ratio: 0.1,
  cached_audio_tokens_ratio: 0.3333333333,
  input_audio_tokens_ratio: 3.3333333333,
});
const pro = tokens(0.625, 5, { cached_tokens_ratio: 0.25 });
const flashImage = tokens(0.15, 1.25, { output_image_tokens_ratio: 12 });
const live = tokens(0.25, 1, { input_audio_tokens_ratio: 6, output_audio_tokens_ratio: 6 });

const reply = (usageMetadata: unknown) => [{ candidates: [{ content: { parts: [{ text: 'hi' }] } }], usageMetadata }];

goldenTable('Gemini', gemini, [
  [
    'text',
    reply({ promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 }),
    flash,
    1,
    ['input 100 × 0.15 × 1 = 15', 'output 20 × 1.25 × 1 = 25'],
    '40',
    40,
  ],
  [
    'embeddings, which spell the parts of their prompt otherwise',
    [
      {
        embedding: {},
        usageMetadata: { promptTokenCount: 100, promptTokenDetails: [{ modality: 'AUDIO', tokenCount: 40 }] },
      },
    ],
    live,
    1,
    ['input 60 × 0.25 × 1 = 15', 'inputAudio 40 × 1.5 × 1 = 60'],
    '75',
    75,
  ],
  [
    'cached inside of the prompt',
    reply({ promptTokenCount: 1000, cachedContentTokenCount: 900, candidatesTokenCount: 10 }),
    pro,
    1,
    ['input 100 × 0.625 × 1 = 62.5', 'cached 900 × 0.15625 × 1 = 140.625', 'output 10 × 5 × 1 = 50'],
    '253.125',
    254,
  ],
  [
    'thoughts beside the candidates: 10 + 5 + 8 = 23',
    reply({ promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 8, totalTokenCount: 23 }),
    pro,
    1,
    ['input 10 × 0.625 × 1 = 6.25', 'output 5 × 5 × 1 = 25', 'reasoning 8 × 5 × 1 = 40'],
    '71.25',
    72,
  ],
  [
    'more thoughts than candidates, and no total',
    reply({ promptTokenCount: 10, candidatesTokenCount: 6, thoughtsTokenCount: 190 }),
    pro,
    0.5,
    ['input 10 × 0.625 × 0.5 = 3.125', 'output 6 × 5 × 0.5 = 15', 'reasoning 190 × 5 × 0.5 = 475'],
    '493.125',
    494,
  ],
  [
    'thoughts inside of the candidates where the total says so',
    reply({ promptTokenCount: 10, candidatesTokenCount: 20, thoughtsTokenCount: 8, totalTokenCount: 30 }),
    pro,
    1,
    ['input 10 × 0.625 × 1 = 6.25', 'output 12 × 5 × 1 = 60', 'reasoning 8 × 5 × 1 = 40'],
    '106.25',
    107,
  ],
  [
    'what tools fed back is input: 500 + 300 + 120 + 10 = 930',
    reply({
      promptTokenCount: 500,
      toolUsePromptTokenCount: 300,
      candidatesTokenCount: 120,
      thoughtsTokenCount: 10,
      totalTokenCount: 930,
    }),
    pro,
    1,
    ['input 800 × 0.625 × 1 = 500', 'output 120 × 5 × 1 = 600', 'reasoning 10 × 5 × 1 = 50'],
    '1150',
    1150,
  ],
  [
    'sound, an image and a video in the prompt',
    reply({
      promptTokenCount: 1000,
      candidatesTokenCount: 8,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 12 },
        { modality: 'AUDIO', tokenCount: 300 },
        { modality: 'IMAGE', tokenCount: 258 },
        { modality: 'VIDEO', tokenCount: 430 },
      ],
    }),
    flash,
    1,
    [
      'input 442 × 0.15 × 1 = 66.3',
      'inputAudio 300 × 0.499999999995 × 1 = 149.9999999985',
      'inputImage 258 × 0.15 × 1 = 38.7',
      'output 8 × 1.25 × 1 = 10',
    ],
    '264.9999999985',
    265,
  ],
  [
    'sound of which a part was cached is charged once',
    reply({
      promptTokenCount: 1000,
      cachedContentTokenCount: 600,
      candidatesTokenCount: 0,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 100 },
        { modality: 'AUDIO', tokenCount: 900 },
      ],
      cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 600 }],
    }),
    live,
    1,
    ['input 100 × 0.25 × 1 = 25', 'cachedAudio 600 × 0.125 × 1 = 75', 'inputAudio 300 × 1.5 × 1 = 450'],
    '550',
    550,
  ],
  [
    'cached sound has its own price',
    reply({
      promptTokenCount: 1100,
      cachedContentTokenCount: 650,
      candidatesTokenCount: 8,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 100 },
        { modality: 'AUDIO', tokenCount: 1000 },
      ],
      cacheTokensDetails: [
        { modality: 'TEXT', tokenCount: 50 },
        { modality: 'AUDIO', tokenCount: 600 },
      ],
    }),
    cachingFlash,
    1,
    [
      'input 50 × 0.15 × 1 = 7.5',
      'cached 50 × 0.015 × 1 = 0.75',
      'cachedAudio 600 × 0.049999999995 × 1 = 29.999999997',
      'inputAudio 400 × 0.499999999995 × 1 = 199.999999998',
      'output 8 × 1.25 × 1 = 10',
    ],
    '248.249999995',
    249,
  ],
  [
    'an image that was made',
    reply({
      promptTokenCount: 20,
      candidatesTokenCount: 1300,
      candidatesTokensDetails: [
        { modality: 'IMAGE', tokenCount: 1290 },
        { modality: 'TEXT', tokenCount: 10 },
      ],
    }),
    flashImage,
    1,
    ['input 20 × 0.15 × 1 = 3', 'output 10 × 1.25 × 1 = 12.5', 'outputImage 1290 × 15 × 1 = 19350'],
    '19365.5',
    19_366,
  ],
  [
    'speech that was made',
    reply({
      promptTokenCount: 40,
      candidatesTokenCount: 250,
      candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 250 }],
    }),
    live,
    1,
    ['input 40 × 0.25 × 1 = 10', 'outputAudio 250 × 6 × 1 = 1500'],
    '1510',
    1510,
  ],
  [
    'a stream: cumulative, the last one wins, and what it leaves out stays',
    [
      { usageMetadata: { promptTokenCount: 100, cachedContentTokenCount: 40, candidatesTokenCount: 3 } },
      { candidates: [] },
      { usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, thoughtsTokenCount: 4 } },
    ],
    pro,
    1,
    [
      'input 60 × 0.625 × 1 = 37.5',
      'cached 40 × 0.15625 × 1 = 6.25',
      'output 20 × 5 × 1 = 100',
      'reasoning 4 × 5 × 1 = 20',
    ],
    '163.75',
    164,
  ],
  [
    'a prompt that was blocked: candidates that are left out are zero',
    reply({ promptTokenCount: 16, totalTokenCount: 16 }),
    pro,
    1,
    ['input 16 × 0.625 × 1 = 10'],
    '10',
    10,
  ],
  [
    'more cached than prompt is cut',
    reply({ promptTokenCount: 16, cachedContentTokenCount: 99 }),
    pro,
    1,
    ['cached 16 × 0.15625 × 1 = 2.5'],
    '2.5',
    3,
  ],
  ['zero', reply({ promptTokenCount: 0, candidatesTokenCount: 0 }), pro, 1, [], '0', 1],
  ['no usage', reply(undefined), pro, 1, 'absent'],
  ['a total only', reply({ totalTokenCount: 15 }), pro, 1, 'absent'],
  ['negative thoughts', reply({ promptTokenCount: 5, thoughtsTokenCount: -5000 }), pro, 1, 'absent'],
  ['a negative tool prompt', reply({ promptTokenCount: 5, toolUsePromptTokenCount: -5 }), pro, 1, 'absent'],
]);

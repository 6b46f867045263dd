import { goldenTable, perCall, tokens } from '#testing/dialects/golden-usage.ts';
import { openAiImages, openAiSpeech, openAiTranscription } from '#usage/open-ai-media.ts';
import { openAiResponses } from '#usage/open-ai-responses.ts';

const gpt5 = tokens(0.625, 5, { cached_tokens_ratio: 0.1 });
const realtime = tokens(2, 8, { cached_tokens_ratio: 0.1, input_audio_tokens_ratio: 8, output_audio_tokens_ratio: 4 });
const realtimeMini = tokens(0.3, 1.2, {
  cached_tokens_ratio: 0.1,
  cached_audio_tokens_ratio: 0.5,
  cached_image_tokens_ratio: 0.125,
  input_audio_tokens_ratio: 16,
  input_image_tokens_ratio: 2,
});
const gptImage2 = tokens(2.5, 15, {
  cached_tokens_ratio: 0.25,
  cached_image_tokens_ratio: 0.4,
  input_image_tokens_ratio: 1.6,
});
const gptImage = tokens(2.5, 5, { input_image_tokens_ratio: 2, output_image_tokens_ratio: 4 });
const transcribe = tokens(1.25, 5, { input_audio_tokens_ratio: 2.4 });
const whisper = tokens(15, 15);
const speech = tokens(0.3, 0.3, { output_audio_tokens_ratio: 20 });

goldenTable('Responses', openAiResponses, [
  [
    'cached and reasoning',
    [
      {
        object: 'response',
        usage: {
          input_tokens: 1000,
          input_tokens_details: { cached_tokens: 800 },
          output_tokens: 120,
          output_tokens_details: { reasoning_tokens: 100 },
          total_tokens: 1120,
        },
      },
    ],
    gpt5,
    1,
    [
      'input 200 × 0.625 × 1 = 125',
      'cached 800 × 0.0625 × 1 = 50',
      'output 20 × 5 × 1 = 100',
      'reasoning 100 × 5 × 1 = 500',
    ],
    '775',
    775,
  ],
  [
    'a stream that ended incomplete',
    [
      { type: 'response.created', response: { usage: null } },
      { type: 'response.output_text.delta', delta: 'hi' },
      { type: 'response.incomplete', response: { usage: { input_tokens: 8, output_tokens: 3 } } },
    ],
    gpt5,
    1,
    ['input 8 × 0.625 × 1 = 5', 'output 3 × 5 × 1 = 15'],
    '20',
    20,
  ],
  [
    'Realtime: sound of which a part was cached',
    [
      {
        type: 'response.done',
        response: {
          usage: {
            input_tokens: 100,
            output_tokens: 60,
            input_token_details: {
              text_tokens: 40,
              audio_tokens: 60,
              cached_tokens: 50,
              cached_tokens_details: { text_tokens: 20, audio_tokens: 30 },
            },
            output_token_details: { text_tokens: 10, audio_tokens: 50 },
          },
        },
      },
    ],
    realtime,
    1,
    [
      'input 20 × 2 × 1 = 40',
      'cached 20 × 0.2 × 1 = 4',
      'cachedAudio 30 × 0.2 × 1 = 6',
      'inputAudio 30 × 16 × 1 = 480',
      'output 10 × 8 × 1 = 80',
      'outputAudio 50 × 32 × 1 = 1600',
    ],
    '2210',
    2210,
  ],
  [
    'Realtime: cached sound and pictures have their own prices',
    [
      {
        type: 'response.done',
        response: {
          usage: {
            input_tokens: 120,
            output_tokens: 10,
            input_token_details: {
              text_tokens: 40,
              audio_tokens: 60,
              image_tokens: 20,
              cached_tokens: 60,
              cached_tokens_details: { text_tokens: 20, audio_tokens: 30, image_tokens: 10 },
            },
          },
        },
      },
    ],
    realtimeMini,
    1,
    [
      'input 20 × 0.3 × 1 = 6',
      'cached 20 × 0.03 × 1 = 0.6',
      'cachedAudio 30 × 0.15 × 1 = 4.5',
      'cachedImage 10 × 0.0375 × 1 = 0.375',
      'inputAudio 30 × 4.8 × 1 = 144',
      'inputImage 10 × 0.6 × 1 = 6',
      'output 10 × 1.2 × 1 = 12',
    ],
    '173.475',
    174,
  ],
  ['a failed one without usage', [{ type: 'response.failed', response: { usage: null } }], gpt5, 1, 'absent'],
  ['negative', [{ usage: { input_tokens: -8, output_tokens: 3 } }], gpt5, 1, 'absent'],
  ['no input', [{ usage: { output_tokens: 3 } }], gpt5, 1, 'absent'],
]);

const made = { input_tokens: 373, output_tokens: 1056, input_tokens_details: { text_tokens: 50, image_tokens: 323 } };

goldenTable('images', openAiImages, [
  [
    'what comes out are image tokens',
    [{ data: [{ b64_json: '' }], usage: made }],
    gptImage,
    1,
    ['input 50 × 2.5 × 1 = 125', 'inputImage 323 × 5 × 1 = 1615', 'outputImage 1056 × 20 × 1 = 21120'],
    '22860',
    22_860,
  ],
  [
    'cached pictures apart from cached text',
    [
      {
        data: [{ b64_json: '' }],
        usage: {
          input_tokens: 1000,
          output_tokens: 1056,
          input_tokens_details: { text_tokens: 400, image_tokens: 600 },
          cached_tokens: 500,
          cached_tokens_details: { cached_text_tokens: 200, cached_image_tokens: 300 },
        },
      },
    ],
    gptImage2,
    1,
    [
      'input 200 × 2.5 × 1 = 500',
      'cached 200 × 0.625 × 1 = 125',
      'cachedImage 300 × 1 × 1 = 300',
      'inputImage 300 × 4 × 1 = 1200',
      'outputImage 1056 × 15 × 1 = 15840',
    ],
    '17965',
    17_965,
  ],
  [
    'unless details say otherwise',
    [
      {
        data: [{}],
        usage: { input_tokens: 10, output_tokens: 1060, output_tokens_details: { image_tokens: 1056, text_tokens: 4 } },
      },
    ],
    gptImage,
    1,
    ['input 10 × 2.5 × 1 = 25', 'output 4 × 5 × 1 = 20', 'outputImage 1056 × 20 × 1 = 21120'],
    '21165',
    21_165,
  ],
  [
    'by call: each image',
    [{ data: [{}, {}, {}], usage: made }],
    perCall(20),
    0.8,
    ['call 3 × 20000 × 0.8 = 48000'],
    '48000',
    48_000,
  ],
  [
    'a stream',
    [{ type: 'image_generation.partial_image' }, { type: 'image_generation.completed', usage: made }],
    perCall(20),
    1,
    ['call 1 × 20000 × 1 = 20000'],
    '20000',
    20_000,
  ],
  ['older models tell none', [{ created: 1, data: [{}] }], gptImage, 1, 'absent'],
]);

goldenTable('transcription', openAiTranscription, [
  [
    'by token',
    [
      {
        text: 'hi',
        usage: {
          type: 'tokens',
          input_tokens: 14,
          input_token_details: { text_tokens: 4, audio_tokens: 10 },
          output_tokens: 45,
          total_tokens: 59,
        },
      },
    ],
    transcribe,
    1,
    ['input 4 × 1.25 × 1 = 5', 'inputAudio 10 × 3 × 1 = 30', 'output 45 × 5 × 1 = 225'],
    '260',
    260,
  ],
  [
    'by the second: a minute at $0.006 is 3000 credits',
    [{ text: 'hi', usage: { type: 'duration', seconds: 60 } }],
    whisper,
    1,
    ['audioSeconds 60 × 49.9999999995 × 1 = 2999.99999997'],
    '2999.99999997',
    3000,
  ],
  [
    'a second that has begun',
    [{ usage: { type: 'duration', seconds: 8.47 } }],
    tokens(15, 15, { audio_seconds_ratio: 2 }),
    1,
    ['audioSeconds 9 × 30 × 1 = 270'],
    '270',
    270,
  ],
  [
    'by call',
    [{ usage: { type: 'duration', seconds: 60 } }],
    perCall(6),
    1,
    ['call 1 × 6000 × 1 = 6000'],
    '6000',
    6000,
  ],
  ['nothing but silence', [{ usage: { type: 'duration', seconds: 0 } }], whisper, 1, [], '0', 1],
  ['a negative length', [{ usage: { type: 'duration', seconds: -3 } }], whisper, 1, 'absent'],
  ['no number', [{ usage: { type: 'duration', seconds: Number.NaN } }], whisper, 1, 'absent'],
  ['longer than a day', [{ usage: { type: 'duration', seconds: 86_401 } }], whisper, 1, 'absent'],
]);

goldenTable('speech', openAiSpeech, [
  [
    'text in, sound out',
    [{ type: 'speech.audio.delta' }, { type: 'speech.audio.done', usage: { input_tokens: 20, output_tokens: 100 } }],
    speech,
    1,
    ['input 20 × 0.3 × 1 = 6', 'outputAudio 100 × 6 × 1 = 600'],
    '606',
    606,
  ],
]);

import { exact } from './arriving-price.ts';
import { type RatioTable, ratiosIn } from './one-api-ratios.ts';

/** Ratios that new-api has compiled in, in its version of autumn 2026. */
const named: RatioTable = [
  [0, ['glm-4-flash']],
  [0.001, ['text-embedding-004']],
  [0.01, ['text-embedding-3-small']],
  [0.025, ['gpt-5-nano gpt-5-nano-2025-08-07']],
  [
    0.05,
    [
      'gemini-2.0-flash gemini-2.5-flash-lite-preview-06-17 gemini-2.5-flash-lite-preview-thinking-*',
      'gpt-4.1-nano gpt-4.1-nano-2025-04-14 text-embedding-ada-002 text-embedding-v1',
    ],
  ],
  [0.065, ['text-embedding-3-large']],
  [
    0.075,
    [
      'command-r-08-2024 gemini-1.5-flash-latest gemini-2.5-flash-preview-04-17',
      'gemini-2.5-flash-preview-04-17-nothinking gemini-2.5-flash-preview-04-17-thinking',
      'gemini-2.5-flash-preview-05-20 gemini-2.5-flash-preview-05-20-nothinking',
      'gemini-2.5-flash-preview-05-20-thinking gemini-2.5-flash-thinking-* gemini-embedding-001 gpt-4o-mini',
      'gpt-4o-mini-2024-07-18',
    ],
  ],
  [
    0.1,
    ['llama-3-sonar-small-32k-chat llama-3-sonar-small-32k-online text-moderation-latest', 'text-moderation-stable'],
  ],
  [0.125, ['claude-3-haiku-20240307 gpt-5-mini gpt-5-mini-2025-08-07']],
  [0.135, ['deepseek-chat deepseek-coder']],
  [0.1429, ['chatglm_lite']],
  [0.15, ['gemini-2.5-flash gemini-robotics-er-1.5-preview grok-3-mini-beta']],
  [0.18, ['yi-34b-chat-0205']],
  [0.2, ['gpt-4.1-mini gpt-4.1-mini-2025-04-14 text-ada-001']],
  [0.25, ['command-r gpt-3.5-turbo gpt-3.5-turbo-0125 text-babbage-001']],
  [0.275, ['deepseek-reasoner']],
  [
    0.3,
    [
      'Qwen/Qwen3-235B-A22B-Instruct-2507 gpt-4o-mini-realtime-preview gpt-4o-mini-realtime-preview-2024-12-17',
      'grok-3-mini-fast-beta',
    ],
  ],
  [0.3572, ['chatglm_std chatglm_turbo glm-3-turbo']],
  [0.432, ['yi-vl-plus']],
  [
    0.5,
    [
      'claude-3-5-haiku-20241022 claude-haiku-4-5-20251001 command command-light command-light-nightly',
      'command-nightly gpt-3.5-turbo-1106 gpt-5.6-luna llama-3-sonar-large-32k-chat',
      'llama-3-sonar-large-32k-online openai/gpt-oss-120b',
    ],
  ],
  [
    0.55,
    [
      'o1-mini o1-mini-2024-09-12 o3-mini o3-mini-2025-01-31 o3-mini-2025-01-31-high o3-mini-2025-01-31-low',
      'o3-mini-2025-01-31-medium o3-mini-high o3-mini-low o3-mini-medium o4-mini o4-mini-2025-04-16',
    ],
  ],
  [0.6, ['Qwen/Qwen3-235B-A22B-Thinking-2507']],
  [
    0.625,
    [
      'gemini-2.5-pro gemini-2.5-pro-exp-03-25 gemini-2.5-pro-preview-03-25 gemini-2.5-pro-thinking-* gpt-5',
      'gpt-5-2025-08-07 gpt-5-chat-latest',
    ],
  ],
  [0.7143, ['chatglm_pro']],
  [0.75, ['gpt-3.5-turbo-0613 gpt-3.5-turbo-instruct']],
  [
    0.8,
    [
      'NousResearch/Hermes-4-405B-FP8 Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8 deepseek-ai/DeepSeek-R1',
      'deepseek-ai/DeepSeek-R1-0528 deepseek-ai/DeepSeek-V3-0324 deepseek-ai/DeepSeek-V3.1 zai-org/GLM-4.5-FP8',
    ],
  ],
  [0.8572, ['qwen-turbo']],
  [0.864, ['yi-34b-chat-200k']],
  [
    1,
    [
      'PaLM-2 gpt-4.1 gpt-4.1-2025-04-14 grok-2 grok-2-vision o3 o3-2025-04-16 o4-mini-deep-research',
      'o4-mini-deep-research-2025-06-26 text-curie-001',
    ],
  ],
  [
    1.25,
    [
      'command-r-plus-08-2024 gemini-1.5-pro-latest gpt-4o gpt-4o-2024-08-06 gpt-4o-2024-11-20',
      'gpt-4o-audio-preview gpt-4o-audio-preview-2024-10-01 gpt-5.6-terra',
    ],
  ],
  [1.2858, ['SparkDesk-v1.1 SparkDesk-v2.1 SparkDesk-v3.1 SparkDesk-v3.5 SparkDesk-v4.0']],
  [
    1.5,
    [
      'claude-3-5-sonnet-20240620 claude-3-5-sonnet-20241022 claude-3-7-sonnet-20250219',
      'claude-3-7-sonnet-20250219-thinking claude-3-sonnet-20240229 claude-sonnet-4-20250514',
      'claude-sonnet-4-5-20250929 claude-sonnet-5 command-r-plus gpt-3.5-turbo-16k gpt-3.5-turbo-16k-0613',
      'grok-3-beta',
    ],
  ],
  [
    2.5,
    [
      'chatgpt-4o-latest claude-opus-4-5-20251101 claude-opus-4-6 claude-opus-4-6-high claude-opus-4-6-low',
      'claude-opus-4-6-max claude-opus-4-6-medium claude-opus-4-7 claude-opus-4-7-high claude-opus-4-7-low',
      'claude-opus-4-7-max claude-opus-4-7-medium claude-opus-4-7-xhigh claude-opus-4-8 claude-opus-4-8-high',
      'claude-opus-4-8-low claude-opus-4-8-max claude-opus-4-8-medium claude-opus-4-8-xhigh claude-opus-5',
      'gpt-4o-2024-05-13 gpt-4o-gizmo-* gpt-4o-realtime-preview gpt-4o-realtime-preview-2024-10-01',
      'gpt-4o-realtime-preview-2024-12-17 gpt-5.5 gpt-5.6-sol gpt-image-1 grok-3-fast-beta grok-beta',
      'grok-vision-beta',
    ],
  ],
  [
    5,
    [
      'claude-fable-5 gpt-4-0125-preview gpt-4-1106-preview gpt-4-1106-vision-preview gpt-4-turbo',
      'gpt-4-turbo-2024-04-09 gpt-4-turbo-preview gpt-4-vision-preview o3-deep-research',
      'o3-deep-research-2025-06-26',
    ],
  ],
  [7.143, ['glm-4 hunyuan']],
  [
    7.5,
    [
      'claude-3-opus-20240229 claude-opus-4-1-20250805 claude-opus-4-20250514 o1 o1-2024-12-17 o1-preview',
      'o1-preview-2024-09-12 tts-1 tts-1-1106',
    ],
  ],
  [
    10,
    [
      'code-davinci-edit-001 curie davinci o3-pro o3-pro-2025-06-10 qwen-plus text-davinci-edit-001',
      'text-search-ada-doc-001',
    ],
  ],
  [15, ['gpt-4 gpt-4-0613 gpt-4-all gpt-4-gizmo-* gpt-4o-all tts-1-hd tts-1-hd-1106 whisper-1']],
  [30, ['gpt-4-32k gpt-4-32k-0613']],
  [37.5, ['gpt-4.5-preview gpt-4.5-preview-2025-02-27']],
  [75, ['o1-pro o1-pro-2025-03-19']],
];

/** Likewise, in yuan per thousand tokens, of which 7.3 are a dollar there. */
const inYuan: RatioTable = [
  [0.001, ['ERNIE-Tiny-8K glm-4-air glm-4-long yi-spark']],
  [0.002, ['Embedding-V1 bge-large-en bge-large-zh tao-8k']],
  [0.0025, ['yi-medium']],
  [0.003, ['ERNIE-Lite-8K-0308']],
  [0.004, ['BLOOMZ-7B ERNIE-Speed-128K ERNIE-Speed-8K']],
  [0.006, ['yi-vision']],
  [0.008, ['ERNIE-Lite-8K-0922']],
  [0.01, ['glm-4-airx glm-4v-plus']],
  [0.012, ['ERNIE-3.5-4K-0205 ERNIE-3.5-8K ERNIE-3.5-8K-1222 yi-large-turbo yi-medium-200k']],
  [0.02, ['yi-large yi-large-preview']],
  [0.024, ['ERNIE-3.5-8K-0205 ERNIE-Bot-8K']],
  [0.025, ['yi-large-rag yi-large-rag-preview']],
  [0.05, ['glm-4-plus glm-4v']],
  [0.1, ['glm-4-0520 glm-4-alltools']],
  [0.12, ['ERNIE-4.0-8K']],
];

/** New-api's ratio of the input, by model, until others are saved. */
export const newApiRatios: ReadonlyMap<string, number> = new Map([
  ...ratiosIn(named),
  ...[...ratiosIn(inYuan)].map(([model, yuan]) => [model, exact((yuan * 500) / 7.3)] as const),
]);

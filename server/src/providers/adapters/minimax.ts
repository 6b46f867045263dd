import { miniMaxSpeech as usage } from '#usage/plain-counters.ts';
import { type Fix, oldLimit, oneSystemRole, where } from '../fixes.ts';
import { miniMaxSpeech, miniMaxVoices } from '#providers/speech/minimax-speech.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';
import { voicePlugin } from '#providers/speech/voices.ts';
import { miniMaxTasks } from '#providers/task-vendors/minimax-videos.ts';
import { errorsWith } from '../upstream-errors.ts';

/** Without it, the reasoning is inlined in the text, in tags. */
const apart: Fix = where(
  ({ model }) => /^minimax-m/i.test(model),
  (body) => (body['reasoning_split'] === undefined ? { reasoning_split: true } : {}),
);

const chat = openAiCompatible({
  id: 'minimax',
  type: 27,
  title: 'MiniMax',
  baseUrl: 'https://api.minimaxi.com',
  testModel: 'MiniMax-M2',
  website: 'https://www.minimaxi.com/user-center/basic-information',
  promptCacheS: 300,
  form: { plugins: [voicePlugin(miniMaxVoices)] },
  fix: [oneSystemRole, oldLimit, apart],
  wire: { reasoning: () => ({}), reasoningAs: 'reasoning_details' },
  messages: 'https://api.minimaxi.com/anthropic/v1/messages',
  // Errors come with status 200.
  error: errorsWith({
    1001: 504,
    1002: 429,
    1004: 401,
    1008: 402,
    1013: 500,
    1026: 400,
    1027: 400,
    1039: 429,
    2013: 400,
    2049: 401,
    2056: 429,
  }),
});

export const provider = {
  ...chat,
  speech: { dialect: 'own', path: '/v1/t2a_v2', usage, convert: miniMaxSpeech } as const,
  tasks: miniMaxTasks,
};

import { groqChat } from '#usage/open-ai-chat.ts';
import { eachMessage, type Fix, oneSystemRole, whereSeen, without } from '../fixes.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';
import { groqReasoning } from '../reasoning-fields.ts';

const withoutName = whereSeen(
  ['"name"'],
  eachMessage((message) => {
    if (message['name'] === undefined) return message;
    const { name: _, ...rest } = message;
    return rest;
  }),
);

/** Two model families take a reasoning effort, each with its own values; others refuse the field. */
const effort: Fix = whereSeen(['"reasoning_effort"'], (body, { model }) => {
  const requested = body['reasoning_effort'];
  if (requested === undefined || model.includes('gpt-oss')) return {};
  return { reasoning_effort: model.includes('qwen') ? (requested === 'none' ? 'none' : 'default') : undefined };
});

/** Each model has its own voices. */
function voiceOf(model: string): string {
  const isArabic = model.includes('arabic');
  if (model.includes('playai')) return isArabic ? 'Ahmad-PlayAI' : 'Fritz-PlayAI';
  return isArabic ? 'fahad' : 'autumn';
}

export const provider = openAiCompatible({
  id: 'groq',
  type: 31,
  title: 'Groq',
  baseUrl: 'https://api.groq.com/openai',
  testModel: 'llama-3.1-8b-instant',
  website: 'https://console.groq.com/keys',
  promptCacheS: 7200,
  has: ['responses', 'speech', 'transcriptions', 'translations', 'raw'],
  fix: [oneSystemRole, without('logprobs', 'top_logprobs', 'logit_bias'), withoutName, effort],
  testSpeech: (model) => ({ voice: voiceOf(model), response_format: 'wav' }),
  usage: groqChat,
  // Other names are refused.
  wire: { reasoning: groqReasoning, reasoningAs: 'reasoning' },
});

import { openAiCompatible } from '../open-ai-compatible.ts';

export const provider = openAiCompatible({
  id: 'groq',
  type: 31,
  title: 'Groq',
  baseUrl: 'https://api.groq.com/openai',
  testModel: 'llama-3.1-8b-instant',
  website: 'https://console.groq.com/keys',
});

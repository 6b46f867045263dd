/** Old consoles need an `id` of each row. */
export const builtInChatLinks = [
  {
    id: 1,
    name: 'ChatGPT Next',
    url: 'https://app.nextchat.dev/#/?settings={"key":"{key}","url":"{server}"}',
    show: true,
    sort: 1,
  },
  {
    id: 2,
    name: 'ChatGPT Web Midjourney Proxy',
    url: 'https://vercel.ddaiai.com/#/?settings={"OPENAI_API_KEY":"{key}","OPENAI_API_BASE_URL":"{server}"}',
    show: true,
    sort: 2,
  },
  { id: 3, name: 'AMA (BotGem)', url: 'ama://set-api-key?server={server}&key={key}', show: false, sort: 3 },
  { id: 4, name: 'OpenCat', url: 'opencat://team/join?domain={server}&token={key}', show: false, sort: 4 },
];

export const disablePhrases = [
  'Your credit balance is too low',
  'This organization has been disabled.',
  'You exceeded your current quota',
  'Permission denied',
  'Quota exceeded for quota metric',
  'Incorrect API key provided',
  'The security token included in the request is invalid',
  'Operation not allowed',
  'Your account is not authorized',
  'Insufficient Balance',
  'Your account has been blocked',
  'Too many invalid requests',
].join('\n');

export const mailProviders = [
  'gmail.com',
  '163.com',
  '126.com',
  'qq.com',
  'outlook.com',
  'hotmail.com',
  'icloud.com',
  'yahoo.com',
  'foxmail.com',
];

const audio = (input: number, output: number) => ({
  input_audio_tokens_ratio: input,
  output_audio_tokens_ratio: output,
});

export const extraAudioRatios = {
  'gpt-4o-audio-preview': audio(40, 20),
  'gpt-4o-audio-preview-2024-10-01': audio(40, 20),
  'gpt-4o-audio-preview-2024-12-17': audio(16, 8),
  'gpt-4o-mini-audio-preview': audio(67, 34),
  'gpt-4o-mini-audio-preview-2024-12-17': audio(67, 34),
  'gpt-4o-realtime-preview': audio(20, 10),
  'gpt-4o-realtime-preview-2024-10-01': audio(20, 10),
  'gpt-4o-realtime-preview-2024-12-17': audio(8, 4),
  'gpt-4o-mini-realtime-preview': audio(17, 8.4),
  'gpt-4o-mini-realtime-preview-2024-12-17': audio(17, 8.4),
};

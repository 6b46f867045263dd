import { openAiSpeech } from '#usage/open-ai-media.ts';
import type { Provider } from '../provider.ts';
import { azureFormat, azureSpeech, azureVoices } from '#providers/speech/azure-speech.ts';
import { regionOr } from '../target.ts';
import { voicePlugin } from '#providers/speech/voices.ts';

/** Speech only. It reports no usage, so the relay counts the characters. */
export const provider: Provider = {
  id: 'azure-speech',
  type: 24,
  title: 'Azure Speech',
  baseUrl: 'https://eastus.tts.speech.microsoft.com',
  testModel: '',
  website: 'https://portal.azure.com',
  form: {
    other: { kind: 'region', fallback: '', required: false, example: 'eastasia' },
    plugins: [voicePlugin(azureVoices)],
  },
  headers: (key) => ({ 'ocp-apim-subscription-key': key }),
  speech: {
    dialect: 'own',
    path: '/cognitiveservices/v1',
    target: ({ baseUrl, key, extras: { other: region }, request }) => ({
      baseUrl: regionOr(region, '') === '' ? baseUrl : `https://${regionOr(region, '')}.tts.speech.microsoft.com`,
      path: '/cognitiveservices/v1',
      headers: { ...provider.headers(key), 'x-microsoft-outputformat': azureFormat(request?.['response_format']) },
    }),
    usage: openAiSpeech,
    convert: azureSpeech,
  },
};

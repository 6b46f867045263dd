import { ownHeaders } from '@relay-hub/contract';
import { objectOr } from '#json.ts';
import { openAiChat } from '#usage/open-ai-chat.ts';
import { ollama as usage } from '#usage/plain-counters.ts';
import { isOn, oneSystemMessage, where } from '../fixes.ts';
import { anyKey, field, switched } from '../form.ts';
import type { ProviderCall, CallTarget } from '../operation.ts';
import type { Headers, Provider } from '../provider.ts';
import { namesIn } from '../questions.ts';
import { bearer } from '../target.ts';
import { ollamaWire } from '#providers/wires/ollama/ollama-wire.ts';

/** Operator-defined headers, for servers behind Cloudflare Access. */
const headersOf = ({ extras }: ProviderCall): Headers =>
  Object.fromEntries(
    Object.entries(objectOr(extras.plugin['headers'])).filter(
      (pair): pair is [string, string] =>
        /^[\w-]+$/.test(pair[0]) &&
        !ownHeaders.has(pair[0].toLowerCase()) &&
        typeof pair[1] === 'string' &&
        pair[1] !== '',
    ),
  );

const target = (call: ProviderCall, path: string): CallTarget => ({
  baseUrl: call.baseUrl,
  path,
  headers: { ...headersOf(call), ...bearer(call.key) },
});

export const provider: Provider = {
  id: 'ollama',
  type: 39,
  title: 'Ollama',
  baseUrl: '',
  testModel: '',
  website: 'https://ollama.com/settings/keys',
  promptCacheS: 3600,
  form: {
    address: 'required',
    address_example: 'http://127.0.0.1:11434',
    key: anyKey,
    plugins: [
      {
        id: 'headers',
        fields: [field('CF-Access-Client-Id', 'text'), field('CF-Access-Client-Secret', 'text', { secret: true })],
      },
      switched('one_system_message'),
    ],
  },
  headers: bearer,
  chat: {
    dialect: 'own',
    path: '/api/chat',
    target: (call) => target(call, '/api/chat'),
    usage,
    wire: ollamaWire,
    fix: where((call) => isOn(call, 'one_system_message'), oneSystemMessage),
    streamType: 'application/x-ndjson',
    pictures: { types: ['image/png', 'image/jpeg', 'image/webp'] },
  },
  embeddings: {
    dialect: 'openai',
    path: '/v1/embeddings',
    target: (call) => target(call, '/v1/embeddings'),
    usage: openAiChat,
  },
  models: {
    path: '/api/tags',
    target: (call) => target(call, '/api/tags'),
    read: (reply) => namesIn(reply, 'models', 'name'),
  },
};

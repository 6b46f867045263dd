import { describe, expect, test } from 'vitest';
import { allProviders, findProvider } from '#providers/registry.ts';
import { targetOf } from '#providers/target.ts';
import { baseAddressIn } from './base-address.ts';

const [OPENAI, CUSTOM, ANTHROPIC, ZHIPU, ALI, GEMINI, OLLAMA] = [1, 8, 14, 16, 17, 25, 39];
const [REPLICATE, AZURE_V1, VOLCENGINE] = [52, 55, 105];

/** The address that a request asks, without its query; empty if it needs a real key. */
function whole(...args: Parameters<typeof targetOf>): string {
  try {
    const { baseUrl, path } = targetOf(...args);
    return (baseUrl + path).split('?')[0]!;
  } catch {
    return '';
  }
}

describe('the base URL in a pasted address', () => {
  test.each<[type: number, pasted: string, base: string]>([
    [OPENAI, 'https://api.openai.com/v1', 'https://api.openai.com'],
    [OPENAI, 'https://api.openai.com/v1/chat/completions', 'https://api.openai.com'],
    [OPENAI, 'https://api.openai.com/v1/audio', 'https://api.openai.com'],
    [CUSTOM, 'https://api.groq.com/openai/v1', 'https://api.groq.com/openai'],
    [CUSTOM, 'https://host/v1/models', 'https://host'],
    [CUSTOM, 'https://host/api/paas/v4/chat/completions', 'https://host/api/paas/v4'],
    [CUSTOM, 'https://host/api/paas/v4/models', 'https://host/api/paas/v4'],
    [ANTHROPIC, 'https://host/v1/messages', 'https://host'],
    [ZHIPU, 'https://open.bigmodel.cn/api/paas/v4/chat/completions', 'https://open.bigmodel.cn/api/paas/v4'],
    [ALI, 'https://dashscope.aliyuncs.com/compatible-mode/v1', 'https://dashscope.aliyuncs.com'],
    [GEMINI, 'https://generativelanguage.googleapis.com/v1beta', 'https://generativelanguage.googleapis.com'],
    [GEMINI, 'https://generativelanguage.googleapis.com/v1beta/openai', 'https://generativelanguage.googleapis.com'],
    [
      GEMINI,
      'https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent',
      'https://generativelanguage.googleapis.com',
    ],
    [OLLAMA, 'http://127.0.0.1:11434/v1', 'http://127.0.0.1:11434'],
    [OLLAMA, 'http://127.0.0.1:11434/api/chat', 'http://127.0.0.1:11434'],
    [REPLICATE, 'https://api.replicate.com/v1', 'https://api.replicate.com'],
    [REPLICATE, 'https://api.replicate.com/v1/models/meta/llama/predictions', 'https://api.replicate.com'],
    [AZURE_V1, 'https://me.openai.azure.com/openai/v1', 'https://me.openai.azure.com'],
    [VOLCENGINE, 'https://ark.cn-beijing.volces.com/api/v3/embeddings', 'https://ark.cn-beijing.volces.com/api/v3'],
  ])('of type %i: %s is %s', (type, pasted, base) => {
    expect(baseAddressIn(type, pasted)).toBe(base);
  });

  test.each([
    [CUSTOM, 'https://host/api/paas/v4'],
    [CUSTOM, 'https://host/team/models'],
    [CUSTOM, 'https://host/v1/tenant'],
    [CUSTOM, 'https://v1'],
    [CUSTOM, 'http://models'],
    [OPENAI, 'https://gateway.ai.cloudflare.com/v1/account/gateway/openai'],
    [9999, 'https://host/v1'],
    [OPENAI, ''],
  ])('of type %i: %s stays', (type, address) => {
    expect(baseAddressIn(type, address)).toBe(address);
  });

  test('a version stays where the operator typed the paths behind it', () => {
    const plugin = { customize: { 1: '/chat/completions' } };
    expect(baseAddressIn(CUSTOM, 'https://host/v1', plugin)).toBe('https://host/v1');
    expect(baseAddressIn(CUSTOM, 'https://host/v1/chat/completions', plugin)).toBe('https://host/v1');
    expect(baseAddressIn(CUSTOM, 'https://host/v1', { customize: { 1: 'disable' } })).toBe('https://host');
  });

  test.each(allProviders().map((provider) => [provider.id, provider] as const))(
    '%s: its own address stays, also with the path of its chats and model list behind it',
    (_, provider) => {
      const own = provider.baseUrl || 'https://host.example';
      expect(baseAddressIn(provider.type, own)).toBe(own);
      const call = {
        model: 'owner/model',
        baseUrl: own,
        key: 'a|b|c|d',
        extras: { other: '', plugin: {} },
        stream: false,
      };
      for (const question of [provider.chat, provider.models].filter((one) => one !== undefined)) {
        const asked = whole(provider, question, call);
        if (asked.startsWith(`${own}/`)) expect(baseAddressIn(provider.type, asked)).toBe(own);
      }
    },
  );
});

test.each([
  ['https://host/api/paas/v4', '/chat/completions', '/models'],
  ['https://host', '/v1/chat/completions', '/v1/models'],
])('requests of OpenAI-compatible channels append the version to %s only if it has none', (baseUrl, chat, models) => {
  const provider = findProvider(CUSTOM)!;
  const call = { model: 'm', baseUrl, key: 'k', extras: { other: '', plugin: {} }, stream: false };
  expect(targetOf(provider, provider.chat!, call)).toMatchObject({ baseUrl, path: chat });
  expect(targetOf(provider, provider.models!, call)).toMatchObject({ baseUrl, path: models });
});

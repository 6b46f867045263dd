import { describe, expect, test } from 'vitest';
import { findProvider } from './registry.ts';
import type { ProviderCall } from './operation.ts';
import type { Provider } from './provider.ts';
import { keyParts, operationFor, query, regionOr, targetOf } from './target.ts';

const provider = (type: number): Provider => {
  const found = findProvider(type);
  if (!found) throw new Error(`no provider ${type}`);
  return found;
};

const asked = (of: Provider, more: Partial<ProviderCall> = {}): ProviderCall => ({
  baseUrl: of.baseUrl,
  key: 'k',
  model: 'm',
  stream: false,
  extras: { other: '', plugin: {} },
  ...more,
});

const chatUrl = (type: number, more: Partial<ProviderCall>): string => {
  const of = provider(type);
  const about = asked(of, more);
  const { baseUrl, path } = targetOf(of, operationFor(of.chat, about)!, about);
  return baseUrl + path;
};

describe('which way a call goes', () => {
  test('the caller’s own dialect wins where the provider speaks it', () => {
    const vertex = provider(42);
    const way = (model: string, dialect?: 'openai' | 'anthropic' | 'gemini') =>
      operationFor(vertex.chat, asked(vertex, { model }), dialect)?.dialect;
    expect(way('gemini-2.5-pro', 'openai')).toBe('gemini');
    expect(way('claude-sonnet-4-5', 'gemini')).toBe('anthropic');
    expect(way('meta/llama-4', 'anthropic')).toBe('openai');

    const bedrock = provider(32);
    expect(operationFor(bedrock.chat, asked(bedrock, { model: 'claude-sonnet-4-6' }), 'anthropic')?.dialect).toBe(
      'anthropic',
    );
    expect(operationFor(bedrock.chat, asked(bedrock, { model: 'claude-sonnet-4-6' }), 'openai')?.dialect).toBe('own');
    expect(operationFor(bedrock.chat, asked(bedrock, { model: 'amazon.nova-pro-v1:0' }), 'anthropic')?.dialect).toBe(
      'own',
    );
  });

  test('an address that only the vendor has is not looked for at a reseller', () => {
    const deepseek = provider(28);
    const way = (baseUrl: string) => operationFor(deepseek.chat, asked(deepseek, { baseUrl }), 'anthropic')?.dialect;
    expect([way(deepseek.baseUrl), way('https://reseller.example')]).toEqual(['anthropic', 'openai']);
  });

  test('an operator sends Gemini to its compatible address, and switches off what a server has not', () => {
    const gemini = provider(25);
    const plugin = { use_openai_api: { enable: true } };
    const about = asked(gemini, { extras: { other: 'v1', plugin }, model: 'gemini-2.5-flash' });
    const operation = operationFor(gemini.chat, about, 'gemini')!;
    expect(operation.dialect).toBe('openai');
    expect(targetOf(gemini, operation, about)).toEqual({
      baseUrl: gemini.baseUrl,
      path: '/v1/openai/chat/completions',
      headers: { authorization: 'Bearer k' },
    });
    const custom = provider(8);
    const off = asked(custom, { extras: { other: '', plugin: { customize: { 3: 'disable' } } } });
    expect(operationFor(custom.embeddings, off)).toBeUndefined();
    expect(operationFor(custom.chat, off)).toBeDefined();
  });
});

test.each([
  [
    1,
    { baseUrl: 'https://gateway.ai.cloudflare.com/v1/a/g/openai' },
    'https://gateway.ai.cloudflare.com/v1/a/g/openai/chat/completions',
  ],
  [
    14,
    { baseUrl: 'https://gateway.ai.cloudflare.com/v1/a/g/anthropic' },
    'https://gateway.ai.cloudflare.com/v1/a/g/anthropic/messages',
  ],
  [
    3,
    { baseUrl: 'https://gateway.ai.cloudflare.com/v1/a/g/azure-openai/r', model: 'd' },
    'https://gateway.ai.cloudflare.com/v1/a/g/azure-openai/r/d/chat/completions?api-version=2024-10-21',
  ],
  [
    3,
    { baseUrl: 'https://r.openai.azure.com', model: 'gpt-4.1', extras: { other: 'v1', plugin: {} } },
    'https://r.openai.azure.com/openai/v1/chat/completions',
  ],
  [
    3,
    { baseUrl: 'https://r.openai.azure.com/openai', model: 'a/b', extras: { other: '2025-04-01-preview', plugin: {} } },
    'https://r.openai.azure.com/openai/deployments/a%2Fb/chat/completions?api-version=2025-04-01-preview',
  ],
  [
    17,
    { baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode' },
    'https://dashscope-intl.aliyuncs.com/compatible-mode/v1/chat/completions',
  ],
  [18, { model: 'x1' }, 'https://spark-api-open.xf-yun.com/v2/chat/completions'],
  [
    25,
    { model: 'gemini-2.5-pro', callerPath: '/gemini/v1alpha/models/gemini:generateContent' },
    'https://generativelanguage.googleapis.com/v1alpha/models/gemini-2.5-pro:generateContent',
  ],
  [
    42,
    { model: 'gemini-2.5-pro', extras: { other: 'global|p', plugin: {} } },
    'https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/google/models/gemini-2.5-pro:generateContent',
  ],
  [
    42,
    { model: 'claude-3-5-sonnet-20241022', extras: { other: 'us-east5|p', plugin: {} } },
    'https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5/publishers/anthropic/models/claude-3-5-sonnet-v2@20241022:rawPredict',
  ],
  [
    32,
    { key: 'us-west-2|token', model: 'arn:aws:bedrock:us-west-2:1:inference-profile/x' },
    'https://bedrock-runtime.us-west-2.amazonaws.com/model/arn%3Aaws%3Abedrock%3Aus-west-2%3A1%3Ainference-profile%2Fx/converse',
  ],
  [
    32,
    { key: 'evil.example/|a|b', model: 'claude-2.1' },
    'https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-v2%3A1/converse',
  ],
  [49, { baseUrl: 'https://models.inference.ai.azure.com' }, 'https://models.inference.ai.azure.com/chat/completions'],
] as const)('type %i, %j', (type, more, url) => {
  expect(chatUrl(type, more as Partial<ProviderCall>)).toBe(url);
});

test('Bedrock takes a bearer token instead of a signature', () => {
  const bedrock = provider(32);
  expect(bedrock.headers('eu-west-1|bedrock-api-key-abc')).toEqual({ authorization: 'Bearer bedrock-api-key-abc' });
  const unsigned = { method: 'POST', url: 'https://h/', headers: {}, body: Buffer.alloc(0) };
  expect(bedrock.sign?.(unsigned, 'eu-west-1|bedrock-api-key-abc', 0)).toEqual({});
});

test('parts, regions and queries', () => {
  expect(keyParts('a| b', 'x', 'y', 'z')).toEqual({ x: 'a', y: 'b', z: '' });
  expect([regionOr(' EU-West-1 ', 'r'), regionOr('x.y', 'r'), regionOr('', 'r'), regionOr('a/b', 'r')]).toEqual([
    'eu-west-1',
    'r',
    'r',
    'r',
  ]);
  expect([query({ a: 'b c', d: undefined, e: '' }), query({})]).toEqual(['?a=b+c', '']);
});

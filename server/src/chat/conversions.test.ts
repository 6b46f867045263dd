import { describe, expect, test } from 'vitest';
import type { Json } from '#json.ts';
import type { ChatRequest } from './chat.ts';
import type { DialectId, WireId } from './codec.ts';
import { dialects } from './codecs.ts';
import { conversionsPage } from './conversions.ts';
import { models, overTheNetwork, wireIds, wires } from './testing/bridge.ts';
import { officialFields, watched } from './testing/official-fields.ts';

test('the page in docs matches the code; vitest -u writes it', async () => {
  await expect(conversionsPage()).toMatchFileSnapshot('../../../docs/conversions.md');
});

/** Requests that make a reader access every known member, and the types by position. */
const official: [DialectId, type: string, place: string, request: Json][] = [
  ['openai', 'ChatCompletionCreateParamsBase', '', { model: 'm', messages: [{ role: 'user', content: 'x' }] }],
  ['responses', 'ResponseCreateParamsBase', '', { model: 'm', input: 'x' }],
  [
    'anthropic',
    'MessageCreateParamsBase',
    '',
    { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] },
  ],
  [
    'gemini',
    'GenerationConfig',
    'generationConfig',
    { contents: [{ parts: [{ text: 'x' }] }], generationConfig: { responseMimeType: 'application/json' } },
  ],
];

/** Client members sent as headers, not in the body. */
const headers = new Set(['user_profile_id', 'workspace_id']);

test.each(official)('every field of a request of %s (%s) is read or known as dropped', (id, type, place, request) => {
  const asked = new Set<string>();
  dialects[id].readRequest(watched(request, asked), { model: 'm' });
  const dropped = new Set(dialects[id].dropped.map(({ field }) => field));
  const at = (field: string) => (place === '' ? field : `${place}.${field}`);
  const fields = officialFields(id, type).filter((field) => !headers.has(field));
  expect(fields.length).toBeGreaterThan(10);
  expect(fields.filter((field) => !asked.has(at(field)) && !dropped.has(at(field)))).toEqual([]);
  // Members that are only repeated in the reply count as dropped, although they are read.
  const repeated = dialects[id].dropped.filter(({ why }) => why.startsWith('repeated')).map(({ field }) => field);
  expect(fields.filter((field) => asked.has(at(field)) && dropped.has(at(field)) && !repeated.includes(field))).toEqual(
    [],
  );
});

const schema = { type: 'object', properties: {}, additionalProperties: false };

/** A request, and a variant for each field. */
const base: ChatRequest = {
  model: 'm',
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'x' }] }],
  tools: [{ name: 'f', schema }],
  stop: [],
  stream: false,
  includeUsage: false,
};
const differing: Partial<Record<keyof ChatRequest, ChatRequest[keyof ChatRequest]>> = {
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'y' }] }],
  tools: [{ name: 'g', schema }],
  toolChoice: { mode: 'required' },
  parallelToolCalls: false,
  maxOutput: 77,
  temperature: 0.7,
  topP: 0.7,
  topK: 7,
  stop: ['END'],
  seed: 7,
  frequencyPenalty: 0.7,
  presencePenalty: 0.7,
  format: { type: 'json_schema', schema },
  reasoning: { effort: 'high' },
  verbosity: 'low',
  modalities: ['text', 'image'],
  user: 'u',
  serviceTier: 'default',
  cacheKey: 'k',
  mcpServers: [{ field: 'f', name: 'docs', url: 'https://docs.example/mcp' }],
  stream: true,
};
/** Two kinds of models behind one wire: one takes sampling, the other reasoning. */
const alternatives: Partial<Record<WireId, string[]>> = {
  openai: ['gpt-4.1', 'gpt-5.1'],
  responses: ['gpt-4.1', 'gpt-5.1'],
};

describe.each(wireIds)('to %s', (wire) => {
  const written = (request: ChatRequest) =>
    JSON.stringify(
      (alternatives[wire] ?? [models[wire]]).map((model) =>
        overTheNetwork(wires[wire].writeRequest(request, { model })),
      ),
    );
  const dropped = wires[wire].dropped.map(({ field }) => field);

  test.each(Object.keys(differing) as (keyof ChatRequest)[])('%s is written, or known as dropped', (field) => {
    const changes = written({ ...base, [field]: differing[field] }) !== written(base);
    // Gemini's streaming flag is part of the URL.
    if (wire === 'gemini' && field === 'stream') expect(changes).toBe(false);
    else expect(changes).toBe(!dropped.includes(field));
  });
});

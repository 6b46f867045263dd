import { expect, test } from 'vitest';
import type { Dialect } from '#domain/playground/playground-types.ts';
import { buildRequest } from './build-request.ts';
import { sameRequest } from './same-request.ts';

const said = [
  { role: 'user', content: 'Hello' },
  { role: 'assistant', content: 'Hi' },
  { role: 'user', content: 'Tell me more' },
];
const tool = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } };
const picture = { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }] };

/** The draft sent without a change, from the conversation that the playground opens. */
function sentAgain(dialect: Dialect, body: object): { rounds: number; draft: string; json: unknown } {
  const same = sameRequest({ dialect, model: 'named-elsewhere', body: JSON.stringify(body) });
  if (!same) throw new Error('unreadable');
  const { settings, rounds, draft } = same;
  const all = [...rounds, { text: draft, files: [], answers: [] }].map((round, at) => ({ ...round, id: String(at) }));
  return { rounds: rounds.length, draft, json: JSON.parse(buildRequest(settings, all, 0).body ?? '') };
}

test.each<[name: string, dialect: Dialect, body: object, rounds: number, draft: string]>([
  ['a chat', 'chat', { model: 'm', messages: said, temperature: 0.2, seed: 7 }, 1, 'Tell me more'],
  [
    'a system prompt',
    'chat',
    { model: 'm', messages: [{ role: 'system', content: 'Be brief' }, ...said] },
    1,
    'Tell me more',
  ],
  [
    'tools and unknown fields',
    'chat',
    { model: 'm', messages: said.slice(0, 1), tools: [tool], extra: { a: 1 } },
    0,
    'Hello',
  ],
  ['a picture', 'chat', { model: 'm', messages: [...said, picture] }, 0, 'Tell me more'],
  ['a message with a name', 'chat', { model: 'm', messages: [{ role: 'user', content: 'Hi', name: 'ann' }] }, 0, '…'],
  ['Anthropic', 'messages', { model: 'm', max_tokens: 5, system: 'Be brief', messages: said }, 1, 'Tell me more'],
  ['a response to a text', 'responses', { model: 'm', input: 'Hello', store: false }, 0, 'Hello'],
])('%s is sent as it was', (_, dialect, body, rounds, draft) => {
  const again = sentAgain(dialect, body);
  expect(again).toMatchObject({ rounds, draft });
  const { input, ...rest } = body as { input?: string };
  expect(again.json).toMatchObject(rest);
  if (input !== undefined) expect(JSON.stringify(again.json)).toContain(input);
});

test('Gemini names its model in the path', () => {
  const body = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }], generationConfig: { topK: 3 } };
  expect(sentAgain('gemini', body).json).toEqual(body);
  const same = sameRequest({ dialect: 'gemini', model: 'gemini-x', body: JSON.stringify(body) });
  expect(same?.settings.models).toEqual(['gemini-x']);
});

test.each(['', '[]', '{"model":"m","messages":[', '--form\r\nname="model"'])(
  '%j is no request that can be shown',
  (body) => {
    expect(sameRequest({ dialect: 'chat', model: 'm', body })).toBeUndefined();
  },
);

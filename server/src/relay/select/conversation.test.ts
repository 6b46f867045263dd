import { describe, expect, test } from 'vitest';
import { conversationNamed, conversationOf } from './conversation.ts';

const tenant = { userId: 1, tokenId: 1 };
type Request = { headers?: Record<string, string>; json?: object; model?: string };
const idOf = ({ headers = {}, json = {}, model = 'm' }: Request, of = tenant): string | undefined =>
  conversationOf(of, { headers, json, model })?.id;

const session = '6f1c1d2e-0000-4000-8000-123456789abc';
const ask = (text: string) => ({ messages: [{ role: 'user', content: text }] });
const claudeUser = JSON.stringify({ device_id: 'd', account_uuid: 'a', session_id: session, parent_session_id: 'p' });

/** Signs of a session, as clients send them, with what changes from call to call. */
const signs: [client: string, first: Request, later: Request][] = [
  [
    'Claude Code by its header, whatever its request id',
    { headers: { 'x-claude-code-session-id': session, 'x-client-request-id': '1' }, json: ask('a') },
    { headers: { 'x-claude-code-session-id': session, 'x-client-request-id': '2' }, json: ask('b') },
  ],
  [
    'Claude Code by metadata.user_id',
    { json: { ...ask('a'), metadata: { user_id: claudeUser } } },
    { json: { ...ask('b'), metadata: { user_id: claudeUser } } },
  ],
  [
    'an older Claude Code',
    { json: { ...ask('a'), metadata: { user_id: `user_f00_account_a1_session_${session}` } } },
    { json: { ...ask('b'), metadata: { user_id: `user_f00_account_a1_session_${session}` } } },
  ],
  [
    'Codex',
    { headers: { 'session-id': session, 'thread-id': 't' }, json: { input: 'a', prompt_cache_key: session } },
    { headers: { 'session-id': session, 'thread-id': 't' }, json: { input: 'b', prompt_cache_key: session } },
  ],
  ['an older Codex', { headers: { session_id: session }, json: ask('a') }, { headers: { session_id: session } }],
  ...[
    'x-session-id',
    'x-session-affinity',
    'x-opencode-session',
    'x-amp-thread-id',
    'x-hermes-session-id',
    'x-deepseek-harness-session-id',
    'x-litellm-session-id',
    'x-grok-conv-id',
  ].map((name): [string, Request, Request] => [
    name,
    { headers: { [name]: session }, json: ask('a') },
    { headers: { [name]: session }, json: ask('b') },
  ]),
  [
    'session_id of the body, before a header',
    { headers: { 'x-session-id': 'one' }, json: { session_id: session } },
    { headers: { 'x-session-id': 'two' }, json: { session_id: session } },
  ],
  [
    'the start of a chat, with marks of the cache that move on',
    {
      json: {
        tools: [{ type: 'function', function: { name: 'read' } }],
        messages: [
          { role: 'system', content: 's' },
          { role: 'user', content: [{ type: 'text', text: 'hello', cache_control: { type: 'ephemeral' } }] },
        ],
      },
    },
    {
      json: {
        tools: [{ type: 'function', function: { name: 'read' } }],
        messages: [
          { role: 'system', content: 's' },
          { role: 'user', content: [{ type: 'text', text: 'hello' }] },
          { role: 'assistant', content: 'hi' },
          { role: 'user', content: 'go on' },
        ],
      },
    },
  ],
  [
    'the start of Responses',
    { json: { instructions: 'i', input: [{ role: 'user', content: 'a' }] } },
    {
      json: {
        instructions: 'i',
        input: [
          { role: 'user', content: 'a' },
          { type: 'reasoning', id: 'rs_1' },
        ],
      },
    },
  ],
  [
    'the start of Messages, without the version in Claude Code’s first text',
    { json: { system: [{ text: 'x-anthropic-billing-header: cc_version=1;' }, { text: 's' }], ...ask('a') } },
    { json: { system: [{ text: 'x-anthropic-billing-header: cc_version=2;' }, { text: 's' }], ...ask('a') } },
  ],
  [
    'the start of Gemini',
    { json: { systemInstruction: { parts: [{ text: 's' }] }, contents: [{ role: 'user', parts: [{ text: 'a' }] }] } },
    {
      json: {
        systemInstruction: { parts: [{ text: 's' }] },
        contents: [
          { role: 'user', parts: [{ text: 'a' }] },
          { role: 'model', parts: [{ text: 'b' }] },
        ],
      },
    },
  ],
];

test.each(signs)('turns are one conversation by the sign of %s', (_, first, later) => {
  expect(idOf(first)).toBe(idOf(later));
});

describe('these are conversations of their own', () => {
  const chat = { json: ask('a') };
  const manyTools = Array.from({ length: 60 }, (_, n) => ({ name: `tool ${n}`, description: 'd'.repeat(900) }));
  const cases: [string, Request, Request][] = [
    ['another model', chat, { ...chat, model: 'other' }],
    ['another first message', chat, { json: ask('b') }],
    ['another system text', chat, { json: { system: 's', ...ask('a') } }],
    ['other tools', chat, { json: { tools: [{ name: 'x' }], ...ask('a') } }],
    [
      'conversations of an app with a constant prompt_cache_key',
      { json: { prompt_cache_key: 'app', ...ask('a') } },
      { json: { prompt_cache_key: 'app', ...ask('b') } },
    ],
    [
      'conversations of one person',
      { json: { metadata: { user_id: 'person' }, ...ask('a') } },
      { json: { metadata: { user_id: 'person' }, ...ask('b') } },
    ],
    ['persons with the same question', { json: { user: 'one', ...ask('a') } }, { json: { user: 'two', ...ask('a') } }],
    [
      'agents of a session',
      { headers: { 'x-claude-code-session-id': session } },
      { headers: { 'x-claude-code-session-id': session, 'x-claude-code-agent-id': 'sub' } },
    ],
    [
      'threads of a session',
      { headers: { 'session-id': session, 'thread-id': 'a' } },
      { headers: { 'session-id': session, 'thread-id': 'b' } },
    ],
    [
      'questions behind many tools and a long system text',
      { json: { tools: manyTools, system: 's'.repeat(50_000), ...ask('a') } },
      { json: { tools: manyTools, system: 's'.repeat(50_000), ...ask('b') } },
    ],
    ['texts that differ in the middle and in length', { json: ask('a'.repeat(999)) }, { json: ask('a'.repeat(998)) }],
  ];
  test.each(cases)('%s', (_, one, other) => {
    expect(idOf(one)).not.toBe(idOf(other));
  });
});

test('a session id that another user or token sends is another conversation', () => {
  const request = { headers: { 'x-session-id': session } };
  const ids = [tenant, { userId: 2, tokenId: 1 }, { userId: 1, tokenId: 2 }].map((of) => idOf(request, of));
  expect(new Set(ids).size).toBe(3);
});

test('a body of any form takes bounded work, and one that is no object has no conversation', () => {
  let deep: unknown = 'end';
  for (let i = 0; i < 50_000; i++) deep = [deep];
  const wide = Array.from({ length: 100_000 }, () => ({ role: 'system', content: ['x'] }));
  for (const messages of [deep, wide, { length: 3 }, 7, null, [null, [], { role: 'user', content: 1 }]])
    expect(idOf({ json: { messages, tools: messages, metadata: messages } })).toHaveLength(32);
  for (const json of [undefined, null, [], 'text', 3])
    expect(conversationOf(tenant, { headers: {}, json, model: 'm' })).toBeUndefined();
});

test('a session can be named to explain where it is kept', () => {
  expect(conversationNamed(tenant, 'm', session).id).toBe(idOf({ headers: { 'x-claude-code-session-id': session } }));
});

import { describe, expect, test } from 'vitest';
import type { Json } from '#json.ts';
import { provider as bedrock } from './adapters/bedrock.ts';
import { provider as vertex } from './adapters/vertex.ts';
import { changed } from './fixes.ts';
import type { ProviderCall } from './operation.ts';
import { operationFor } from './target.ts';

const callTo =
  (key: string, other: string, model: string) =>
  (flags: string): ProviderCall => ({
    model,
    baseUrl: 'https://cloud.test',
    extras: { other, plugin: {} },
    key,
    token: 't',
    stream: false,
    callerHeaders: flags === '' ? {} : { 'anthropic-beta': flags },
  });

const clouds = [
  {
    name: 'Bedrock',
    provider: bedrock,
    callWith: callTo('us-east-1|token', '', 'anthropic.claude-sonnet-4-5-20250929-v1:0'),
    flagsIn: (body: Json) => body['anthropic_beta'] ?? [],
    examples: true,
  },
  {
    name: 'Vertex AI',
    provider: vertex,
    callWith: callTo('{"project_id":"p"}', 'global|p', 'claude-sonnet-4-5'),
    flagsIn: (_: Json, headers: Json) => (headers['anthropic-beta'] as string | undefined)?.split(',') ?? [],
    examples: false,
  },
];

describe.each(clouds)('Claude at $name', ({ provider, callWith, flagsIn, examples }) => {
  const send = (flags: string, body: Json) => {
    const call = callWith(flags);
    const operation = operationFor(provider.chat, call, 'anthropic')!;
    const sent = changed(body, operation.fix?.(body, call) ?? {});
    return { sent, lost: operation.lost?.(body, call), flags: flagsIn(sent, operation.target!(call).headers) };
  };
  const tool = { name: 'f', input_schema: { type: 'object' } };
  const searchFlags = ['tool-search-tool-2025-10-19', ...(examples ? ['tool-examples-2025-10-29'] : [])];

  test.each<[string, string, readonly string[], readonly string[]]>([
    ['nothing', '', [], []],
    [
      'what Claude Code sends',
      'claude-code-20250219,interleaved-thinking-2025-05-14, prompt-caching-scope-2026-01-05',
      ['interleaved-thinking-2025-05-14'],
      ['anthropic-beta.claude-code-20250219', 'anthropic-beta.prompt-caching-scope-2026-01-05'],
    ],
    ['one that has other names there', 'advanced-tool-use-2025-11-20', searchFlags, []],
    ['a name of JavaScript', 'constructor', [], ['anthropic-beta.constructor']],
  ])('gets the flags that it knows, and the others are named: %s', (_, asked, expected, named) => {
    const { flags, lost } = send(asked, {});
    expect({ flags, lost }).toEqual({ flags: expected, lost: named });
  });

  test.each<[string, Json, Json, readonly string[]]>([
    [
      'oauth-2025-04-20',
      { context_management: { edits: [] }, max_tokens: 9 },
      { max_tokens: 9 },
      ['context_management'],
    ],
    ['context-management-2025-06-27', { context_management: {} }, { context_management: {} }, []],
    [
      'advanced-tool-use-2025-11-20',
      { tools: [{ ...tool, defer_loading: true }] },
      { tools: [{ ...tool, defer_loading: true }] },
      [],
    ],
    ['', { tools: [{ ...tool, defer_loading: true }, tool] }, { tools: [tool, tool] }, ['tools.defer_loading']],
    ['mcp-client-2025-11-20', { mcp_servers: [], speed: 'fast' }, {}, ['mcp_servers', 'speed']],
    [
      'prompt-caching-scope-2026-01-05',
      {
        messages: [
          { role: 'user', content: [{ type: 'text', cache_control: { type: 'ephemeral', scope: 'global' } }] },
        ],
      },
      { messages: [{ role: 'user', content: [{ type: 'text', cache_control: { type: 'ephemeral' } }] }] },
      ['messages.cache_control.scope'],
    ],
  ])('gets no member that belongs to a flag that it lacks: %s, %j', (flags, body, expected, named) => {
    const { sent, lost } = send(flags, body);
    const { anthropic_version: _, anthropic_beta: __, ...rest } = sent;
    expect(rest).toEqual(expected);
    expect(lost!.filter((name) => !name.startsWith('anthropic-beta.'))).toEqual(named);
  });
});

test.each<[string, string | undefined, string]>([
  ['anthropic.claude-sonnet-4-5-20250929-v1:0', undefined, 'anthropic'],
  ['arn:aws:bedrock:us-east-1:1:application-inference-profile/x', 'claude-sonnet-4-5', 'anthropic'],
  ['arn:aws:bedrock:us-east-1:1:application-inference-profile/x', 'nova', 'own'],
  ['amazon.nova-pro-v1:0', 'claude-sonnet-4-5', 'own'],
])(
  'a model at Bedrock is Claude by its own name, or behind an ARN by the caller’s: %s, %s',
  (model, requested, dialect) => {
    const about = { model, requested, baseUrl: '', extras: { other: '', plugin: {} } };
    expect(operationFor(bedrock.chat, about, 'anthropic')?.dialect).toBe(dialect);
  },
);

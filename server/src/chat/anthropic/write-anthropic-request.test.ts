import { describe, expect, test } from 'vitest';
import type { Json } from '#json.ts';
import type { ChatRequest, Part, Reasoning } from '../chat.ts';
import { overTheNetwork } from '../testing/bridge.ts';
import { assistant, call, neutral, results, user } from '../testing/neutral-request.ts';
import { claudeSchema } from './anthropic-schema.ts';
import { writeAnthropicRequest } from './write-anthropic-request.ts';

const write = (more: Partial<ChatRequest> = {}, model = 'claude-sonnet-4-5'): Json =>
  overTheNetwork(writeAnthropicRequest(neutral(more), { model }));
const turns = (messages: ChatRequest['messages'], model?: string) => write({ messages }, model)['messages'];
const block = (said: string) => ({ type: 'text', text: said });

test('the least that a request can be', () => {
  expect(write()).toEqual({
    model: 'claude-sonnet-4-5',
    max_tokens: 32_000,
    messages: [{ role: 'user', content: [block('Hello')] }],
  });
});

test.each([
  ['claude-3-haiku-20240307', 4096],
  ['claude-3-5-sonnet-20241022', 8192],
  ['claude-opus-4-1-20250805', 32_000],
  ['claude-opus-5-5', 32_000],
  ['us.anthropic.claude-sonnet-4-20250514-v1:0', 32_000],
  ['kimi-k2', 8192],
])('%s is asked for %i tokens when the caller names no limit', (model, most) => {
  expect(write({}, model)['max_tokens']).toBe(most);
  expect(write({ maxOutput: 7 }, model)['max_tokens']).toBe(7);
  expect(writeAnthropicRequest(neutral(), { model, defaultMaxOutput: 99 })['max_tokens']).toBe(99);
});

describe('reasoning', () => {
  const rows: [what: string, model: string, reasoning: Reasoning, more: Json][] = [
    ['no field', 'claude-3-5-haiku-20241022', { effort: 'high' }, {}],
    [
      'a share of the limit',
      'claude-sonnet-4-5',
      { effort: 'low' },
      { thinking: { type: 'enabled', budget_tokens: 2000 } },
    ],
    [
      'half of the limit',
      'claude-sonnet-4-5',
      { effort: 'medium' },
      { thinking: { type: 'enabled', budget_tokens: 5000 } },
    ],
    [
      'the budget itself',
      'claude-3-7-sonnet-latest',
      { budget: 3000 },
      { thinking: { type: 'enabled', budget_tokens: 3000 } },
    ],
    [
      'a budget that leaves room',
      'claude-opus-4-1',
      { budget: 50_000 },
      { thinking: { type: 'enabled', budget_tokens: 9744 } },
    ],
    [
      'the least budget',
      'claude-opus-4-1',
      { effort: 'minimal' },
      { thinking: { type: 'enabled', budget_tokens: 1024 } },
    ],
    ['off', 'claude-sonnet-4-5', { effort: 'none' }, {}],
    ['only shown or not', 'claude-sonnet-4-5', { show: true }, {}],
    [
      'by itself',
      'claude-opus-4-6',
      { effort: 'high' },
      { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    ],
    [
      'by itself, from a budget',
      'claude-opus-4-7',
      { budget: 20_000, show: true },
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'high' } },
    ],
    [
      'by itself, without an effort',
      'claude-sonnet-5',
      { dynamic: true, show: false },
      { thinking: { type: 'adaptive', display: 'omitted' } },
    ],
    [
      'an effort that the model does not know',
      'claude-sonnet-4-6',
      { effort: 'xhigh' },
      { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    ],
    [
      'an effort that newer models know',
      'claude-opus-5',
      { effort: 'xhigh' },
      { thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } },
    ],
    ['turned off', 'claude-opus-5', { effort: 'none' }, { thinking: { type: 'disabled' } }],
    ['never off', 'claude-fable-5-1', { effort: 'none' }, { output_config: { effort: 'low' } }],
  ];

  test.each(rows)('%s (%s)', (_, model, reasoning, more) => {
    const { thinking, output_config: output } = write({ reasoning, maxOutput: 10_000 }, model);
    expect({ thinking, output_config: output }).toEqual({ thinking: undefined, output_config: undefined, ...more });
  });

  test('a limit below the least budget leaves it out', () => {
    expect(write({ reasoning: { effort: 'high' }, maxOutput: 1000 })).not.toHaveProperty('thinking');
  });

  test('a budget fixes the sampling', () => {
    expect(write({ reasoning: { budget: 2000 }, temperature: 0.5, topK: 3 })).not.toHaveProperty('temperature');
  });

  test('thinking yields to what excludes it: a forced tool, and a loop whose thinking was lost', () => {
    const tools = [{ name: 'f' }];
    const asked = { reasoning: { budget: 2000 }, tools };
    expect(write({ ...asked, toolChoice: { mode: 'required' } })).not.toHaveProperty('thinking');
    expect(write({ ...asked, messages: [user('A'), assistant(call('x')), results('x')] })).not.toHaveProperty(
      'thinking',
    );
    const signed: Part = { type: 'thinking', text: 'Hm', signature: { kind: 'anthropic', value: 'SIG' } };
    const loop = [user('A'), assistant(signed, call('x')), results('x')];
    expect(write({ ...asked, messages: loop })).toHaveProperty('thinking');
  });

  test('earlier reasoning comes back only when Claude signed it', () => {
    const thinking = (signature?: Extract<Part, { type: 'thinking' }>['signature']): Part => ({
      type: 'thinking',
      text: 'Hm',
      signature,
    });
    const list = [
      user('A'),
      assistant(thinking(), thinking({ kind: 'gemini', value: 'G' }), thinking({ kind: 'anthropic', value: 'S' }), 'B'),
      user('C'),
    ];
    expect(turns(list)).toMatchObject([
      {},
      { content: [{ type: 'thinking', thinking: 'Hm', signature: 'S' }, block('B')] },
      {},
    ]);
  });
});

describe('sampling', () => {
  const sampling = { temperature: 1.7, topP: 0.5, topK: 3 };
  test.each<[string, Json]>([
    ['claude-3-haiku-20240307', { temperature: 1, top_p: 0.5, top_k: 3 }],
    ['claude-sonnet-4-5', { temperature: 1, top_k: 3 }],
    ['claude-opus-4-7', {}],
    ['claude-sonnet-5', {}],
  ])('%s', (model, expected) => {
    const { temperature, top_p, top_k } = write(sampling, model);
    expect({ temperature, top_p, top_k }).toEqual({
      temperature: undefined,
      top_p: undefined,
      top_k: undefined,
      ...expected,
    });
  });
});

describe('tools', () => {
  const tools = [
    { name: 'f', description: 'd', strict: true, cache: {} },
    { name: 'g', custom: true },
  ];
  const f = {
    name: 'f',
    description: 'd',
    input_schema: { type: 'object', properties: {} },
    cache_control: { type: 'ephemeral' },
  };

  test('a wish to search the web is the vendor’s search, beside functions', () => {
    const search = { type: 'web_search_20250305', name: 'web_search' };
    expect(write({ webSearch: {} })['tools']).toEqual([search]);
    const place = { type: 'approximate', country: 'IT', city: 'Rome' };
    const body = write({ tools: [{ name: 'f' }], webSearch: { country: 'IT', city: 'Rome' } });
    expect(body['tools']).toMatchObject([{ name: 'f' }, { ...search, user_location: place }]);
    expect(write({ tools: [{ name: 'web_search' }], webSearch: {} })['tools']).toMatchObject([{ name: 'web_search' }]);
    expect(write({ tools: [{ name: 'web_search' }], webSearch: {} })['tools']).toHaveLength(1);
  });

  test('functions and custom tools', () => {
    expect(write({ tools })['tools']).toMatchObject([f, { name: 'g', input_schema: { required: ['input'] } }]);
  });

  test.each<[string, Partial<ChatRequest>, unknown]>([
    ['nothing said', {}, undefined],
    ['one at a time', { parallelToolCalls: false }, { type: 'auto', disable_parallel_tool_use: true }],
    ['any', { toolChoice: { mode: 'required' } }, { type: 'any' }],
    [
      'this',
      { toolChoice: { mode: 'required', names: ['f'] }, parallelToolCalls: false },
      { type: 'tool', name: 'f', disable_parallel_tool_use: true },
    ],
    ['none', { toolChoice: { mode: 'none' }, parallelToolCalls: false }, { type: 'none' }],
  ])('%s', (_, more, choice) => {
    expect(write({ tools, ...more })['tool_choice']).toEqual(choice);
  });

  test('of allowed ones, the others are not offered', () => {
    const body = write({ tools, toolChoice: { mode: 'auto', names: ['f'] } });
    expect([body['tools'], body['tool_choice']]).toEqual([[f], { type: 'auto' }]);
  });

  test('a model that takes no forced tool is left to choose', () => {
    expect(write({ tools, toolChoice: { mode: 'required' } }, 'claude-opus-5-5')['tool_choice']).toEqual({
      type: 'auto',
    });
  });
});

describe('the form of the answer', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } };
  const format = { type: 'json_schema' as const, schema };

  test('a schema', () => {
    expect(write({ format })['output_config']).toEqual({
      format: { type: 'json_schema', schema: claudeSchema(schema) },
    });
  });

  test('for an older model, and without a schema, in words', () => {
    const told = (body: Json) => JSON.stringify(body['system']);
    expect(told(write({ format }, 'claude-3-7-sonnet'))).toContain('\\"minimum\\":1');
    expect(told(write({ format: { type: 'json' } }))).toContain('JSON object');
  });

  test('limits that Claude does not enforce go into the description; objects are closed', () => {
    expect(
      claudeSchema({
        $schema: 'x',
        type: 'object',
        description: 'A person',
        properties: {
          age: { type: 'integer', minimum: 0 },
          mail: { type: 'string', format: 'email', maxLength: 9 },
          tags: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string' } },
        },
        required: ['age'],
        oneOf: [{ type: 'object', properties: {} }],
      }),
    ).toEqual({
      type: 'object',
      description: 'A person',
      properties: {
        age: { type: 'integer', description: '(minimum: 0)' },
        mail: { type: 'string', format: 'email', description: '(maxLength: 9)' },
        tags: { type: 'array', minItems: 1, items: { type: 'string' }, description: '(maxItems: 3)' },
      },
      required: ['age'],
      anyOf: [{ type: 'object', properties: {}, additionalProperties: false }],
      additionalProperties: false,
    });
  });
});

test('the rest', () => {
  expect(write({ stop: ['A', 'B'], user: 'u', serviceTier: 'default', stream: true })).toMatchObject({
    stop_sequences: ['A', 'B'],
    metadata: { user_id: 'u' },
    service_tier: 'standard_only',
    stream: true,
  });
});

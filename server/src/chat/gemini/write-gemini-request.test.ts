import { describe, expect, test } from 'vitest';
import type { Json } from '#json.ts';
import type { ChatRequest, Part, Reasoning } from '../chat.ts';
import { overTheNetwork } from '../testing/bridge.ts';
import { assistant, call, neutral, results, system, user } from '../testing/neutral-request.ts';
import { expectRefusal } from '../testing/refusals.ts';
import { writeGeminiRequest } from './write-gemini-request.ts';

const write = (more: Partial<ChatRequest> = {}, model = 'gemini-2.5-flash'): Json =>
  overTheNetwork(writeGeminiRequest(neutral(more), { model }));
const contents = (messages: ChatRequest['messages'], model?: string) => write({ messages }, model)['contents'];

test('the least that a request can be', () => {
  expect(write()).toEqual({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] });
});

describe('a conversation', () => {
  test('consecutive messages of one role are one content, instructions come first', () => {
    const body = write({ messages: [system('One.'), user('A'), system('Two.'), user('B'), assistant('C'), user('D')] });
    expect(body['systemInstruction']).toEqual({ parts: [{ text: 'One.' }, { text: 'Two.' }] });
    expect(body['contents']).toEqual([
      { role: 'user', parts: [{ text: 'A' }, { text: 'B' }] },
      { role: 'model', parts: [{ text: 'C' }] },
      { role: 'user', parts: [{ text: 'D' }] },
    ]);
  });

  test('instructions alone are what the user says', () => {
    expect(write({ messages: [system('Tell a joke.')] })).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Tell a joke.' }] }],
    });
  });

  test('calls at once and their results, which have the names of their calls', () => {
    const list = [user('A'), assistant('B', call('x', 'f', '{"n":1}'), call('y', 'g')), results('x', 'y')];
    expect(contents(list)).toEqual([
      { role: 'user', parts: [{ text: 'A' }] },
      {
        role: 'model',
        parts: [
          { text: 'B' },
          { functionCall: { id: 'x', name: 'f', args: { n: 1 } } },
          { functionCall: { id: 'y', name: 'g', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'x', name: 'f', response: { output: 'of x' } } },
          { functionResponse: { id: 'y', name: 'g', response: { output: 'of y' } } },
        ],
      },
    ]);
  });

  test('results that are JSON, and results that are errors', () => {
    const parts: Part[] = [
      { type: 'tool_result', id: 'x', content: [{ type: 'text', text: '{"n":1}' }] },
      { type: 'tool_result', id: 'x', content: [{ type: 'text', text: 'gone' }], isError: true },
      { type: 'tool_result', id: 'x', content: [] },
    ];
    const [, , last] = contents([user('A'), assistant(call('x')), { role: 'tool', parts }]) as {
      parts: { functionResponse: Json }[];
    }[];
    expect(last!.parts.map(({ functionResponse }) => functionResponse['response'])).toEqual([
      { n: 1 },
      { error: 'gone' },
      { output: '' },
    ]);
  });

  test('a result that answers no call is refused', () => {
    expectRefusal(() => contents([user('A'), results('x')]), 'messages');
  });

  test('a picture in a result is part of it for new models, behind it for older ones', () => {
    const picture = { type: 'image' as const, source: { mime: 'image/png', base64: 'iVBO' } };
    const list = [
      user('A'),
      assistant(call('x')),
      { role: 'tool' as const, parts: [{ type: 'tool_result' as const, id: 'x', content: [picture] }] },
    ];
    const inlineData = { mimeType: 'image/png', data: 'iVBO' };
    const response = { id: 'x', name: 'f', response: { output: '' } };
    expect(contents(list, 'gemini-3-flash')).toMatchObject([
      {},
      {},
      { parts: [{ functionResponse: { ...response, parts: [{ inlineData }] } }] },
    ]);
    expect(contents(list)).toMatchObject([{}, {}, { parts: [{ functionResponse: response }, { inlineData }] }]);
  });

  test('a call that no Gemini signed is marked so for models that ask for it, once for calls at once', () => {
    const list = [user('A'), assistant(call('x'), call('y')), results('x', 'y')];
    const signatures = (model: string) =>
      (contents(list, model) as { parts: Json[] }[])[1]!.parts.map((part) => part['thoughtSignature']);
    expect(signatures('gemini-3.1-pro')).toEqual(['skip_thought_signature_validator', undefined]);
    expect(signatures('gemini-flash-latest')).toEqual(['skip_thought_signature_validator', undefined]);
    expect(signatures('gemini-2.5-flash')).toEqual([undefined, undefined]);
  });

  test('a signature received before its call belongs to that call, and to no other', () => {
    const carrier: Part = { type: 'thinking', text: '', signature: { kind: 'gemini', value: 'SIG' } };
    const list = [user('A'), assistant(carrier, call('x'), call('y')), results('x', 'y')];
    const [, answer] = contents(list, 'gemini-3-flash') as { parts: Json[] }[];
    expect(answer!.parts.map((part) => part['thoughtSignature'])).toEqual(['SIG', undefined]);
  });

  test('pictures, sound, files and addresses', () => {
    const parts: Part[] = [
      { type: 'image', source: { mime: 'image/png', base64: 'iVBO' } },
      { type: 'image', source: { url: 'https://x/y' } },
      { type: 'audio', mime: 'audio/mp3', base64: 'SUQz' },
      { type: 'file', source: { mime: 'application/pdf', base64: 'JVBE' } },
      { type: 'file', source: { url: 'https://youtu.be/x' }, mime: 'video/mp4' },
      { type: 'file', source: { text: 'plain' } },
    ];
    expect(contents([{ role: 'user', parts }])).toEqual([
      {
        role: 'user',
        parts: [
          { inlineData: { mimeType: 'image/png', data: 'iVBO' } },
          { fileData: { fileUri: 'https://x/y', mimeType: 'image/jpeg' } },
          { inlineData: { mimeType: 'audio/mp3', data: 'SUQz' } },
          { inlineData: { mimeType: 'application/pdf', data: 'JVBE' } },
          { fileData: { fileUri: 'https://youtu.be/x', mimeType: 'video/mp4' } },
          { text: 'plain' },
        ],
      },
    ]);
  });
});

describe('reasoning', () => {
  const rows: [model: string, reasoning: Reasoning, config: Json | undefined][] = [
    ['gemini-2.0-flash', { effort: 'high' }, undefined],
    ['gemini-2.5-flash', { effort: 'medium' }, { thinkingBudget: 8192 }],
    ['gemini-2.5-flash', { effort: 'none' }, { thinkingBudget: 0 }],
    ['gemini-2.5-pro', { effort: 'none' }, { thinkingBudget: 128 }],
    ['gemini-2.5-flash', { budget: 99_999 }, { thinkingBudget: 24_576 }],
    ['gemini-2.5-pro', { budget: 99_999, show: true }, { thinkingBudget: 32_768, includeThoughts: true }],
    ['gemini-2.5-flash', { dynamic: true }, { thinkingBudget: -1 }],
    ['gemini-3-flash', { effort: 'minimal' }, { thinkingLevel: 'MINIMAL' }],
    ['gemini-3-flash', { effort: 'medium' }, { thinkingLevel: 'MEDIUM' }],
    ['gemini-3-flash', { budget: 1500 }, { thinkingLevel: 'LOW' }],
    ['gemini-3-pro-preview', { effort: 'medium' }, { thinkingLevel: 'HIGH' }],
    ['gemini-3.1-pro', { effort: 'medium' }, { thinkingLevel: 'MEDIUM' }],
    ['gemini-3-pro-preview', { effort: 'none' }, { thinkingLevel: 'LOW' }],
    ['gemini-3-flash', { effort: 'max', show: false }, { thinkingLevel: 'HIGH', includeThoughts: false }],
    ['gemini-3-flash', { dynamic: true }, undefined],
  ];

  test.each(rows)('%s with %o', (model, reasoning, config) => {
    expect((write({ reasoning }, model)['generationConfig'] as Json | undefined)?.['thinkingConfig']).toEqual(config);
  });
});

describe('tools', () => {
  const schema = { $schema: 'x', type: 'object', properties: {} };
  const tools = [
    { name: 'f', description: 'd', schema },
    { name: 'g', custom: true },
  ];

  test('functions and custom tools', () => {
    expect(write({ tools })['tools']).toMatchObject([
      {
        functionDeclarations: [
          { name: 'f', description: 'd', parametersJsonSchema: { type: 'object', properties: {} } },
          { name: 'g', parametersJsonSchema: { required: ['input'] } },
        ],
      },
    ]);
  });

  test.each<[ChatRequest['toolChoice'], unknown]>([
    [undefined, undefined],
    [{ mode: 'auto' }, { mode: 'AUTO' }],
    [{ mode: 'none' }, { mode: 'NONE' }],
    [{ mode: 'required' }, { mode: 'ANY' }],
    [
      { mode: 'required', names: ['f'] },
      { mode: 'ANY', allowedFunctionNames: ['f'] },
    ],
  ])('%o', (toolChoice, config) => {
    const { toolConfig } = write({ tools, toolChoice });
    expect((toolConfig as Json | undefined)?.['functionCallingConfig']).toEqual(config);
  });

  test('functions named as Google’s own tools are those tools', () => {
    const own = ['googleSearch', 'codeExecution', 'urlContext'].map((name) => ({ name, schema }));
    const builtIn = [{ googleSearch: {} }, { codeExecution: {} }, { urlContext: {} }];
    expect(write({ tools: own, toolChoice: { mode: 'required' } })).toMatchObject({ tools: builtIn });
    expect(write({ tools: own, toolChoice: { mode: 'required' } })).not.toHaveProperty('toolConfig');
    const mixed = write({ tools: [...own, tools[0]!], toolChoice: { mode: 'auto' }, webSearch: {} });
    expect(mixed['tools']).toMatchObject([...builtIn, { functionDeclarations: [{ name: 'f' }] }]);
    expect(mixed['toolConfig']).toEqual({ functionCallingConfig: { mode: 'AUTO' } });
  });

  test('a wish to search the web is Google’s search', () => {
    expect(write({ webSearch: { city: 'Rome' } })['tools']).toEqual([{ googleSearch: {} }]);
  });

  test('of allowed ones, the others are not offered', () => {
    const body = write({ tools, toolChoice: { mode: 'auto', names: ['f'] } });
    expect(JSON.stringify(body['tools'])).not.toContain('"g"');
  });
});

describe('the form of the answer', () => {
  const schema = { type: 'object', properties: {} };
  const format = { type: 'json_schema' as const, schema };
  const tools = [{ name: 'f', schema }];

  test('JSON, and a schema', () => {
    expect(write({ format: { type: 'json' } })['generationConfig']).toEqual({ responseMimeType: 'application/json' });
    expect(write({ format })['generationConfig']).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
    });
  });

  test('together with tools in words, unless the model takes both', () => {
    expect(write({ format, tools })).not.toHaveProperty('generationConfig');
    expect(JSON.stringify(write({ format, tools })['systemInstruction'])).toContain('JSON');
    expect(write({ format, tools }, 'gemini-3-flash')).toHaveProperty('generationConfig.responseJsonSchema');
  });
});

test('how it is drawn', () => {
  const stop = ['1', '2', '3', '4', '5', '6'];
  expect(
    write({
      maxOutput: 7,
      temperature: 0,
      topP: 0.5,
      topK: 3,
      stop,
      seed: 2 ** 40 + 5,
      frequencyPenalty: 1,
      presencePenalty: -1,
      modalities: ['text', 'image'],
      serviceTier: 'default',
    }),
  ).toMatchObject({
    serviceTier: 'standard',
    generationConfig: {
      maxOutputTokens: 7,
      temperature: 0,
      topP: 0.5,
      topK: 3,
      stopSequences: ['1', '2', '3', '4', '5'],
      seed: 5,
      frequencyPenalty: 1,
      presencePenalty: -1,
      responseModalities: ['TEXT', 'IMAGE'],
    },
  });
  expectRefusal(() => write({ choices: 2 }), 'n');
});

const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' }, name: { type: 'string' } } };
const doubling = Object.fromEntries(
  Array.from({ length: 30 }, (_, i) => [
    `d${i}`,
    { anyOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
  ]),
);

test.each<[string, Json, Json]>([
  [
    'definitions, with a description beside',
    {
      properties: { at: { $ref: '#/definitions/place', description: 'Where' } },
      definitions: { place: { type: 'string', description: 'A place', minLength: 1 } },
    },
    { properties: { at: { type: 'string', description: 'Where', minLength: 1 } } },
  ],
  [
    'a pointer to a property, and one through another',
    { properties: { a: { type: 'string' }, b: { $ref: '#/properties/a' }, 'c/d': { $ref: '#/properties/b' } } },
    { properties: { a: { type: 'string' }, b: { type: 'string' }, 'c/d': { type: 'string' } } },
  ],
  [
    'in lists, items and combinations',
    { items: { $ref: '#/$defs/x' }, anyOf: [{ $ref: '#/$defs/x' }], $defs: { x: { type: 'number' } } },
    { items: { type: 'number' }, anyOf: [{ type: 'number' }] },
  ],
  [
    'a property named as a keyword, and values that only look like references',
    { properties: { $ref: { type: 'string' }, definitions: { enum: [{ $ref: '#' }] } }, default: { $ref: '#' } },
    { properties: { $ref: { type: 'string' }, definitions: { enum: [{ $ref: '#' }] } }, default: { $ref: '#' } },
  ],
  [
    'what leads nowhere or elsewhere',
    { properties: { a: { $ref: '#/$defs/none', title: 'A' }, b: { $ref: 'https://x/y.json' } } },
    { properties: { a: { title: 'A' }, b: {} } },
  ],
  [
    'a schema within itself, which is left open',
    { $ref: '#/$defs/node', $defs: { node } },
    {
      type: 'object',
      properties: {
        name: { type: 'string' },
        next: {
          type: 'object',
          properties: { name: { type: 'string' }, next: { type: 'object' } },
        },
      },
    },
  ],
])('references of schemas are resolved in tools and formats: %s', (_, referring, expected) => {
  const body = write({ tools: [{ name: 'f', schema: referring }] });
  expect(body).toHaveProperty('tools.0.functionDeclarations.0.parametersJsonSchema', expected);
  const format = write({ format: { type: 'json_schema', schema: referring } });
  expect(format).toHaveProperty('generationConfig.responseJsonSchema', expected);
});

test('references that multiply are left open beyond a bound', () => {
  const schema = { $ref: '#/$defs/d0', $defs: { ...doubling, d30: { type: 'string' } } };
  expect(JSON.stringify(write({ tools: [{ name: 'f', schema }] })).length).toBeLessThan(200_000);
});

test.each(['{"$ref":"#/x"}', '{"a":[{"b":{"$id":1}}]}', '{"$schema":"https://json-schema.org/"}'])(
  'a result with references is text: %s',
  (text) => {
    const parts: Part[] = [{ type: 'tool_result', id: 'x', content: [{ type: 'text', text }] }];
    for (const model of ['gemini-2.5-flash', 'gemini-3-flash']) {
      const body = JSON.stringify(contents([user('A'), assistant(call('x')), { role: 'tool', parts }], model));
      expect(body).toContain(JSON.stringify({ output: text }));
    }
  },
);

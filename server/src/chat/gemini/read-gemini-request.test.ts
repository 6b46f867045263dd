import { expect, test } from 'vitest';
import type { Json } from '#json.ts';
import type { Part } from '../chat.ts';
import { expectRefusal } from '../testing/refusals.ts';
import { readGeminiRequest } from './read-gemini-request.ts';

const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
const read = (more: Json = {}) => readGeminiRequest({ contents, ...more }, { model: 'm', stream: true });
const config = (generationConfig: Json) => read({ generationConfig });
const messages = (...list: Json[]) => readGeminiRequest({ contents: list }, { model: 'm' }).messages;
const text = (said: string): Part => ({ type: 'text', text: said });

test('the least that a request can be; model and stream come from the address', () => {
  expect(read()).toEqual({
    model: 'm',
    messages: [{ role: 'user', parts: [text('Hello')] }],
    tools: [],
    stop: [],
    stream: true,
    includeUsage: true,
  });
});

test('a single object may replace a list, as in Google’s own examples', () => {
  const one = { contents: { parts: { text: 'Hello' } }, tools: { functionDeclarations: { name: 'f' } } };
  const system_instruction = { parts: { text: 'Be brief.' } };
  expect(readGeminiRequest({ ...one, system_instruction }, { model: 'm' })).toMatchObject({
    messages: [
      { role: 'system', parts: [text('Be brief.')] },
      { role: 'user', parts: [text('Hello')] },
    ],
    tools: [{ name: 'f' }],
  });
});

test('countTokens may wrap a whole request', () => {
  const wrapped = { generateContentRequest: { contents, systemInstruction: { parts: [{ text: 'Be brief.' }] } } };
  expect(readGeminiRequest(wrapped, { model: 'm', counting: true }).messages).toHaveLength(2);
  expect(() => readGeminiRequest(wrapped, { model: 'm' })).toThrow(/'contents' is required/);
});

test('one bare word of several is asked for in words, behind the instruction that there is', () => {
  const generationConfig = {
    responseMimeType: 'text/x.enum',
    responseSchema: { type: 'STRING', enum: ['yes, "surely"', 'no'] },
  };
  const asked = read({ generationConfig, systemInstruction: { parts: [{ text: 'Be brief.' }] } });
  expect(asked.format).toBeUndefined();
  const [brief, words] = asked.messages[0]!.parts as { text: string }[];
  expect(brief?.text).toBe('Be brief.');
  expect(words?.text).toMatch(/exactly one of these lines.*\nyes, "surely"\nno$/);
  expect(config({ responseMimeType: 'text/x.enum' }).messages).toHaveLength(1);
  expect(config({ responseMimeType: 'text/plain', responseSchema: { enum: ['a'] } }).messages).toHaveLength(1);
});

const schema = { type: 'object', properties: { n: { type: 'integer' } } };
const googles = {
  type: 'OBJECT',
  properties: {
    n: { type: 'INTEGER', nullable: true, minimum: 1 },
    l: { type: 'ARRAY', items: { type: 'STRING' }, minItems: '1' },
  },
  propertyOrdering: ['n', 'l'],
};
const asJsonSchema = {
  type: 'object',
  properties: {
    n: { type: ['integer', 'null'], minimum: 1 },
    l: { type: 'array', items: { type: 'string' }, minItems: 1 },
  },
};

type Row = [what: string, more: Json, expected: Json];

const rows: Row[] = [
  [
    'instructions',
    { systemInstruction: { parts: [{ text: 'Be brief.' }] } },
    { messages: [{ role: 'system', parts: [text('Be brief.')] }, {}] },
  ],
  [
    'names with underscores',
    {
      system_instruction: { parts: [{ text: 'A' }] },
      generation_config: { max_output_tokens: 7, stop_sequences: ['END'] },
    },
    { messages: [{ role: 'system' }, {}], maxOutput: 7, stop: ['END'] },
  ],
  [
    'a function with a JSON schema',
    { tools: [{ functionDeclarations: [{ name: 'f', description: 'd', parametersJsonSchema: schema }] }] },
    { tools: [{ name: 'f', description: 'd', schema }] },
  ],
  [
    'a function with a schema of Google’s',
    { tools: [{ functionDeclarations: [{ name: 'f', parameters: googles }] }] },
    { tools: [{ name: 'f', schema: asJsonSchema }] },
  ],
  [
    'tools of the vendor’s own are left out',
    { tools: [{ googleSearch: {} }, { functionDeclarations: [{ name: 'f' }] }] },
    { tools: [{ name: 'f' }] },
  ],
  ['any function', { toolConfig: { functionCallingConfig: { mode: 'ANY' } } }, { toolChoice: { mode: 'required' } }],
  [
    'this function',
    { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } } },
    { toolChoice: { mode: 'required', names: ['f'] } },
  ],
  ['no function', { toolConfig: { functionCallingConfig: { mode: 'NONE' } } }, { toolChoice: { mode: 'none' } }],
  ['a tier', { serviceTier: 'standard' }, { serviceTier: 'default' }],
  [
    'how it is drawn',
    {
      generationConfig: {
        temperature: 0,
        topP: 0.5,
        topK: 7,
        seed: 3,
        frequencyPenalty: 1,
        presencePenalty: -1,
        candidateCount: 2,
      },
    },
    { temperature: 0, topP: 0.5, topK: 7, seed: 3, frequencyPenalty: 1, presencePenalty: -1, choices: 2 },
  ],
  [
    'pictures in the answer',
    { generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } },
    { modalities: ['text', 'image'] },
  ],
];

test.each(rows)('%s', (_, more, expected) => {
  expect(read(more)).toMatchObject(expected);
});

const configs: Row[] = [
  ['JSON', { responseMimeType: 'application/json' }, { format: { type: 'json' } }],
  [
    'a JSON schema',
    { responseMimeType: 'application/json', responseJsonSchema: schema },
    { format: { type: 'json_schema', schema } },
  ],
  [
    'a schema of Google’s',
    { responseMimeType: 'application/json', responseSchema: googles },
    { format: { type: 'json_schema', schema: asJsonSchema } },
  ],
  [
    'a schema in the newer form',
    { responseFormat: [{ text: { mimeType: 'APPLICATION_JSON', schema } }] },
    { format: { type: 'json_schema', schema } },
  ],
  [
    'a level',
    { thinkingConfig: { thinkingLevel: 'LOW', includeThoughts: true } },
    { reasoning: { effort: 'low', show: true } },
  ],
  ['a budget', { thinkingConfig: { thinkingBudget: 2000 } }, { reasoning: { budget: 2000, show: false } }],
  ['no thinking', { thinkingConfig: { thinkingBudget: 0 } }, { reasoning: { effort: 'none' } }],
  ['thinking by itself', { thinkingConfig: { thinkingBudget: -1 } }, { reasoning: { dynamic: true } }],
];

test.each(configs)('%s', (_, more, expected) => {
  expect(config(more)).toMatchObject(expected);
});

test('parts, in both spellings', () => {
  const parts = [
    { text: 'Look' },
    { text: '' },
    { inlineData: { mimeType: 'image/png', data: 'iVBO' } },
    { inline_data: { mime_type: 'audio/mp3', data: 'SUQz' } },
    { inlineData: { mimeType: 'application/pdf', data: 'JVBE' } },
    { fileData: { fileUri: 'https://x/y.jpg' } },
    { fileData: { fileUri: 'https://youtu.be/x', mimeType: 'video/mp4' } },
    { executableCode: { code: 'x' } },
  ];
  expect(messages({ parts })[0]!.parts).toEqual([
    text('Look'),
    { type: 'image', source: { mime: 'image/png', base64: 'iVBO' } },
    { type: 'audio', mime: 'audio/mp3', base64: 'SUQz' },
    { type: 'file', source: { mime: 'application/pdf', base64: 'JVBE' }, mime: 'application/pdf' },
    { type: 'image', source: { url: 'https://x/y.jpg' } },
    { type: 'file', source: { url: 'https://youtu.be/x' }, mime: 'video/mp4' },
  ]);
});

test('calls without ids and their results find each other by name, in their order', () => {
  const call = (name: string) => ({ functionCall: { name, args: {} } });
  const answer = (name: string, response: Json) => ({ functionResponse: { name, response } });
  const picture = { inlineData: { mimeType: 'image/png', data: 'iVBO' } };
  const [, called, results, rest] = messages(
    { role: 'user', parts: [{ text: 'Go' }] },
    { role: 'model', parts: [{ text: 'I ' }, { text: 'look.' }, call('f'), call('g'), call('f')] },
    {
      role: 'user',
      parts: [
        answer('g', { output: 'of g' }),
        answer('f', { result: { x: 1 } }),
        { functionResponse: { name: 'f', response: { error: 'gone' }, parts: [picture] } },
        { text: 'And now?' },
      ],
    },
  );
  const [said, ...calls] = called!.parts;
  expect(said).toEqual(text('I look.'));
  const ids = calls.map((part) => (part.type === 'tool_call' ? part.id : ''));
  expect(new Set(ids).size).toBe(3);
  expect(results).toEqual({
    role: 'tool',
    parts: [
      { type: 'tool_result', id: ids[1], name: 'g', content: [text('of g')] },
      { type: 'tool_result', id: ids[0], name: 'f', content: [text('{"x":1}')] },
      {
        type: 'tool_result',
        id: ids[2],
        name: 'f',
        isError: true,
        content: [text('gone'), { type: 'image', source: { mime: 'image/png', base64: 'iVBO' } }],
      },
    ],
  });
  expect(rest).toEqual({ role: 'user', parts: [text('And now?')] });
});

test('the same conversation has the same ids in every request, so that prompts can be cached', () => {
  const again = () => messages({ role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] });
  expect(again()).toEqual(again());
});

const refused: [what: string, json: unknown, field: string | undefined][] = [
  ['no object', 7, undefined],
  ['no contents', {}, 'contents'],
  ['empty contents', { contents: [] }, 'contents'],
  ['an unknown role', { contents: [{ role: 'assistant', parts: [] }] }, 'contents.0.role'],
  ['parts that are no list', { contents: [{ parts: 'x' }] }, 'contents.0.parts'],
  [
    'bytes that are missing',
    { contents: [{ parts: [{ inlineData: { mimeType: 'image/png' } }] }] },
    'contents.0.parts.0.inlineData.data',
  ],
  [
    'a limit that is a text',
    { contents, generationConfig: { maxOutputTokens: 'many' } },
    'generationConfig.maxOutputTokens',
  ],
  [
    'a function without a name',
    { contents, tools: [{ functionDeclarations: [{}] }] },
    'tools.0.functionDeclarations.0.name',
  ],
];

test.each(refused)('%s is refused', (_, json, field) => {
  expectRefusal(() => readGeminiRequest(json, { model: 'm' }), field);
});

import type { Json } from '#json.ts';
import type { ChatRequest, Message } from '#chat/chat.ts';

/** The text in every provider's fixtures. */
export const answerText = 'The sky scatters blue light.';
export const called = [
  { name: 'weather', args: { city: 'Paris' } },
  { name: 'weather', args: { city: 'Rome' } },
];

/** A picture of one pixel. */
export const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const schema: Json = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

const user = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text }] });

const base: Omit<ChatRequest, 'model'> = {
  messages: [user('Hello')],
  tools: [],
  stop: [],
  stream: false,
  includeUsage: false,
};

/** Requests that every provider's suite sends. */
export const scenarios: Readonly<Record<string, Omit<ChatRequest, 'model'>>> = {
  plain: {
    ...base,
    messages: [{ role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] }, user('Why is the sky blue?')],
    temperature: 0.5,
    maxOutput: 100,
    stop: ['END'],
  },
  tools: {
    ...base,
    messages: [
      user('How is the weather in Paris and in Rome?'),
      {
        role: 'assistant',
        parts: [
          { type: 'tool_call', id: 'call_paris', name: 'weather', arguments: '{"city":"Paris"}' },
          { type: 'tool_call', id: 'call_rome', name: 'weather', arguments: '{"city":"Rome"}' },
        ],
      },
      {
        role: 'tool',
        parts: [
          { type: 'tool_result', id: 'call_paris', content: [{ type: 'text', text: 'rain' }] },
          { type: 'tool_result', id: 'call_rome', content: [{ type: 'text', text: 'sun' }] },
        ],
      },
    ],
    tools: [{ name: 'weather', description: 'Tells the weather', schema }],
    toolChoice: { mode: 'auto' },
  },
  image: {
    ...base,
    messages: [
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'What is this?' },
          { type: 'image', source: { mime: 'image/png', base64: picture } },
        ],
      },
    ],
  },
  structured: {
    ...base,
    messages: [user('Name a city.')],
    format: { type: 'json_schema', name: 'place', schema, strict: true },
  },
  stream: { ...base, stream: true, includeUsage: true },
};

/** The same requests in OpenAI's format; fixtures contain vendors' differences. */
export const inOpenAi: Readonly<Record<string, Json>> = {
  plain: {
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Why is the sky blue?' },
    ],
    temperature: 0.5,
    max_tokens: 100,
    stop: ['END'],
  },
  tools: {
    messages: [
      { role: 'user', content: 'How is the weather in Paris and in Rome?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call_paris', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } },
          { id: 'call_rome', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_paris', content: 'rain' },
      { role: 'tool', tool_call_id: 'call_rome', content: 'sun' },
    ],
    tools: [{ type: 'function', function: { name: 'weather', description: 'Tells the weather', parameters: schema } }],
    tool_choice: 'auto',
  },
  image: {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } },
        ],
      },
    ],
  },
  structured: {
    messages: [{ role: 'user', content: 'Name a city.' }],
    response_format: { type: 'json_schema', json_schema: { name: 'place', schema, strict: true } },
  },
  stream: {
    messages: [{ role: 'user', content: 'Hello' }],
    stream: true,
    stream_options: { include_usage: true },
  },
};

/** Callers' requests by dialect, including fields that some vendors refuse. */
export const callers: Readonly<Record<string, Json>> = {
  openai: {
    messages: [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: 'Hello', name: 'ann' },
      { role: 'assistant', content: 'Hi.', reasoning_content: 'A greeting.' },
      { role: 'user', content: 'Bye' },
    ],
    temperature: 1.5,
    max_completion_tokens: 50,
    seed: 7,
    stop: 'END',
    logit_bias: { 5: 1 },
    user: 'u1',
    something_new: { a: 1 },
  },
  responses: { input: 'Hello', something_new: { a: 1 } },
  anthropic: { max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }], something_new: { a: 1 } },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }], somethingNew: { a: 1 } },
};

import { expect, test } from 'vitest';
import {
  defaultSettings,
  type ModelAnswer,
  type Attachment,
  type Dialect,
  type Round,
  type Settings,
} from '#domain/playground/playground-types.ts';
import { buildRequest } from './build-request.ts';

const answer = (text: string): ModelAnswer => ({
  id: text,
  model: 'm',
  state: 'done',
  text,
  reasoning: '',
  tools: [],
  media: [],
});
const round = (text: string, answers: ModelAnswer[] = [], files: Attachment[] = []): Round => ({
  id: text,
  text,
  files,
  answers,
});
const picture: Attachment = { name: 'a.png', mime: 'image/png', data: 'iVBO', bytes: 3 };
const notes: Attachment = { name: 'n.md', mime: 'text/markdown', data: btoa('# hi'), bytes: 4 };

function request(change: Partial<Settings>, rounds: Round[], lane = 0) {
  const sent = buildRequest({ ...defaultSettings, models: ['gpt-4o'], ...change }, rounds, lane);
  return { path: sent.path, body: JSON.parse(sent.body ?? 'null') as unknown };
}

test.each<[Dialect, string, object]>([
  [
    'chat',
    '/v1/chat/completions',
    {
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      stream_options: { include_usage: true },
    },
  ],
  ['responses', '/v1/responses', { model: 'gpt-4o', input: [{ role: 'user', content: 'Hi' }], stream: true }],
  [
    'messages',
    '/v1/messages',
    { model: 'gpt-4o', max_tokens: 4096, messages: [{ role: 'user', content: 'Hi' }], stream: true },
  ],
  [
    'gemini',
    '/gemini/v1beta/models/gpt-4o:streamGenerateContent?alt=sse',
    { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
  ],
])('%s: what was not set is not sent', (dialect, path, body) => {
  expect(request({ dialect }, [round('Hi')])).toEqual({ path, body });
});

const everything: Partial<Settings> = {
  system: 'Be brief',
  temperature: 0,
  topP: 0.5,
  maxTokens: 100,
  seed: 7,
  stop: 'END\nSTOP',
  effort: 'low',
  stream: false,
  tools: '[{"name":"f","parameters":{"type":"object"}}]',
  advanced: '{"temperature":1.5,"extra":true}',
};

test.each<[Dialect, string, string, object]>([
  [
    'chat',
    'gpt-4o',
    '/v1/chat/completions',
    {
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'Hi' },
      ],
      top_p: 0.5,
      max_tokens: 100,
      seed: 7,
      stop: ['END', 'STOP'],
      reasoning_effort: 'low',
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
    },
  ],
  ['chat', 'o3-mini', '/v1/chat/completions', { max_completion_tokens: 100 }],
  [
    'responses',
    'gpt-4o',
    '/v1/responses',
    {
      instructions: 'Be brief',
      max_output_tokens: 100,
      reasoning: { effort: 'low', summary: 'auto' },
      tools: [{ type: 'function', name: 'f', parameters: { type: 'object' } }],
    },
  ],
  [
    'messages',
    'claude-sonnet-4-5',
    '/v1/messages',
    {
      system: 'Be brief',
      max_tokens: 1124,
      stop_sequences: ['END', 'STOP'],
      thinking: { type: 'enabled', budget_tokens: 1024 },
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
    },
  ],
  [
    'messages',
    'claude-opus-5',
    '/v1/messages',
    { max_tokens: 100, thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } },
  ],
  [
    'gemini',
    'gemini-2.5-pro',
    '/gemini/v1beta/models/gemini-2.5-pro:generateContent',
    {
      systemInstruction: { parts: [{ text: 'Be brief' }] },
      generationConfig: {
        maxOutputTokens: 100,
        temperature: 0,
        topP: 0.5,
        seed: 7,
        stopSequences: ['END', 'STOP'],
        thinkingConfig: { thinkingBudget: 1024, includeThoughts: true },
      },
      tools: [{ functionDeclarations: [{ name: 'f', parameters: { type: 'object' } }] }],
    },
  ],
])('%s: settings have the names of the dialect for %s', (dialect, model, path, body) => {
  const sent = request({ ...everything, dialect, models: [model] }, [round('Hi')]);
  expect(sent.path).toBe(path);
  expect(sent.body).toMatchObject({ ...body, temperature: 1.5, extra: true });
  expect(sent.body).not.toHaveProperty('stream');
});

test('a model sees its own answers, and those of the first one before it joined', () => {
  const rounds = [round('1', [answer('a')]), round('2', [answer('b'), answer('c')]), round('3')];
  const texts = (lane: number) => {
    const { body } = request({ models: ['gpt-4o', 'o3'] }, rounds, lane);
    return (body as { messages: { content: string }[] }).messages.map(({ content }) => content);
  };
  expect([texts(0), texts(1)]).toEqual([
    ['1', 'a', '2', 'b', '3'],
    ['1', 'a', '2', 'c', '3'],
  ]);
});

test.each<[Dialect, object[]]>([
  [
    'chat',
    [
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } },
      { type: 'text', text: 'n.md:\n\n# hi' },
      { type: 'text', text: 'See' },
    ],
  ],
  [
    'responses',
    [
      { type: 'input_image', image_url: 'data:image/png;base64,iVBO' },
      { type: 'input_text', text: 'n.md:\n\n# hi' },
      { type: 'input_text', text: 'See' },
    ],
  ],
  [
    'messages',
    [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } },
      { type: 'text', text: 'n.md:\n\n# hi' },
      { type: 'text', text: 'See' },
    ],
  ],
  ['gemini', [{ inlineData: { mimeType: 'image/png', data: 'iVBO' } }, { text: 'n.md:\n\n# hi' }, { text: 'See' }]],
])('%s: pictures and files come before the text', (dialect, parts) => {
  const { body } = request({ dialect }, [round('See', [], [picture, notes])]);
  const [message] = Object.values(body as Record<string, unknown>).find(Array.isArray) ?? [];
  expect(Object.values(message as object)).toContainEqual(parts);
});

test('images, speech and transcription have bodies of their own', () => {
  expect(request({ mode: 'image', models: ['dall-e-3'], count: 2 }, [round('a cat')])).toEqual({
    path: '/v1/images/generations',
    body: { model: 'dall-e-3', prompt: 'a cat', n: 2 },
  });
  expect(request({ mode: 'speech', models: ['tts-1'] }, [round('hello')]).body).toEqual({
    model: 'tts-1',
    input: 'hello',
    voice: 'alloy',
  });
  const settings: Settings = { ...defaultSettings, mode: 'transcription', models: ['whisper-1'] };
  expect(buildRequest(settings, [round('', [], [{ ...picture, name: 'a.wav' }])], 0)).toEqual({
    path: '/v1/audio/transcriptions',
    form: [
      ['file', { file: 'a.wav' }],
      ['model', 'whisper-1'],
    ],
  });
});

test('videos and music are ordered in the dialect of their clients', () => {
  const video = { mode: 'video', models: ['veo-3'], seconds: 8, size: '1280x720' } satisfies Partial<Settings>;
  expect(request({ ...video }, [round('Waves', [], [picture])])).toEqual({
    path: '/v1/videos',
    body: {
      model: 'veo-3',
      prompt: 'Waves',
      seconds: '8',
      size: '1280x720',
      input_reference: { image_url: 'data:image/png;base64,iVBO' },
    },
  });
  expect(request({ mode: 'music', models: ['chirp-v4'] }, [round('Jazz')])).toEqual({
    path: '/suno/submit/music',
    body: { mv: 'chirp-v4', gpt_description_prompt: 'Jazz' },
  });
});

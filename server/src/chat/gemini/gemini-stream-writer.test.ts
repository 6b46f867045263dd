import { noUsage } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import type { Json } from '#json.ts';
import type { Part } from '../chat.ts';
import { eventsOf } from '../chat-events.ts';
import { contextOf } from '../testing/bridge.ts';
import { neutral, text } from '../testing/neutral-request.ts';
import { GeminiStreamWriter } from './gemini-stream-writer.ts';

const usage = {
  ...noUsage,
  input: 6,
  inputImage: 2,
  cached: 1,
  cacheWrite: 2,
  output: 3,
  outputImage: 4,
  reasoning: 1,
};
const parts: Part[] = [
  { type: 'thinking', text: 'Hm', signature: { kind: 'anthropic', value: 'SIG' } },
  text('A'),
  { type: 'tool_call', id: 'a', name: 'f', arguments: '{"x":1}', signature: { kind: 'gemini', value: 'R0VN' } },
  { type: 'image', source: { mime: 'image/png', base64: 'iVBO' } },
];

const about = { modelVersion: 'a-model', responseId: '7' };
const chunk = (part: Json, more: Json = {}, top: Json = {}) => ({
  candidates: [{ content: { parts: [part], role: 'model' }, ...more, index: 0 }],
  ...top,
  ...about,
});

const expected = [
  chunk({ text: 'Hm', thought: true }),
  chunk({ text: '', thought: true, thoughtSignature: Buffer.from('anthropic:SIG').toString('base64') }),
  chunk({ text: 'A' }),
  chunk({ functionCall: { id: 'a', name: 'f', args: { x: 1 } }, thoughtSignature: 'R0VN' }),
  chunk({ inlineData: { mimeType: 'image/png', data: 'iVBO' } }),
  chunk(
    { text: '' },
    { finishReason: 'MAX_TOKENS' },
    {
      usageMetadata: {
        promptTokenCount: 11,
        candidatesTokenCount: 7,
        totalTokenCount: 19,
        cachedContentTokenCount: 1,
        thoughtsTokenCount: 1,
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 9 },
          { modality: 'IMAGE', tokenCount: 2 },
        ],
        candidatesTokensDetails: [
          { modality: 'TEXT', tokenCount: 3 },
          { modality: 'IMAGE', tokenCount: 4 },
        ],
      },
    },
  ),
];

function stream(form: 'sse' | 'list'): { contentType: string; body: string } {
  const writer = new GeminiStreamWriter(contextOf(neutral(), { requestId: '7' }), form);
  const body = eventsOf({ parts, finish: 'length', usage }).map((event) => writer.event(event));
  return { contentType: writer.contentType, body: body.join('') + writer.end() };
}

test('a stream as Google sends it', () => {
  const { contentType, body } = stream('sse');
  expect(contentType).toBe('text/event-stream');
  const lines = body.split('\r\n\r\n');
  expect(lines.pop()).toBe('');
  expect(lines.map((line) => JSON.parse(line.replace(/^data: /, '')) as Json)).toEqual(expected);
});

test('the same as one JSON list', () => {
  const { contentType, body } = stream('list');
  expect(contentType).toBe('application/json; charset=UTF-8');
  expect(JSON.parse(body)).toEqual(expected);
});

test('a list that breaks off is a list all the same, with the error at its end', () => {
  const writer = new GeminiStreamWriter(contextOf(neutral(), { requestId: '7' }), 'list');
  const begun = writer.heartbeat() + writer.event({ type: 'text', text: 'A' });
  const error = { status: 502, type: 'upstream_error', code: 'stream_broken', message: 'Gone.', param: null };
  expect(JSON.parse(begun + writer.heartbeat() + writer.error(error))).toMatchObject([
    { candidates: [{ content: { parts: [{ text: 'A' }] } }] },
    { error: { code: 502, status: 'UNAVAILABLE', message: 'Gone. (request id: 7)' } },
  ]);
});

import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { channelApi } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findProvider } from '#providers/registry.ts';
import { newSqlite } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';

interface Seen {
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Record<string, unknown>;
}

const replies: Record<string, object> = {
  '/v1/messages': {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-haiku-4-5',
    content: [{ type: 'text', text: 'Hi from Claude' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 5, output_tokens: 3 },
  },
  '/v1beta/models/gemini-2.5-flash:generateContent': {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Hi from Gemini' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 },
  },
  '/v1/t2a_v2': {
    data: { audio: '494433', status: 2 },
    extra_info: { audio_format: 'mp3', usage_characters: 3 },
    base_resp: { status_code: 0, status_msg: '' },
  },
  '/v2/rerank': { id: '1', results: [{ index: 0, relevance_score: 0.9 }], meta: { billed_units: { search_units: 1 } } },
  '/v2/embed': { id: '1', embeddings: { float: [[0.1, 0.2]] }, texts: ['hi'], meta: {} },
};

/** Providers with other dialects are tested in theirs. */
const cases = [
  [14, 'claude-haiku-4-5', '/v1/messages', 'x-api-key', 'Say hi.', 'Hi from Claude'],
  [
    25,
    'gemini-2.5-flash',
    '/v1beta/models/gemini-2.5-flash:generateContent',
    'x-goog-api-key',
    'Say hi.',
    'Hi from Gemini',
  ],
  [27, 'speech-02-turbo', '/v1/t2a_v2', 'authorization', '"voice_id":"female-chengshu"', ''],
  [36, 'rerank-v3.5', '/v2/rerank', 'authorization', '"documents":["hi","no"]', ''],
  [36, 'embed-v4.0', '/v2/embed', 'authorization', '"texts":["hi"]', ''],
] as const;

const hub = hubForSuite(newSqlite);
let upstream: Server;
let seen: Seen | undefined;

beforeAll(async () => {
  upstream = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const path = (request.url ?? '').split('?')[0]!;
      const body = JSON.parse(Buffer.concat(pieces).toString() || '{}') as Seen['body'];
      seen = { path, headers: request.headers, body };
      const reply = replies[path];
      response.writeHead(reply ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(reply ?? { error: { message: `no ${path}` } }));
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
});
afterAll(() => upstream.close());

test.each(cases.filter(([type]) => findProvider(type)))(
  'type %i is tested with %s at %s',
  async (type, model, path, header, said, answer) => {
    const base_url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const body = { type, name: 'own words', key: 'a-key-of-its-own', base_url, models: model, test_model: model };
    const [made] = await hub().root.call(channelApi.create, { body });
    const tested = await hub().root.call(channelApi.test, { params: { id: made!.id }, query: { model: '' } });
    expect(tested).toMatchObject({ model, answer });
    expect(seen).toMatchObject({ path, headers: { [header]: expect.stringContaining('a-key-of-its-own') } });
    expect(JSON.stringify(seen?.body)).toContain(said);
  },
);

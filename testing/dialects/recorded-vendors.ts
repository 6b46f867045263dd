import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll } from 'vitest';
import { type ChatFixture, needFixture, streamBytes } from '#providers/testing/fixtures.ts';
import { answerSchema } from './dialect-clients.ts';

/** Documented replies of vendors whose dialect no caller speaks. */
export interface RecordedVendors {
  url: string;
  /** The last request's body. */
  seen: string;
  /** Whether streams break off. */
  breaks: boolean;
}

const streamTypes = {
  sse: 'text/event-stream',
  lines: 'application/x-ndjson',
  amazon: 'application/vnd.amazon.eventstream',
};

/** The text of every recorded reply. */
export const recordedText = 'The sky scatters blue light.';

/** Recorded Bedrock, Cohere and Ollama, and everyone's embeddings, for a suite. */
export function recordedVendorsForSuite(): () => RecordedVendors {
  const vendors: RecordedVendors = { url: '', seen: '', breaks: false };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    vendors.seen = body;
    const { type, bytes } = answerTo(new URL(request.url ?? '/', 'http://vendor').pathname, body);
    const broken = vendors.breaks && type !== 'application/json';
    response.writeHead(200, { 'content-type': type });
    response.end(broken ? bytes.subarray(0, Math.floor(bytes.length * 0.6)) : bytes);
  };
  const server = createServer((request, response) => void answer(request, response));
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    vendors.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listening on a TCP port
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return () => vendors;
}

function answerTo(path: string, body: string): { type: string; bytes: Buffer } {
  const [, embedder] = EMBEDDINGS_OF.exec(path) ?? [];
  if (path === '/token') return json({ access_token: 'ya29.a-token', expires_in: 3599 });
  if (embedder !== undefined) return json(embeddingsOf(embedder, path));
  const fixture = needFixture(vendorAt(path), 'chat');
  const request = JSON.parse(body) as { stream?: boolean; tools?: unknown[]; toolConfig?: unknown };
  const hasTools = Boolean(request.tools?.length || request.toolConfig);
  const recorded = (hasTools ? fixture.calls : undefined) ?? fixture.answer;
  if (request.stream === true || path.endsWith('-stream'))
    return { type: streamTypes[fixture.framing ?? 'sse'], bytes: streamBytes(fixture, recorded.stream) };
  return json(wantsSchema(body) ? inSchema(recorded) : recorded.reply);
}

/** Base path of a provider's recorded embeddings. */
export const embeddingsPath = (id: string): string => `/embeddings-of/${id}`;
const EMBEDDINGS_OF = /^\/embeddings-of\/([\w-]+)\//;

function embeddingsOf(id: string, path: string): unknown {
  const others = needFixture(id, 'channel').others!;
  if (!path.endsWith(':batchEmbedContents')) return others['embeddings']!.reply;
  const { embedding, ...more } = others['embeddings in gemini']!.reply as { embedding: unknown };
  return { embeddings: [embedding], ...more };
}

const vendorAt = (path: string): string =>
  path.includes('/converse') ? 'bedrock' : path === '/v2/chat' ? 'cohere' : 'ollama';

/** The schema must arrive under whatever name the vendor uses. */
const wantsSchema = (body: string): boolean =>
  body.replaceAll('\\', '').includes(JSON.stringify(answerSchema.properties));

const inSchema = ({ reply }: ChatFixture['answer']): unknown =>
  JSON.parse(JSON.stringify(reply).replace(recordedText, '{\\"answer\\":42}'));

const json = (value: unknown) => ({ type: 'application/json', bytes: Buffer.from(JSON.stringify(value)) });

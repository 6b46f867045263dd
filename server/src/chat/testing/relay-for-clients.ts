import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ChatRequest } from '../chat.ts';
import type { DialectId, WireId } from '../codec.ts';
import { bridged, inPieces } from './bridge.ts';
import { simulatedReply } from './simulated-model.ts';

export interface RelayForClients {
  url: string;
  /** The provider of subsequent requests. */
  wire: WireId;
  seen: ChatRequest | undefined;
  /** Whether the provider's streams break off. */
  breaks: boolean;
  close(): Promise<void>;
}

/** A server for official clients: every dialect at its own address, with a simulated model. */
export async function relayForClients(): Promise<RelayForClients> {
  const server = createServer((request, response) => {
    void (async () => {
      const url = new URL(request.url ?? '/', 'http://relay');
      const json: unknown = JSON.parse(await text(request));
      const [, model, action] = /models\/([^:]+):(\w+)$/.exec(url.pathname) ?? [];
      const stream = action === undefined ? undefined : action === 'streamGenerateContent';
      const asList = stream === true && url.searchParams.get('alt') !== 'sse';
      const { contentType, body, seen } = bridged(dialectAt(url.pathname), relay.wire, json, simulatedReply, {
        model,
        stream,
        asList,
        breaks: relay.breaks,
      });
      relay.seen = seen;
      response.writeHead(200, { 'content-type': contentType });
      for (const piece of inPieces(body, 1000)) response.write(piece);
      response.end();
    })().catch((error: unknown) => response.writeHead(500).end(JSON.stringify({ error: { message: String(error) } })));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const relay: RelayForClients = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    wire: 'openai',
    seen: undefined,
    breaks: false,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return relay;
}

function dialectAt(path: string): DialectId {
  if (path.endsWith('/chat/completions')) return 'openai';
  if (path.endsWith('/responses')) return 'responses';
  return path.endsWith('/messages') ? 'anthropic' : 'gemini';
}

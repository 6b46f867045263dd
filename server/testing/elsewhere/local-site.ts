import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request to a site of this machine, read whole. */
export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
}

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
}

/** A site of this machine that stands for one of the internet. */
export interface LocalSite {
  url: string;
  /** Paths that it was asked for, in order. */
  asked: string[];
  /** How many of the coming requests of servers it fails; its pages go on. */
  failing: number;
  close(): Promise<void>;
}

/** Starts a site that answers as it is told, with 404 for what it does not know. */
export async function startSite(answer: (asked: Asked) => Reply | undefined | Promise<Reply>): Promise<LocalSite> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://localhost');
      asked.push(path);
      const sent = await text(request);
      const isPage = request.headers.accept?.includes('text/html') ?? false;
      const failed = !isPage && site.failing > 0 && site.failing-- > 0;
      const reply: Reply = failed
        ? { status: 503, body: { error: 'overloaded' } }
        : ((await answer({
            method: request.method ?? '',
            path,
            query,
            headers: request.headers,
            body: json(sent),
          })) ?? {
            status: 404,
          });
      response
        .writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers })
        .end(reply.body === undefined ? '' : JSON.stringify(reply.body));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // listening on a TCP port
  const site: LocalSite = {
    url: `http://127.0.0.1:${port}`,
    asked,
    failing: 0,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return site;
}

function json(body: string): Record<string, unknown> {
  try {
    return JSON.parse(body) as Record<string, unknown>; // the clients send objects
  } catch {
    return {};
  }
}

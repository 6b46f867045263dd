import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request to a local site, read completely. */
export interface SiteRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
}

export interface SiteReply {
  status?: number;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
}

/** A local site that simulates one on the internet. */
export interface LocalSite {
  url: string;
  /** Requested paths, in order. */
  requests: string[];
  /** Number of further server requests to fail; pages still work. */
  failing: number;
  close(): Promise<void>;
}

/** Starts a site with the given handler; 404 if it returns undefined. */
export async function startSite(
  answer: (request: SiteRequest) => SiteReply | undefined | Promise<SiteReply>,
): Promise<LocalSite> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://localhost');
      requests.push(path);
      const sent = await text(request);
      const isPage = request.headers.accept?.includes('text/html') ?? false;
      const failed = !isPage && site.failing > 0 && site.failing-- > 0;
      const reply: SiteReply = failed
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
    requests,
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

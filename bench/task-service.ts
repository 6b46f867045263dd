import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * A service in a separate process, whose tasks are all running. `GET /report` returns what it has seen since the last
 * report, and forgets it.
 */
export interface ServiceReport {
  requests: number;
  /** Tasks asked for, over all requests. */
  looks: number;
  /** Most requests within two seconds. */
  most: number;
  /** Longest time in seconds between two looks at one task. */
  longestS: number;
}

const seen = new Map<string, number>();
let times: number[] = [];
let looks = 0;
let longestMs = 0;

const server = createServer((request, response) => {
  void answer(request, response);
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  response.setHeader('content-type', 'application/json');
  if (request.url === '/report') {
    response.end(JSON.stringify(report()));
    return;
  }
  const now = performance.now();
  times.push(now);
  const { ids } = JSON.parse(body) as { ids: string[] }; // the hub's own request
  looks += ids.length;
  for (const id of ids) {
    longestMs = Math.max(longestMs, now - (seen.get(id) ?? now));
    seen.set(id, now);
  }
  response.end(JSON.stringify(ids.map((id) => ({ id, status: 'IN_PROGRESS', progress: '40%' }))));
}

function report(): ServiceReport {
  const now = performance.now();
  let most = 0;
  let from = 0;
  for (const [i, at] of times.entries()) {
    while ((times[from] ?? at) <= at - 2000) from++;
    most = Math.max(most, i - from + 1);
  }
  for (const last of seen.values()) longestMs = Math.max(longestMs, now - last);
  const made = { requests: times.length, looks, most, longestS: Math.round(longestMs / 1000) };
  times = [];
  looks = longestMs = 0;
  seen.clear();
  return made;
}

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // it listens on a port
  process.stdout.write(`task service on port ${port}\n`);
});

import { Readable } from 'node:stream';
import type { Endpoint, ParsedOf } from '@relay-hub/contract';
import { declarationOf } from '@relay-hub/contract/registry';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { BaseDeps } from '#base-deps.ts';
import { receive, served, type ServeDeps, type ViewerOf } from './serve.ts';

/** Work that reports events while it runs, and stops when the signal aborts. */
export type TellingWork = (tell: (event: object) => void, signal: AbortSignal) => Promise<void>;

const HEARTBEAT_MS = 10_000;

/**
 * Events of the work as server-sent events. Destroying the stream aborts the work; the stream ends when the work
 * succeeds.
 */
export function eventsOf(work: TellingWork, failed: (error: unknown) => void, heartbeatMs = HEARTBEAT_MS): Readable {
  const leaving = new AbortController();
  const tell = (event: object): void => {
    if (!leaving.signal.aborted) stream.push(`event:message\ndata:${JSON.stringify(event)}\n\n`);
  };
  const beat = (): void => tell({ type: 'heartbeat', data: 'ping' });
  const timer = setInterval(beat, heartbeatMs);
  const stream = new Readable({
    read() {},
    destroy(error, done) {
      clearInterval(timer);
      leaving.abort();
      done(error);
    },
  });
  // The first heartbeat also sends the response headers.
  beat();
  work(tell, leaving.signal).then(
    () => stream.push(null),
    (error: unknown) => {
      if (!leaving.signal.aborted) failed(error);
      stream.destroy();
    },
  );
  return stream;
}

/** Mounts an endpoint that streams events, with the same checks. */
export function serveEvents<E extends Endpoint>(
  app: FastifyInstance,
  deps: ServeDeps & Pick<BaseDeps, 'log'>,
  endpoint: E,
  handler: (input: ParsedOf<E>, viewer: ViewerOf<E>, request: FastifyRequest) => Promise<TellingWork>,
): void {
  served.set(`${endpoint.method} ${endpoint.path}`, declarationOf(endpoint));
  const open = new Set<Readable>();
  app.addHook('preClose', async () => open.forEach((stream) => stream.destroy()));
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    // A stream has no end that a HEAD could wait for.
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const { input, viewer } = await receive(endpoint, { request, reply }, deps);
      const work = await handler(input, viewer, request);
      const stream = eventsOf(work, (error) => deps.log.error({ err: error, request: request.id }, 'events broke off'));
      open.add(stream);
      stream.on('close', () => open.delete(stream));
      return reply
        .type('text/event-stream; charset=utf-8')
        .header('cache-control', 'no-store, no-transform')
        .header('x-accel-buffering', 'no')
        .send(stream);
    },
  });
}

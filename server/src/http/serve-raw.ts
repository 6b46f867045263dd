import type { ServerResponse } from 'node:http';
import type { Endpoint, ParsedOf } from '@relay-hub/contract';
import { declarationOf } from '@relay-hub/contract/registry';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { receive, served, type ServeDeps, type ViewerOf } from './serve.ts';

/** Writes a response to the connection itself. Never rejects. */
export type WriteResponse = () => Promise<void>;

/**
 * Mounts an endpoint that writes its response itself, with the same checks. The handler throws refusals, and returns
 * what writes the response.
 */
export function serveRaw<E extends Endpoint>(
  app: FastifyInstance,
  deps: ServeDeps,
  endpoint: E,
  handler: (
    input: ParsedOf<E>,
    call: { viewer: ViewerOf<E>; request: FastifyRequest; response: ServerResponse },
  ) => Promise<WriteResponse>,
): void {
  served.set(`${endpoint.method} ${endpoint.path}`, declarationOf(endpoint));
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    handler: async (request, reply) => {
      const { input, viewer } = await receive(endpoint, { request, reply }, deps);
      const write = await handler(input, { viewer, request, response: reply.raw });
      reply.hijack();
      await write();
    },
  });
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Deps } from '#deps.ts';
import { authenticated, type Relayed, relayCall } from './call.ts';
import { errorBody, parseChat, parseEmbeddings } from './dialects/open-ai.ts';
import { callHeaders } from './headers.ts';
import { listModels, showModel } from './models.ts';
import { badRequest, RelayError } from './relay-error.ts';
import { newRequestId } from './request-id.ts';
import type { Stopping } from './send.ts';

/** The callers' side: everything under the paths that API clients use. */
export interface Relay {
  /** Whether a path belongs to the relay; everything else is the management API's and the console's. */
  owns(url: string): boolean;
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Lets calls finish for so long, then breaks off what is left; resolves when every call is settled. */
  stop(graceMs: number): Promise<void>;
}

const prefixes = ['/v1/'];

const cors = {
  'access-control-allow-origin': '*',
  // The star does not stand for this one.
  'access-control-allow-headers': 'Authorization, *',
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-max-age': '43200',
};

export function createRelay(deps: Deps): Relay {
  const open = new Map<Promise<void>, IncomingMessage>();
  const leaving = new Set<ServerResponse>();
  const stopping: Stopping = { now: false, open: new Set() };

  const calls: Record<string, Relayed> = {
    '/v1/chat/completions': { operation: 'chat', parse: parseChat, endpoint: '/v1/chat/completions' },
    '/v1/embeddings': { operation: 'embeddings', parse: parseEmbeddings, endpoint: '/v1/embeddings' },
  };

  async function answer(request: IncomingMessage, response: ServerResponse, requestId: string): Promise<void> {
    const { method } = request;
    const path = pathOf(request.url ?? '/');
    if (method === 'OPTIONS') return void response.writeHead(204, cors).end();
    const call = calls[path];
    if (call && method === 'POST') return relayCall(deps, call, request, response, requestId, stopping);
    if (path === '/v1/models' && method === 'GET')
      return sendJson(response, requestId, listModels(deps, await authenticated(deps, request)));
    if (path.startsWith('/v1/models/') && method === 'GET') {
      return sendJson(
        response,
        requestId,
        showModel(deps, await authenticated(deps, request), decoded(path.slice('/v1/models/'.length))),
      );
    }
    const known = call || path.startsWith('/v1/models');
    throw new RelayError(
      known ? 405 : 404,
      'invalid_request_error',
      known ? 'method_not_allowed' : 'unknown_url',
      `Invalid URL (${method} ${path})`,
    );
  }

  /** An answer counts as given when its last byte has left, which a slow reader can put off until the stop's patience ends. */
  async function sentOut(response: ServerResponse): Promise<void> {
    if (response.writableFinished || response.destroyed || stopping.now) return;
    leaving.add(response);
    await new Promise((resolve) => response.once('close', resolve));
    leaving.delete(response);
  }

  function refuse(response: ServerResponse, requestId: string, error: unknown): void {
    let refusal = error;
    if (!(refusal instanceof RelayError)) {
      deps.log.error({ err: error, request: requestId }, 'call failed');
      refusal = new RelayError(
        500,
        'server_error',
        'internal_error',
        'The server failed. The administrator finds the reason in its log.',
      );
    }
    const { status, retryAfter } = refusal as RelayError;
    if (response.headersSent) return void response.destroy();
    const body = errorBody(refusal as RelayError, requestId);
    response.writeHead(status, {
      ...callHeaders(requestId),
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...(retryAfter && { 'retry-after': retryAfter }),
      // What was not read of the request cannot be told from the next one.
      ...(status === 413 && { connection: 'close' }),
    });
    response.end(body);
  }

  return {
    owns: (url) => prefixes.some((prefix) => url.startsWith(prefix)),
    handle(request, response) {
      const requestId = newRequestId();
      const done = answer(request, response, requestId)
        .catch((error: unknown) => refuse(response, requestId, error))
        .then(() => sentOut(response))
        .finally(() => open.delete(done));
      open.set(done, request);
    },
    async stop(graceMs) {
      const timer = setTimeout(() => {
        stopping.now = true;
        for (const exchange of stopping.open) exchange.breakOff();
        for (const response of leaving) response.destroy();
        // Whoever has not sent a whole request by now is not waited for.
        for (const request of open.values()) if (!request.complete) request.destroy();
      }, graceMs);
      while (open.size > 0) await Promise.race(open.keys());
      clearTimeout(timer);
      await deps.book.drained();
    },
  };
}

function sendJson(response: ServerResponse, requestId: string, value: unknown): void {
  const body = JSON.stringify(value);
  response.writeHead(200, {
    ...callHeaders(requestId),
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** Without the query, and without the slash that some clients put at the end. */
function pathOf(url: string): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badRequest('The model name in the path is not encoded correctly.', 'model');
  }
}

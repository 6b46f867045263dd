/**
 * The routes step: maps HTTP requests to calls, and errors to refusals.
 * After it: a kind of call, such as model, objects or realtime.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Deps } from '#deps.ts';
import { checkNotBlocked } from '#relay/admission/limit-refusal.ts';
import { splitUrl } from '#relay/body/url-query.ts';
import { relayCall } from '#relay/model/relay-call.ts';
import { opensSession } from '#relay/realtime/realtime-path.ts';
import { createRealtime, refuseUpgrade } from '#relay/realtime/realtime.ts';
import { databaseDamaged } from '#relay/reply/relay-error.ts';
import type { CallContext, HttpContext } from '#relay/types/call-types.ts';
import type { PathRow } from '#relay/types/path-row.ts';
import { newTrace } from '#relay/types/trace.ts';
import { endpointFor } from './endpoints.ts';
import { type OpenRequest, OpenRequests } from './open-requests.ts';
import { PathTable, relayRows } from './paths.ts';
import { admitSession, asRelayRequest, isPlayground } from './playground.ts';
import { noteError, refuse } from './refuse.ts';
import { newRequestId } from '#relay/reply/request-id.ts';
import { checkApiEnabled } from './switched-off.ts';

/** The HTTP front of the relay: every path that API clients call. */
export interface Relay {
  /** Whether a path belongs to the relay; all others go to the management API and the console. */
  owns(url: string): boolean;
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Whether a request at this path opens a WebSocket; an upgrade elsewhere is handled as a plain request. */
  upgrades(url: string, request: IncomingMessage): boolean;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Sockets with a call in progress. */
  busy(): Iterable<Socket>;
  /** Ends each WebSocket session after its current response, at the latest after `graceMs`; resolves when all ended. */
  endSessions(graceMs: number): Promise<void>;
  /** Lets calls finish for `graceMs`, then aborts the rest; resolves when every call is settled. */
  stop(graceMs: number): Promise<void>;
}

const cors = {
  'access-control-allow-origin': '*',
  // The wildcard does not cover Authorization.
  'access-control-allow-headers': 'Authorization, *',
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-max-age': '43200',
};

/** `rows`: of paths in other folders; they come first. */
export function createRelay(deps: Deps, rows: readonly PathRow[] = []): Relay {
  const paths = new PathTable([...rows, ...relayRows]);
  const open = new OpenRequests();
  const realtime = createRealtime({ answer: handle, newRequestId });
  function handle(request: IncomingMessage, response: ServerResponse): void {
    const { shutdown } = open;
    const context: OpenRequest = {
      index: 0,
      deps,
      request,
      response,
      requestId: newRequestId(),
      shutdown,
      trace: newTrace(),
      isHandled: false,
      isSent: false,
    };
    open.add(context);
    const onError = (error: unknown) => {
      refuse(context, error, paths);
      open.handled(context);
    };
    try {
      answer(context, paths).then(() => open.handled(context), onError);
    } catch (error) {
      onError(error);
    }
  }

  return {
    owns: (url) => paths.owns(url) || isPlayground(url),
    handle,
    upgrades: opensSession,
    upgrade(request, socket, head) {
      // A caller who leaves before the response is no error.
      socket.on('error', () => {});
      const context: CallContext = { deps, request, requestId: newRequestId(), trace: newTrace() };
      const refuseSession = (error: unknown) => refuseUpgrade(socket, noteError(context, error, paths), context);
      try {
        checkServing(context);
      } catch (error) {
        return refuseSession(error);
      }
      realtime.open(context, { socket, head }).catch(refuseSession);
    },
    busy: () => open.sockets(),
    endSessions: (graceMs) => realtime.stop(graceMs),
    stop: (graceMs) => open.stop(graceMs, realtime.stop(graceMs)),
  };
}

/** Throws the refusal of any request: of a blocked network, or by a server that cannot serve. */
function checkServing({ deps, request }: CallContext): void {
  checkNotBlocked(deps, request);
  if (deps.storage.damage.reason !== undefined) throw databaseDamaged();
}

/** Throws, or rejects with, the reason for a refusal. */
function answer(context: HttpContext, paths: PathTable): Promise<void> {
  checkServing(context);
  if (!isPlayground(context.request.url ?? '/')) return answerCaller(context, paths);
  asRelayRequest(context.request);
  context.response.setHeader('cache-control', 'no-store');
  return admitSession(context).then(() => answerCaller(context, paths));
}

function answerCaller(context: HttpContext, paths: PathTable): Promise<void> {
  const { deps, request, response } = context;
  const { path, query } = splitUrl(request.url ?? '/');
  if (request.method === 'OPTIONS') {
    response.writeHead(204, cors).end();
    return Promise.resolve();
  }
  checkApiEnabled(path, deps.live.settings);
  const endpoint = request.method === 'POST' ? endpointFor(path, query) : undefined;
  return endpoint ? relayCall(context, endpoint) : paths.answer(context, path);
}

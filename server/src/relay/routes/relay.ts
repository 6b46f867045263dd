import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isDamage, isOutage } from '#db/outage.ts';
import type { Deps } from '#deps.ts';
import { linger } from '#http/limits/linger.ts';
import type { Rate } from '#http/limits/minute-rates.ts';
import { isOutOfFiles } from '#process/out-of-files.ts';
import { UnwrittenCall } from '#quota/journal.ts';
import { authenticate } from './authenticate.ts';
import { SwapRemoveSet, type SetMember } from '#relay/call/swap-remove-set.ts';
import { billing } from './billing.ts';
import { relayCall } from '#relay/call/relay-call.ts';
import { countTokens } from './count-tokens.ts';
import { dialectOf, type RelayEndpoint, endpointFor, isFixedPath, endpointName, missingAction } from './endpoints.ts';
import { refusalBody } from './refusal-body.ts';
import { callHeaders } from './headers.ts';
import { listModels, showModel } from './models.ts';
import { metricsEndpoint } from '#relay/call/note-call.ts';
import { passThrough } from '#relay/pass-through/pass-through.ts';
import { rawPathPrefix } from '#relay/pass-through/raw-path.ts';
import { createRealtime, refuseUpgrade } from '#relay/realtime/realtime.ts';
import { isRealtime } from '#relay/realtime/realtime-path.ts';
import {
  databaseUnavailable,
  databaseDamaged,
  internalError,
  cannotRecord,
  OUT_OF_FILES,
  outOfFiles,
  RelayError,
} from './relay-error.ts';
import { newRequestId } from './request-id.ts';
import { checkApiEnabled } from './switched-off.ts';
import type { ShutdownState } from '#relay/call/shutdown-state.ts';
import type { Trace } from '#relay/call/trace.ts';
import { traceRefusal } from '#relay/call/trace-refusal.ts';

/** The callers' side: everything under the paths that API clients use. */
export interface Relay {
  /** Whether a path belongs to the relay; everything else is the management API's and the console's. */
  owns(url: string): boolean;
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Whether an upgrade is for a path that has WebSockets; elsewhere it is a request like any other. */
  upgrades(url: string): boolean;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Connections on which a call is being answered. */
  busy(): Iterable<Socket>;
  /** Lets each WebSocket session end after the response under way, within that time; resolves when all have ended. */
  endSessions(graceMs: number): Promise<void>;
  /** Lets calls finish for so long, then breaks off what is left; resolves when every call is settled. */
  stop(graceMs: number): Promise<void>;
}

/** A request from its first byte to the last one of its answer. */
interface RelayRequest extends SetMember, Trace {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The relay is done with it. */
  answered: boolean;
  /** The last byte of the answer has left. */
  left: boolean;
}

/**
 * Where callers come in. Whatever stands under these and is not known is told in the dialect's own words: a page of the
 * console would be taken for a broken answer.
 */
const callersPath = /^\/(?:v1|claude|gemini|dashboard\/billing|mj|mj-[a-z]+\/mj|suno|kling|recraftAI)(?:[/?]|$)/;

/** A round of the heart. */
const HEARTBEAT_MS = 5_000;

const cors = {
  'access-control-allow-origin': '*',
  // The star does not stand for this one.
  'access-control-allow-headers': 'Authorization, *',
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-max-age': '43200',
};

export function createRelay(deps: Deps): Relay {
  /** Requests that are being answered, or whose answer's last byte has not left yet. */
  const open = new SwapRemoveSet<RelayRequest>();
  let emptied = () => {};
  const stopping: ShutdownState = { isStopping: false, openExchanges: new SwapRemoveSet(), drains: 0 };
  const realtime = createRealtime(deps);
  // One for all streams: a timer for each would cost each of them.
  const heart = setInterval(() => {
    for (const exchange of stopping.openExchanges.all()) exchange.onHeartbeat?.();
  }, HEARTBEAT_MS).unref();

  /** Throws, or rejects with, what the caller is refused for. */
  function answer(request: IncomingMessage, response: ServerResponse, requestId: string, trace: Trace): Promise<void> {
    if (deps.storage.damage.reason !== undefined) throw databaseDamaged();
    if (request.method === 'POST') {
      const { path, query } = splitUrl(request.url ?? '/');
      checkApiEnabled(path, deps.live.settings);
      const entry = endpointFor(path, query);
      if (entry && 'parse' in entry) return relayCall(deps, entry, request, response, requestId, stopping, trace);
    }
    return answerOther(request, response, requestId, trace);
  }

  /** The same of whatever is no call to a model. */
  async function answerOther(
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    trace: Trace,
  ): Promise<void> {
    const { method } = request;
    const { path, query } = splitUrl(request.url ?? '/');
    if (method === 'OPTIONS') return void response.writeHead(204, cors).end();
    checkApiEnabled(path, deps.live.settings);
    const entry = endpointFor(path, query);
    // What HEAD gets is what GET gets; the body is left out on its way.
    const reads = method === 'GET' || method === 'HEAD';
    if (entry && 'count' in entry && method === 'POST')
      return countTokens(deps, entry, request, response, trace).then(({ body: told, rate }) =>
        sendJson(response, requestId, told, rate),
      );
    if (entry && 'billing' in entry && reads)
      return sendJson(response, requestId, await billing(deps, entry.billing, request, trace));
    if (entry && 'list' in entry && reads) {
      const dialect = dialectOf(request.url ?? '/', request.headers);
      const who = await authenticate(deps, request, trace, dialect);
      const { model } = entry;
      return sendJson(
        response,
        requestId,
        model === undefined ? listModels(deps, who, dialect) : showModel(deps, who, dialect, model),
      );
    }
    if (entry && 'list' in entry && entry.model !== undefined && entry.dialect === 'gemini' && method === 'POST')
      throw missingAction();
    if (isRealtime(path) && method === 'GET')
      throw new RelayError(426, 'invalid_request_error', 'upgrade_required', 'This path needs a WebSocket.', {
        headers: { upgrade: 'websocket' },
      });
    const front = rawPathPrefix(method ?? '', path);
    if (front !== undefined) return passThrough(deps, front, request, response, requestId, stopping, trace);
    const message = `Invalid URL (${method} ${path})`;
    const allow = methodsOf(path, entry);
    if (allow === undefined) throw new RelayError(404, 'invalid_request_error', 'unknown_url', message);
    throw new RelayError(405, 'invalid_request_error', 'method_not_allowed', message, { headers: { allow } });
  }

  /** A call that was refused before any channel was asked. Callers can make many of these: they are no warnings. */
  function noteRefusal(request: IncomingMessage, requestId: string, refusal: RelayError, trace: Trace): void {
    const { alreadyCounted: noted, status, code } = refusal;
    if (noted) return;
    const { path } = splitUrl(request.url ?? '/');
    const endpoint = metricsEndpoint(endpointName(path));
    deps.meter.refused(endpoint, status === 500 ? 'failed' : 'refused', status);
    if (status !== 500) deps.log.info({ request: requestId, endpoint, code, status }, 'call refused');
    if (trace.model === '' && refusal.model !== undefined) trace.model = refusal.model;
    traceRefusal(deps, trace, request, requestId, endpoint === 'other' ? path.slice(0, 100) : endpoint, refusal);
  }

  /** What a caller is told of an error. */
  function refusalFor(request: IncomingMessage, requestId: string, error: unknown, trace: Trace): RelayError {
    const refusal = error instanceof RelayError ? error : refusalForFault(error);
    if (refusal.code === OUT_OF_FILES) deps.outOfFiles.note('call');
    else if (refusal !== error) deps.log.error({ err: error, request: requestId }, 'call failed');
    noteRefusal(request, requestId, refusal, trace);
    return refusal;
  }

  function refuse(
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    error: unknown,
    trace: Trace,
  ): void {
    const refusal = refusalFor(request, requestId, error, trace);
    const { status, retryAfter, headers, rate } = refusal;
    if (response.headersSent) return void response.destroy();
    const body = refusalBody(refusal, dialectOf(request.url ?? '/', request.headers), requestId);
    response.writeHead(status, {
      ...callHeaders(requestId, rate),
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      // A client in a browser comes again as soon as it likes, unless it may read when.
      'access-control-expose-headers': '*',
      ...(retryAfter && { 'retry-after': retryAfter }),
      ...headers,
    });
    response.end(body);
    if (status === 413) linger(request);
  }

  return {
    owns: (url) => isFixedPath(url) || callersPath.test(url),
    handle(request, response) {
      const requestId = newRequestId();
      const call: RelayRequest = {
        index: 0,
        request,
        response,
        answered: false,
        left: false,
        caller: undefined,
        model: '',
        neededCredits: 0,
        recorded: false,
      };
      open.add(call);
      const gone = () => {
        if (!call.answered || !call.left) return;
        open.delete(call);
        if (open.size === 0) emptied();
      };
      // An answer counts as given when its last byte has left, which a slow reader can put off.
      response.on('close', () => {
        call.left = true;
        gone();
      });
      const ended = () => {
        call.answered = true;
        if (stopping.isStopping) call.left = true;
        gone();
      };
      const failed = (error: unknown) => {
        refuse(request, response, requestId, error, call);
        ended();
      };
      try {
        answer(request, response, requestId, call).then(ended, failed);
      } catch (error) {
        failed(error);
      }
    },
    upgrades: isRealtime,
    upgrade(request, socket, head) {
      const requestId = newRequestId();
      // Whoever leaves before he is answered is no error of anybody's.
      socket.on('error', () => {});
      const trace: Trace = { caller: undefined, model: '', neededCredits: 0, recorded: false };
      const refused = (error: unknown) =>
        refuseUpgrade(socket, refusalFor(request, requestId, error, trace), requestId);
      if (deps.storage.damage.reason !== undefined) return refused(databaseDamaged());
      realtime.open(request, socket, head, requestId, trace).catch(refused);
    },
    *busy() {
      for (const { request } of open.all()) yield request.socket;
    },
    endSessions: (graceMs) => realtime.stop(graceMs),
    async stop(graceMs) {
      const sessions = realtime.stop(graceMs);
      const timer = setTimeout(() => {
        stopping.isStopping = true;
        for (const exchange of stopping.openExchanges.all()) exchange.abort();
        for (const { request, response, answered } of open.all()) {
          if (response.writableEnded) response.destroy();
          // Whoever has not sent a whole request by now is not waited for.
          if (!answered && !request.complete) request.destroy();
        }
      }, graceMs);
      if (open.size > 0) await new Promise<void>((resolve) => (emptied = resolve));
      await sessions;
      clearTimeout(timer);
      clearInterval(heart);
    },
  };
}

/** What a caller is told of a fault that is not theirs. */
function refusalForFault(error: unknown): RelayError {
  if (isOutOfFiles(error)) return outOfFiles();
  if (error instanceof UnwrittenCall) return cannotRecord();
  if (isDamage(error)) return databaseDamaged();
  return isOutage(error) ? databaseUnavailable() : internalError();
}

/** Which methods a path has; undefined where there is nothing. */
function methodsOf(path: string, entry: RelayEndpoint | undefined): string | undefined {
  if (path.startsWith('/v1/models/')) return 'GET, HEAD, DELETE, OPTIONS';
  if (!entry) return undefined;
  return 'parse' in entry || 'count' in entry ? 'POST, OPTIONS' : 'GET, HEAD, OPTIONS';
}

function sendJson(response: ServerResponse, requestId: string, value: unknown, rate?: Rate): void {
  const body = JSON.stringify(value);
  response.writeHead(200, {
    ...callHeaders(requestId, rate),
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** The path without the slash that some clients put at the end, and the query. */
function splitUrl(url: string): { path: string; query: string } {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  return {
    path: path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path,
    query: end < 0 ? '' : url.slice(end),
  };
}

/**
 * The routes step: maps HTTP requests to calls, and errors to refusals.
 * After it: a kind of call, such as model, objects or realtime.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Deps } from '#deps.ts';
import { linger } from '#http/limits/linger.ts';
import { metricsEndpoint } from '#relay/call/note-call.ts';
import { relayCall } from '#relay/model/relay-call.ts';
import type { ShutdownState } from '#relay/types/shutdown-state.ts';
import { type SetMember, SwapRemoveSet } from '#relay/types/swap-remove-set.ts';
import { traceRefusal } from './trace-refusal.ts';
import { newTrace } from '#relay/types/trace.ts';
import type { CallContext, HttpContext } from '#relay/types/call-types.ts';
import { recraftErrorBody } from '#relay/dialects/recraft.ts';
import { answerConversation, conversationMethods, conversationQueryOf } from '#relay/objects/conversations.ts';
import { answerFiles } from '#relay/objects/files.ts';
import { answerGoogleObject, googleObjectMethods } from '#relay/objects/google-objects.ts';
import { answerHosted } from '#relay/objects/hosted-objects.ts';
import { answerSkills, skillMethods } from '#relay/objects/skills.ts';
import { passThrough } from '#relay/pass-through/pass-through.ts';
import { rawPathPrefix } from '#relay/pass-through/raw-path.ts';
import { answerResponse, responseMethods, responseQueryOf } from '#relay/objects/stored-responses.ts';
import { CLIENT_SECRETS_PATH, createClientSecret } from '#relay/realtime/client-secrets.ts';
import { isRealtime } from '#relay/realtime/realtime-path.ts';
import { createRealtime, refuseUpgrade } from '#relay/realtime/realtime.ts';
import { type AddedRoutes, noRoutes } from './added-routes.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { answerBilling } from './billing.ts';
import { countTokens } from '#relay/model/count-tokens.ts';
import {
  baseAddress,
  dialectOf,
  endpointFor,
  endpointName,
  isFixedPath,
  missingAction,
  type RelayEndpoint,
} from './endpoints.ts';
import { refusalForFault } from '#relay/reply/fault-refusal.ts';
import { callHeaders } from '#relay/reply/headers.ts';
import { answerKeyInfo } from './key-info.ts';
import { listModels, showModel } from './models.ts';
import { refusalBody } from '#relay/dialects/refusal-body.ts';
import { databaseDamaged, OUT_OF_FILES, RelayError } from '#relay/reply/relay-error.ts';
import { admitSession, asRelayRequest, isPlayground } from './playground.ts';
import { newRequestId } from './request-id.ts';
import { sendJson } from '#relay/reply/send-json.ts';
import { checkApiEnabled } from './switched-off.ts';

/** The HTTP front of the relay: every path that API clients call. */
export interface Relay {
  /** Whether a path belongs to the relay; all others go to the management API and the console. */
  owns(url: string): boolean;
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Whether a path accepts WebSockets; an upgrade elsewhere is handled as a plain request. */
  upgrades(url: string): boolean;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Sockets with a call in progress. */
  busy(): Iterable<Socket>;
  /** Ends each WebSocket session after its current response, at the latest after `graceMs`; resolves when all ended. */
  endSessions(graceMs: number): Promise<void>;
  /** Lets calls finish for `graceMs`, then aborts the rest; resolves when every call is settled. */
  stop(graceMs: number): Promise<void>;
}

/** A request from its first byte to the last byte of its response. */
interface RelayRequest extends SetMember, HttpContext {
  /** The relay has finished with it. */
  isHandled: boolean;
  /** The last byte of the response has left. */
  isSent: boolean;
}

/**
 * Path prefixes of API clients. Unknown paths below them get an error in the dialect's form: clients would take a page
 * of the console for a broken reply.
 */
const callersPath =
  /^\/(?:v1|claude|gemini|dashboard\/billing|mj|mj-[a-z]+\/mj|suno|kling|jimeng|recraftAI|media)(?:[/?]|$)/;

const HEARTBEAT_MS = 5_000;

const cors = {
  'access-control-allow-origin': '*',
  // The wildcard does not cover Authorization.
  'access-control-allow-headers': 'Authorization, *',
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-max-age': '43200',
};

/** `added`: routes of other folders. */
export function createRelay(deps: Deps, added: AddedRoutes = noRoutes): Relay {
  const open = new SwapRemoveSet<RelayRequest>();
  let onEmpty = () => {};
  const shutdown: ShutdownState = {
    isStopping: false,
    openExchanges: new SwapRemoveSet(),
    drains: 0,
    background: new Set(),
  };
  const realtime = createRealtime();
  // One timer for all streams: a timer per stream would cost each of them.
  const heartbeat = setInterval(() => {
    for (const exchange of shutdown.openExchanges.all()) exchange.onHeartbeat?.();
  }, HEARTBEAT_MS).unref();

  /** Throws, or rejects with, the reason for a refusal. */
  function answer(context: HttpContext): Promise<void> {
    if (deps.storage.damage.reason !== undefined) throw databaseDamaged();
    if (!isPlayground(context.request.url ?? '/')) return answerCaller(context);
    asRelayRequest(context.request);
    context.response.setHeader('cache-control', 'no-store');
    return admitSession(context).then(() => answerCaller(context));
  }

  function answerCaller(context: HttpContext): Promise<void> {
    const { request } = context;
    if (request.method === 'POST') {
      const { path, query } = splitUrl(request.url ?? '/');
      checkApiEnabled(path, deps.live.settings);
      const endpoint = endpointFor(path, query);
      if (endpoint && 'parse' in endpoint) return relayCall(context, endpoint);
    }
    return answerOther(context);
  }

  /** Everything but calls to a model. */
  async function answerOther(context: HttpContext): Promise<void> {
    const { request, response, requestId } = context;
    const { method } = request;
    const { path, query } = splitUrl(request.url ?? '/');
    if (method === 'OPTIONS') return void response.writeHead(204, cors).end();
    checkApiEnabled(path, deps.live.settings);
    const route = added.find(method ?? '', path);
    if (route?.answer) return route.answer(context);
    const endpoint = endpointFor(path, query);
    // Node leaves the body out of a response to HEAD.
    const isRead = method === 'GET' || method === 'HEAD';
    if (endpoint && 'count' in endpoint && method === 'POST') {
      const { body, rate } = await countTokens(context, endpoint);
      return sendJson(response, requestId, body, rate);
    }
    if (endpoint && 'billing' in endpoint && isRead)
      return sendJson(response, requestId, await answerBilling(context, endpoint.billing));
    if (endpoint && 'key' in endpoint && isRead) return sendJson(response, requestId, await answerKeyInfo(context));
    if (endpoint && 'list' in endpoint && isRead) {
      const dialect = dialectOf(request.url ?? '/', request.headers);
      const authenticated = await authenticate(context, dialect);
      const { model } = endpoint;
      return sendJson(
        response,
        requestId,
        model === undefined ? listModels(deps, authenticated, dialect) : showModel(deps, authenticated, dialect, model),
      );
    }
    if (
      endpoint &&
      'list' in endpoint &&
      endpoint.model !== undefined &&
      endpoint.dialect === 'gemini' &&
      method === 'POST'
    )
      throw missingAction();
    // 426 makes Codex fall back to POST at once; it retries other refusals of its WebSocket.
    if (path === '/v1/responses' && method === 'GET' && request.headers.upgrade !== undefined)
      throw new RelayError(426, 'Responses are not served over WebSockets. Send a POST request.', {
        type: 'invalid_request_error',
        code: 'websocket_unsupported',
        headers: { upgrade: 'HTTP/1.1' },
      });
    if (isRealtime(path) && method === 'GET')
      throw new RelayError(426, 'This path needs a WebSocket.', {
        type: 'invalid_request_error',
        code: 'upgrade_required',
        headers: { upgrade: 'websocket' },
      });
    if (path === CLIENT_SECRETS_PATH && method === 'POST') return createClientSecret(context);
    const responseQuery = endpoint ? undefined : responseQueryOf(method ?? '', path);
    if (responseQuery) return answerResponse(context, responseQuery);
    const conversation = conversationQueryOf(method ?? '', path);
    if (conversation) return answerConversation(context, conversation);
    const ofVendor = answerGoogleObject(context, path) ?? answerSkills(context, path);
    if (ofVendor) return ofVendor;
    if (await answerHosted(context, path)) return;
    const prefix = rawPathPrefix(method ?? '', path);
    if (prefix === '/v1/files') {
      const dialect = request.headers['anthropic-version'] === undefined ? 'openai' : 'anthropic';
      const authenticated = await authenticate(context, dialect);
      if (authenticated.rawPin === undefined) return answerFiles(context, authenticated, dialect);
    }
    if (prefix !== undefined) return passThrough(context, prefix);
    const message = `Invalid URL (${method} ${path})`;
    const allow =
      route?.allow ??
      methodsOf(path, endpoint) ??
      responseMethods(path) ??
      conversationMethods(path) ??
      googleObjectMethods(path) ??
      skillMethods(path, request.headers);
    if (allow === undefined) {
      const { live, config } = deps;
      const site = live.settings.ServerAddress || config.basePath;
      const base = baseAddress(dialectOf(request.url ?? '/', request.headers), site);
      throw new RelayError(404, `${message}. The base address for API clients is ${base}`, {
        type: 'invalid_request_error',
        code: 'unknown_url',
      });
    }
    throw new RelayError(405, message, {
      type: 'invalid_request_error',
      code: 'method_not_allowed',
      headers: { allow },
    });
  }

  /** Counts a request that was refused before any channel was tried. Callers cause many: they are logged as info. */
  function noteRefusal(context: CallContext, refusal: RelayError): void {
    const { alreadyCounted, status, code } = refusal;
    if (alreadyCounted) return;
    const { request, requestId, trace } = context;
    const { path } = splitUrl(request.url ?? '/');
    const endpoint = metricsEndpoint(added.find(request.method ?? '', path)?.endpoint ?? endpointName(path));
    deps.meter.refused(endpoint, status === 500 ? 'failed' : 'refused', status);
    if (status !== 500) deps.log.info({ request: requestId, endpoint, code, status }, 'call refused');
    if (trace.model === '' && refusal.model !== undefined) trace.model = refusal.model;
    traceRefusal(context, endpoint === 'other' ? path.slice(0, 100) : endpoint, refusal);
  }

  /** The refusal that a caller receives for an error. Logs and counts it. */
  function noteError(context: CallContext, error: unknown): RelayError {
    const refusal = refusalForFault(error);
    if (refusal.code === OUT_OF_FILES) deps.outOfFiles.note('call');
    else if (refusal.cause !== undefined)
      deps.log.error({ err: refusal.cause, request: context.requestId }, 'call failed');
    noteRefusal(context, refusal);
    return refusal;
  }

  function refuse(context: HttpContext, error: unknown): void {
    const refusal = noteError(context, error);
    const { request, response, requestId } = context;
    const { status, retryAfter, headers, rate } = refusal;
    if (response.headersSent) return void response.destroy();
    const url = request.url ?? '/';
    const body =
      added.errorBody(splitUrl(url).path, refusal, requestId) ??
      recraftErrorBody(url, refusal, requestId) ??
      refusalBody(refusal, dialectOf(url, request.headers), requestId);
    response.writeHead(status, {
      ...callHeaders(requestId, rate),
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...(retryAfter && { 'retry-after': retryAfter }),
      ...headers,
    });
    response.end(body);
    if (status === 413) linger(request);
  }

  return {
    owns: (url) => isFixedPath(url) || callersPath.test(url) || isPlayground(url),
    handle(request, response) {
      const call: RelayRequest = {
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
      open.add(call);
      const closeIfDone = () => {
        if (!call.isHandled || !call.isSent) return;
        open.delete(call);
        if (open.size === 0) onEmpty();
      };
      // A slow reader can delay the last byte long after the relay has finished.
      response.on('close', () => {
        call.isSent = true;
        closeIfDone();
      });
      const onHandled = () => {
        call.isHandled = true;
        if (shutdown.isStopping) call.isSent = true;
        closeIfDone();
      };
      const onError = (error: unknown) => {
        refuse(call, error);
        onHandled();
      };
      try {
        answer(call).then(onHandled, onError);
      } catch (error) {
        onError(error);
      }
    },
    upgrades: isRealtime,
    upgrade(request, socket, head) {
      // A caller who leaves before the response is no error.
      socket.on('error', () => {});
      const context: CallContext = { deps, request, requestId: newRequestId(), trace: newTrace() };
      const refuseSession = (error: unknown) => refuseUpgrade(socket, noteError(context, error), context);
      if (deps.storage.damage.reason !== undefined) return refuseSession(databaseDamaged());
      realtime.open(context, { socket, head }).catch(refuseSession);
    },
    *busy() {
      for (const { request } of open.all()) yield request.socket;
    },
    endSessions: (graceMs) => realtime.stop(graceMs),
    async stop(graceMs) {
      const sessions = realtime.stop(graceMs);
      const timer = setTimeout(() => {
        shutdown.isStopping = true;
        for (const exchange of shutdown.openExchanges.all()) exchange.abort();
        for (const { request, response, isHandled } of open.all()) {
          if (response.writableEnded) response.destroy();
          // A request that is still incomplete by now is not waited for.
          if (!isHandled && !request.complete) request.destroy();
        }
      }, graceMs);
      if (open.size > 0) await new Promise<void>((resolve) => (onEmpty = resolve));
      await sessions;
      await Promise.all(shutdown.background);
      clearTimeout(timer);
      clearInterval(heartbeat);
    },
  };
}

/** Methods of a path; undefined: unknown path. */
function methodsOf(path: string, entry: RelayEndpoint | undefined): string | undefined {
  if (path === CLIENT_SECRETS_PATH) return 'POST, OPTIONS';
  if (path.startsWith('/v1/models/')) return 'GET, HEAD, DELETE, OPTIONS';
  if (!entry) return undefined;
  return 'parse' in entry || 'count' in entry ? 'POST, OPTIONS' : 'GET, HEAD, OPTIONS';
}

/** Splits off the query and removes a trailing slash, which some clients send. */
function splitUrl(url: string): { path: string; query: string } {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  return {
    path: path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path,
    query: end < 0 ? '' : url.slice(end),
  };
}

import { Buffer } from 'node:buffer';
import { linger } from '#http/limits/linger.ts';
import { splitUrl } from '#relay/body/url-query.ts';
import { metricsEndpoint } from '#relay/call/note-call.ts';
import { refusalBody } from '#relay/dialects/refusal-body.ts';
import { refusalForFault } from '#relay/reply/fault-refusal.ts';
import { callHeaders } from '#relay/reply/headers.ts';
import { OUT_OF_FILES, type RelayError } from '#relay/reply/relay-error.ts';
import type { CallContext, HttpContext } from '#relay/types/call-types.ts';
import { dialectOf } from './endpoints.ts';
import type { PathTable } from './paths.ts';
import { traceRefusal } from './trace-refusal.ts';

/** Sends the refusal for an error, in the form of the path's dialect, and counts it. */
export function refuse(context: HttpContext, error: unknown, paths: PathTable): void {
  const refusal = noteError(context, error, paths);
  const { request, response, requestId } = context;
  const { status, retryAfter, headers, rate } = refusal;
  if (response.headersSent) return void response.destroy();
  const url = request.url ?? '/';
  const body =
    paths.errorBody(splitUrl(url).path, refusal, requestId) ??
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

/** The refusal that a caller receives for an error. Logs and counts it. */
export function noteError(context: CallContext, error: unknown, paths: PathTable): RelayError {
  const { deps, requestId } = context;
  const refusal = refusalForFault(error);
  if (refusal.code === OUT_OF_FILES) deps.outOfFiles.note('call');
  else if (refusal.cause !== undefined) deps.log.error({ err: refusal.cause, request: requestId }, 'call failed');
  noteRefusal(context, refusal, paths);
  return refusal;
}

/** Counts a request that was refused before any channel was tried. Callers cause many: they are logged as info. */
function noteRefusal(context: CallContext, refusal: RelayError, paths: PathTable): void {
  const { alreadyCounted, status, code } = refusal;
  if (alreadyCounted) return;
  const { deps, request, requestId, trace } = context;
  const { path } = splitUrl(request.url ?? '/');
  const endpoint = metricsEndpoint(paths.nameOf(path));
  deps.meter.refused(endpoint, status === 500 ? 'failed' : 'refused', status);
  if (status !== 500) deps.log.info({ request: requestId, endpoint, code, status }, 'call refused');
  if (trace.model === '' && refusal.model !== undefined) trace.model = refusal.model;
  traceRefusal(context, endpoint === 'other' ? path.slice(0, 100) : endpoint, refusal);
}

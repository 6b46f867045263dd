import type { Envelope } from '@relay-hub/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isDamage, isOutage } from '#db/outage.ts';
import { AppError, type ErrorCode } from '#errors.ts';
import { errorText } from '#i18n/language.ts';
import { isOutOfFiles, type OutOfFiles } from '#process/out-of-files.ts';
import { linger } from '#http/limits/linger.ts';
import type { BaseDeps } from '#base-deps.ts';
import { replyLanguage } from './reply-language.ts';

/** `family` or `native`: the form of refusals of one call, regardless of the setting. */
const HEADER = 'x-relay-envelope';

/** Transport, overload and outages, on which clients and balancers of the product family act by status as well. */
const statusKept = /^(request|body|server|database|metrics)\./;

/** Whether a refusal of this request is sent in the form of the product family. */
function isFamilyForm({ url, headers }: FastifyRequest, { settings }: Pick<BaseDeps['live'], 'settings'>): boolean {
  if (!/^\/api(?=[/?]|$)/.test(url)) return false;
  const asked = headers[HEADER];
  return asked === 'family' || (asked !== 'native' && settings.FamilyMode);
}

/**
 * Status of a refusal in the form of the product family: 200, except where its clients look at the status. 401 means "no
 * credentials" and makes a console forget its user; a wrong access token is an ordinary refusal.
 */
function familyStatus({ code, status }: AppError, { url, headers }: FastifyRequest): number {
  if (code === 'session.none') return headers.authorization === undefined ? status : 200;
  if (code === 'oauth.state' || code.startsWith('route.') || status === 429 || statusKept.test(code)) return status;
  return code === 'input.not_json' && /^\/api\/option(?=[/?]|$)/.test(url) ? status : 200;
}

type Failure = Error & { code?: string; statusCode?: number };

/** Errors of Fastify itself, as ours. */
function known(error: Failure, { method, url }: FastifyRequest, bodyLimit: number): AppError | undefined {
  // No path has this method, but the body's content type is refused before Fastify looks for a route.
  if (method === 'QUERY') return new AppError('route.unknown', { method, path: url.split('?')[0] });
  if (error instanceof AppError) return error;
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError('body.too_large', { limit: `${bodyLimit / 1024 / 1024} MiB` });
    case 'FST_ERR_BAD_URL':
      return new AppError('route.unknown', { method, path: url.split('?')[0] });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError('body.type');
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new AppError('input.not_json');
    default:
      return error instanceof SyntaxError && error.statusCode === 400 ? new AppError('input.not_json') : undefined;
  }
}

function codeOf(error: unknown): 'database.damaged' | 'database.away' | 'server.failed' {
  if (isDamage(error)) return 'database.damaged';
  return isOutage(error) ? 'database.away' : 'server.failed';
}
const soonOver: ReadonlySet<string> = new Set<ErrorCode>(['database.away', 'server.busy', 'server.out_of_files']);

interface RendererDeps {
  outOfFiles: OutOfFiles;
  live: BaseDeps['live'];
}

/** Renders every error of the management API as an envelope with its status. The only place that does. */
export function errorRenderer(bodyLimit: number, { outOfFiles, live }: RendererDeps) {
  return (error: Failure, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    let refusal = known(error, request, bodyLimit);
    if (!refusal && isOutOfFiles(error)) {
      outOfFiles.note('api');
      refusal = new AppError('server.out_of_files');
    }
    if (!refusal) {
      request.log.error({ err: error, method: request.method, path: request.routeOptions.url }, 'request failed');
      refusal = new AppError(codeOf(error));
    }
    if (refusal.status === 503 && soonOver.has(refusal.code)) void reply.header('retry-after', '5');
    if (refusal.code === 'request.too_many') void reply.header('retry-after', String(refusal.values['seconds'] ?? 60));
    const body: Envelope<never> = {
      success: false,
      message: errorText(refusal, replyLanguage(request)),
      code: refusal.code,
      ...(refusal.field !== undefined && { field: refusal.field }),
    };
    if (refusal.status === 413 || refusal.code === 'server.busy') {
      // Fastify would close the connection now, see `linger`.
      void reply.removeHeader('connection');
      linger(request.raw);
    }
    // Headers of a file that could not be produced.
    void reply.removeHeader('content-disposition').type('application/json; charset=utf-8');
    const status = isFamilyForm(request, live) ? familyStatus(refusal, request) : refusal.status;
    return reply.status(status).send(body);
  };
}

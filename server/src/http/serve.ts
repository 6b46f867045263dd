import type { Endpoint, Envelope, ParsedOf, ReplyOf } from '@relay-hub/contract';
import { role } from '@relay-hub/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod/mini';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import type { Language } from '#i18n/language.ts';
import { languageOf, problemText } from '#i18n/language.ts';
import { refuseCrossSite } from './cross-site.ts';
import type { Viewer } from './session.ts';
import { findViewer } from './session.ts';

/** What a handler gets beside its input. */
export interface Call<V> {
  viewer: V;
  request: FastifyRequest;
  reply: FastifyReply;
  language: Language;
}

type ViewerOf<E extends Endpoint> = E['audience'] extends 'public'
  ? undefined
  : E['audience'] extends 'visitor'
    ? Viewer | undefined
    : Viewer;

/** A handler of an endpoint without a reply may return nothing at all. */
type Answer<E extends Endpoint> = undefined extends ReplyOf<E> ? ReplyOf<E> | void : ReplyOf<E>;

type Handler<E extends Endpoint> = (input: ParsedOf<E>, call: Call<ViewerOf<E>>) => Promise<Answer<E>>;

/** Endpoints by `METHOD path`, for the API reference. */
export const served = new Map<string, Endpoint>();

/**
 * Mounts an endpoint: checks who calls and what is sent before the handler runs, and parses what it returns, so that
 * nothing leaves which the contract does not name.
 */
export function serve<E extends Endpoint>(app: FastifyInstance, deps: Deps, endpoint: E, handler: Handler<E>): void {
  served.set(`${endpoint.method} ${endpoint.path}`, endpoint);
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    handler: async (request, reply): Promise<Envelope<unknown>> => {
      const language = languageOf(request.headers['accept-language']);
      if (endpoint.changes) refuseCrossSite(request);
      const viewer = await admit(endpoint, request, deps);
      const input = {
        params: parse(endpoint.params, request.params, language),
        query: parse(endpoint.query, request.query, language),
        body: parse(endpoint.body, request.body, language),
      } as ParsedOf<E>;
      // `admit` has checked the audience that `ViewerOf` speaks of.
      const data = await handler(input, { viewer: viewer as ViewerOf<E>, request, reply, language });
      const parsed = endpoint.reply.safeParse(data);
      if (!parsed.success)
        throw new Error(
          `${endpoint.method} ${endpoint.path} answered what the contract does not allow: ${parsed.error.message}`,
        );
      return { success: true, message: '', ...(parsed.data !== undefined && { data: parsed.data }) };
    },
  });
}

async function admit({ audience }: Endpoint, request: FastifyRequest, deps: Deps): Promise<Viewer | undefined> {
  if (audience === 'public') return undefined;
  const viewer = await findViewer(request, deps);
  if (audience === 'visitor') return viewer;
  ensure(viewer, 'session.none');
  const needed = audience === 'root' ? role.root : audience === 'admin' ? role.admin : role.user;
  ensure(viewer.role >= needed, 'session.role');
  return viewer;
}

function parse(schema: z.ZodMiniType, value: unknown, language: Language): unknown {
  if (schema._zod.def.type === 'undefined') return undefined;
  // A list's filters are all optional: no query string at all is an empty one.
  const parsed = schema.safeParse(value ?? {});
  const issue = parsed.success ? nulIn(parsed.data) : parsed.error.issues[0]!;
  if (!issue) return parsed.data;
  throw new AppError(issue.message === 'list.order' ? 'list.order' : 'input.invalid', {
    field: issue.path.join('.') || 'body',
    problem: problemText(issue, language),
  });
}

/** The first text with a NUL in it, which PostgreSQL cannot store. */
function nulIn(value: unknown, path: string[] = []): z.core.$ZodIssueCustom | undefined {
  if (typeof value === 'string')
    return value.includes('\0') ? { code: 'custom', path, message: 'text.nul', input: value } : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const found = nulIn(member, [...path, key]);
    if (found) return found;
  }
  return undefined;
}

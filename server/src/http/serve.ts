import { objectOr } from '#json.ts';
import { Readable } from 'node:stream';
import type { AudienceOf, Endpoint, Envelope, Language, ParsedOf, ReplyOf } from '@relay-hub/contract';
import { role } from '@relay-hub/contract';
import { declarationOf, type DeclaredEndpoint } from '@relay-hub/contract/registry';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod/mini';
import type { BaseDeps } from '#base-deps.ts';
import { AppError, ensure } from '#errors.ts';
import { languageOf, problemText } from '#i18n/language.ts';
import { bearsToken } from '#http/session/access-token.ts';
import { refuseCrossSite } from '#http/session/cross-site.ts';
import type { Viewer } from '#http/session/session.ts';
import type { Follow, Trail } from './trail.ts';
import { findViewer } from '#http/session/viewer.ts';

/** What serving an endpoint takes: sessions and the audit log. */
export type ServeDeps = Pick<BaseDeps, 'db' | 'now'> & { follow: Follow };

/** What a handler gets beside its input. */
export interface Call<V> {
  viewer: V;
  request: FastifyRequest;
  reply: FastifyReply;
  language: Language;
  /** Puts a word beside the data; only where clients of the product family look for one. */
  tell(message: string): void;
  /** Puts numbers beside the data that are in it already, likewise. */
  beside(numbers: Beside): void;
}

/** Seconds, and the currency of an account. */
interface Beside {
  time?: number;
  balance?: number;
}

export type ViewerOf<E extends Endpoint> =
  AudienceOf<E> extends 'public' ? undefined : AudienceOf<E> extends 'visitor' ? Viewer | undefined : Viewer;

/** A handler of an endpoint without a reply may return nothing at all. */
type Answer<E extends Endpoint> = undefined extends ReplyOf<E> ? ReplyOf<E> | void : ReplyOf<E>;

type Handler<E extends Endpoint> = (input: ParsedOf<E>, call: Call<ViewerOf<E>>) => Promise<Answer<E>>;

/** Endpoints by `METHOD path`, for the API reference. */
export const served = new Map<string, DeclaredEndpoint>();

/** Every route as `METHOD path`, however it is mounted. */
export const mounted = new Set<string>();

/** Takes down each route that is mounted from now on. */
export function noteRoutes(app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, url }) => {
    // HEAD comes along with GET.
    for (const each of [method].flat()) if (each !== 'HEAD') mounted.add(`${each} ${url}`);
  });
}

/**
 * Mounts an endpoint: checks who calls and what is sent before the handler runs, and parses what it returns, so that
 * nothing leaves which the contract does not name.
 */
export function serve<E extends Endpoint>(
  app: FastifyInstance,
  deps: ServeDeps,
  endpoint: E,
  handler: Handler<E>,
): void {
  const declared = declarationOf(endpoint);
  const { method, path } = declared;
  served.set(`${method} ${path}`, declared);
  app.route({
    method,
    url: path,
    // HEAD must not change anything, so it does not come along with a GET that does.
    exposeHeadRoute: !declared.changes,
    handler: async (request, reply): Promise<Envelope<unknown> & Beside> => {
      let message = '';
      let numbers: Beside = {};
      const tell = (word: string): void => void (message = word);
      const beside = (given: Beside): void => void (numbers = given);
      const data = await followed(declared, request, deps, async (trail) => {
        const { input, ...from } = await receive(endpoint, request, deps, trail);
        const work = () => handler(input, { ...from, request, reply, tell, beside });
        return trail ? trail.around(input, work) : work();
      });
      const parsed = declared.reply.safeParse(data);
      if (!parsed.success)
        throw new Error(`${method} ${path} answered what the contract does not allow: ${parsed.error.message}`);
      return { success: true, message, ...numbers, ...(parsed.data !== undefined && { data: parsed.data }) };
    },
  });
}

/** Answers a call, and has what administrators do, and what is refused them, noted in the audit log. */
async function followed<T>(
  endpoint: DeclaredEndpoint,
  request: FastifyRequest,
  deps: ServeDeps,
  answer: (trail: Trail | undefined) => Promise<T>,
): Promise<T> {
  const trail = deps.follow(endpoint, request);
  if (!trail) return answer(undefined);
  try {
    const data = await answer(trail);
    await trail.done(data);
    return data;
  } catch (error) {
    await trail.failed(error);
    throw error;
  }
}

/** A file as it is handed out: what the browser is to call it, and its pieces as they are made. */
export interface Download {
  name: string;
  pieces: AsyncIterable<string> | Buffer[];
}

/**
 * Mounts an endpoint whose answer is a file, with the same checks before its handler runs. Pieces are asked for as fast
 * as the client takes them; when it leaves, no further one is, and the iterable is told to return.
 */
export function serveFile<E extends Endpoint>(
  app: FastifyInstance,
  deps: ServeDeps,
  endpoint: E,
  handler: (input: ParsedOf<E>, call: Omit<Call<ViewerOf<E>>, 'tell' | 'beside'>) => Promise<Download>,
): void {
  const declared = declarationOf(endpoint);
  const { file } = declared;
  if (file === undefined) throw new Error(`${endpoint.path} is declared without the media type of its file`);
  served.set(`${endpoint.method} ${endpoint.path}`, declared);
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    handler: async (request, reply) => {
      const { input, language, viewer } = await receive(endpoint, request, deps);
      // A link says in its query what a header of its own would say, see `downloadOptions`.
      const asked = objectOr(input.query)['language'];
      const call = {
        viewer,
        request,
        reply,
        language: typeof asked === 'string' && asked !== '' ? languageOf(asked) : language,
      };
      const { name, pieces } = await handler(input, call);
      return (
        reply
          .type(file.startsWith('text/') ? `${file}; charset=utf-8` : file)
          .header('content-disposition', attachment(name))
          .header('cache-control', 'no-store')
          .header('x-content-type-options', 'nosniff')
          // Fastify reads a stream to its end for HEAD as well, only to throw it away.
          .send(Readable.from(request.method === 'HEAD' ? [] : pieces))
      );
    },
  });
}

/** Both spellings of RFC 6266: plain ASCII for old clients, and the name itself. */
function attachment(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Checks who calls and what is sent. */
export async function receive<E extends Endpoint>(
  endpoint: E,
  request: FastifyRequest,
  deps: ServeDeps,
  trail?: Trail,
): Promise<{ input: ParsedOf<E>; viewer: ViewerOf<E>; language: Language }> {
  const language = languageOf(request.headers['accept-language']);
  const declared = declarationOf(endpoint);
  if (declared.changes && !bearsToken(request)) refuseCrossSite(request);
  const viewer = await admit(declared, request, deps, trail);
  const params = parsePath(declared, request, language);
  const input = {
    params,
    query: parse(declared.query, request.query, language),
    body: parse(declared.body, request.body, language),
  } as ParsedOf<E>;
  // `admit` has checked the audience that `ViewerOf` speaks of.
  return { input, viewer: viewer as ViewerOf<E>, language };
}

async function admit(
  { audience }: DeclaredEndpoint,
  request: FastifyRequest,
  deps: ServeDeps,
  trail: Trail | undefined,
): Promise<Viewer | undefined> {
  if (audience === 'public') return undefined;
  const viewer = await findViewer(request, deps);
  if (viewer) trail?.by(viewer);
  if (audience === 'visitor') return viewer;
  ensure(viewer, 'session.none');
  const needed = audience === 'root' ? role.root : audience === 'admin' ? role.admin : role.user;
  ensure(viewer.role >= needed, 'session.role');
  return viewer;
}

/** The part of the path that names a record. A word in the place of its number is a path that is not there. */
function parsePath(
  { method, params }: DeclaredEndpoint,
  { params: sent, url }: FastifyRequest,
  language: Language,
): unknown {
  const { id } = objectOr(sent);
  const isWord = typeof id === 'string' && /^[a-z_]+$/i.test(id) && !params.safeParse(sent).success;
  ensure(!isWord, 'route.unknown', { method, path: url.split('?')[0] });
  return parse(params, sent, language);
}

function parse(schema: z.ZodMiniType, value: unknown, language: Language): unknown {
  if (schema._zod.def.type === 'undefined') return undefined;
  // A list's filters are all optional: no query string at all is an empty one.
  // With the input at hand the validator's words name its kind ("received string"), never what it is.
  const parsed = schema.safeParse(value ?? {}, { reportInput: true });
  const issue = parsed.success ? nulIn(parsed.data) : parsed.error.issues[0];
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

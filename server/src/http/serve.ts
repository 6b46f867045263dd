import { objectOr } from '#json.ts';
import { Readable } from 'node:stream';
import type { AudienceOf, Endpoint, Envelope, Language, ParsedOf, ReplyOf, Warning } from '@relay-hub/contract';
import { accessAreaOf, accountHeader, accountRoles, role, userApi } from '@relay-hub/contract';
import { declarationOf, type DeclaredEndpoint } from '@relay-hub/contract/registry';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod/mini';
import type { BaseDeps } from '#base-deps.ts';
import { AppError, ensure } from '#errors.ts';
import { languageOf, problemText } from '#i18n/language.ts';
import { ignoredText } from '#i18n/problem-texts.ts';
import { actingFor } from '#http/session/acting.ts';
import { bearsToken } from '#http/session/access-token.ts';
import { refuseCrossSite } from '#http/session/cross-site.ts';
import { hasTwoStep, type Viewer } from '#http/session/session.ts';
import type { Follow, Trail } from './trail.ts';
import { queryInput } from './query-input.ts';
import { replyLanguage } from './reply-language.ts';
import { unknownFields } from './unknown-fields.ts';
import { unknownRoute } from './unknown-route.ts';
import { findViewer } from '#http/session/viewer.ts';

/** Dependencies of serving an endpoint: sessions and the audit log. */
export type ServeDeps = Pick<BaseDeps, 'db' | 'now' | 'config' | 'live'> & { follow: Follow };

/** Context of a handler, in addition to its input. */
export interface Call<V> {
  viewer: V;
  request: FastifyRequest;
  reply: FastifyReply;
  language: Language;
  /** Adds a message next to the data, for clients of the product family that read one. */
  tell(message: string): void;
  /** Repeats numbers of the data next to it, for the same clients. */
  beside(numbers: Beside): void;
  /** Names a given field that was not followed in the `warnings` of the reply, like those that the contract lacks. */
  ignored(field: string): void;
}

/** Most warnings in a reply. */
const MOST_WARNINGS = 20;

/** Unit seconds, and the currency of an account. */
interface Beside {
  time?: number;
  balance?: number;
}

export type ViewerOf<E extends Endpoint> =
  AudienceOf<E> extends 'public' ? undefined : AudienceOf<E> extends 'visitor' ? Viewer | undefined : Viewer;

/** The handler of an endpoint without a reply may return nothing. */
type Answer<E extends Endpoint> = undefined extends ReplyOf<E> ? ReplyOf<E> | void : ReplyOf<E>;

type Handler<E extends Endpoint> = (input: ParsedOf<E>, call: Call<ViewerOf<E>>) => Promise<Answer<E>>;

/** Endpoints by `METHOD path`, for the API reference. */
export const served = new Map<string, DeclaredEndpoint>();

/** Every route as `METHOD path`. */
export const mounted = new Set<string>();

/** Records each route mounted from now on. */
export function noteRoutes(app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, url }) => {
    // Fastify adds HEAD to every GET.
    for (const each of [method].flat()) if (each !== 'HEAD') mounted.add(`${each} ${url}`);
  });
}

const bare = new WeakSet<FastifyReply>();

/** Sends the data of this reply without an envelope, where old clients of the product family expect that. */
export const bareData = (reply: FastifyReply): void => void bare.add(reply);

/**
 * Mounts an endpoint: checks the caller and the input before the handler runs, and parses its result, so that only
 * fields of the contract leave.
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
    // HEAD must not change anything, so a GET that does has no HEAD.
    exposeHeadRoute: !declared.changes,
    handler: async (request, reply): Promise<unknown> => {
      let message = '';
      let numbers: Beside = {};
      const warnings: Warning[] = [];
      const tell = (word: string): void => void (message = word);
      const beside = (given: Beside): void => void (numbers = given);
      const data = await followed(declared, request, deps, async (trail) => {
        const { input, unknown, ...from } = await receive(endpoint, { request, reply }, deps, trail);
        const ignored = (field: string): void => {
          if (warnings.length < MOST_WARNINGS) warnings.push({ field, message: ignoredText(field, from.language) });
        };
        for (const field of unknown) ignored(field);
        const work = () => handler(input, { ...from, request, reply, tell, beside, ignored });
        return trail ? trail.around(input, work) : work();
      });
      const parsed = declared.reply.safeParse(data);
      if (!parsed.success)
        throw new Error(`${method} ${path} answered what the contract does not allow: ${parsed.error.message}`);
      if (bare.has(reply)) return parsed.data;
      const envelope: Envelope<unknown> & Beside = {
        success: true,
        message,
        ...numbers,
        ...(warnings.length > 0 && { warnings }),
      };
      return parsed.data === undefined ? envelope : { ...envelope, data: parsed.data };
    },
  });
}

/** Handles a call, and records administrators' changes and refused attempts in the audit log. */
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

/** A file download: its name, and its chunks in the order of production. */
export interface Download {
  name: string;
  pieces: AsyncIterable<string | Uint8Array> | Buffer[];
}

/**
 * Mounts an endpoint that returns a file, with the same checks. Chunks are requested as fast as the client reads; when
 * it disconnects, the iterable returns.
 */
export function serveFile<E extends Endpoint>(
  app: FastifyInstance,
  deps: ServeDeps,
  endpoint: E,
  handler: (input: ParsedOf<E>, call: Omit<Call<ViewerOf<E>>, 'tell' | 'beside' | 'ignored'>) => Promise<Download>,
): void {
  const declared = declarationOf(endpoint);
  const { file } = declared;
  if (file === undefined) throw new Error(`${endpoint.path} is declared without the media type of its file`);
  served.set(`${endpoint.method} ${endpoint.path}`, declared);
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    handler: async (request, reply) => {
      const { input, language, viewer } = await receive(endpoint, { request, reply }, deps);
      // A plain link cannot set headers, so its query carries the language, see `downloadOptions`.
      const requested = objectOr(input.query)['language'];
      const call = {
        viewer,
        request,
        reply,
        language: typeof requested === 'string' && requested !== '' ? languageOf(requested) : language,
      };
      const { name, pieces } = await handler(input, call);
      return (
        reply
          .type(file.startsWith('text/') ? `${file}; charset=utf-8` : file)
          .header('content-disposition', attachment(name))
          .header('x-content-type-options', 'nosniff')
          // For HEAD, Fastify would read the whole stream and discard it.
          .send(Readable.from(request.method === 'HEAD' ? [] : pieces))
      );
    },
  });
}

/** Both forms of RFC 6266: ASCII for old clients, and the real name. */
function attachment(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/**
 * Checks the caller and the input. `unknown` are fields of the input that the contract lacks. Replies that depend on the
 * caller are never stored, refusals neither.
 */
export async function receive<E extends Endpoint>(
  endpoint: E,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  deps: ServeDeps,
  trail?: Trail,
): Promise<{ input: ParsedOf<E>; unknown: Iterable<string>; viewer: ViewerOf<E>; language: Language }> {
  const declared = declarationOf(endpoint);
  if (declared.audience !== 'public') void reply.header('cache-control', 'no-store');
  if (declared.changes && !bearsToken(request)) refuseCrossSite(request.raw, deps);
  const viewer = await admit(declared, request, deps, trail);
  const language = replyLanguage(request);
  const params = parsePath(declared, request, language);
  const query = queryInput(declared.query, request.query);
  const input = {
    params,
    query: parse(declared.query, query, language),
    body: parse(declared.body, request.body, language),
  } as ParsedOf<E>;
  const unknown = new Set([...unknownFields(declared.query, query), ...unknownFields(declared.body, request.body)]);
  // `admit` has checked the audience of `ViewerOf`.
  return { input, unknown, viewer: viewer as ViewerOf<E>, language };
}

async function admit(
  endpoint: DeclaredEndpoint,
  request: FastifyRequest,
  deps: ServeDeps,
  trail: Trail | undefined,
): Promise<Viewer | undefined> {
  const { audience } = endpoint;
  if (audience === 'public') return undefined;
  const person = await findViewer(request, deps);
  if (person) trail?.by(person);
  if (audience === 'visitor') return person && (await actingIn(endpoint, person, request, deps));
  ensure(person, 'session.none');
  if (person.scopes) checkScope(endpoint, person.scopes);
  const needed = audience === 'root' ? role.root : audience === 'admin' ? role.admin : role.user;
  ensure(person.role >= needed, 'session.role');
  if (needed >= role.admin && deps.live.settings.AdminTwoStepRequired)
    ensure(await hasTwoStep(person.id, deps), 'session.two_step');
  const viewer = await actingIn(endpoint, person, request, deps);
  if (viewer.member) trail?.by(viewer);
  return viewer;
}

/** The viewer of an endpoint that follows the chosen account; a plain link of a download names it in its query. */
async function actingIn(
  { name, file }: DeclaredEndpoint,
  person: Viewer,
  { headers, query }: FastifyRequest,
  deps: ServeDeps,
): Promise<Viewer> {
  const roles = accountRoles[name];
  if (!roles) return person;
  const inLink = file === undefined ? undefined : objectOr(query)['account'];
  return actingFor(person, headers[accountHeader] ?? inLink, roles, deps);
}

/** Throws `session.scope` unless the scopes of an access key hold the endpoint. */
function checkScope({ noun, method, path, changes }: DeclaredEndpoint, scopes: ReadonlySet<string>): void {
  // Every program asks whose key it has.
  if (path === userApi.self.path && method === 'GET') return;
  const area = accessAreaOf(noun);
  ensure(area !== undefined, 'session.scope_never');
  const isRead = method === 'GET' && !changes;
  ensure(scopes.has(area) || (isRead && scopes.has('read')), 'session.scope', { scope: isRead ? 'read' : area });
}

/** Parses path parameters. A word in the place of a number is an unknown path. */
function parsePath(
  { method, params }: DeclaredEndpoint,
  { params: sent, url }: FastifyRequest,
  language: Language,
): unknown {
  const { id } = objectOr(sent);
  const isWord = typeof id === 'string' && /^[a-z_]+$/i.test(id) && !params.safeParse(sent).success;
  if (isWord) throw unknownRoute(method, url);
  return parse(params, sent, language);
}

function parse(schema: z.ZodMiniType, value: unknown, language: Language): unknown {
  if (schema._zod.def.type === 'undefined') return undefined;
  // Filters of lists are optional, so no query string equals an empty one. With `reportInput`, zod's message names the
  // type of the input, not its value.
  const parsed = schema.safeParse(value ?? {}, { reportInput: true });
  const issue = parsed.success ? nulIn(parsed.data) : parsed.error.issues[0];
  if (!issue) return parsed.data;
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]] : issue.path;
  throw new AppError(issue.message === 'list.order' ? 'list.order' : 'input.invalid', {
    field: path.join('.') || 'body',
    problem: problemText(issue, language),
  });
}

/** The first text with a NUL, which PostgreSQL cannot store. */
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

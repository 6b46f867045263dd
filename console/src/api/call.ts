import type { Endpoint, Envelope, InputOf, ReplyOf } from '@relay-hub/contract';
import { atBase } from '#base-path.ts';
import { i18n } from '#i18n/t.ts';
import { languageTag, loadTexts } from '#i18n/i18n.ts';
import { ApiError } from './api-error.ts';
import { reportAnswer, reportNoAnswer } from './connection.ts';
import { nativeForm } from './native-form.ts';
import { currentAccount, session } from './session.ts';

/** Replies of the server in the page itself, by address of the request. */
type Replies = Partial<Record<string, Envelope<unknown>>>;

/** Milliseconds after the first request from which replies in the page are too old. */
const lifetimeMs = 15_000;

let replies: Replies | undefined;
let readAtMs = 0;

/**
 * The reply to a GET request that came with the page, once: the server makes the first ones of a page while its scripts
 * load. Undefined if there is none, or 15 seconds after the first request.
 */
function takeFirstReply(address: string): Envelope<unknown> | undefined {
  if (!replies) {
    replies = readReplies();
    readAtMs = performance.now();
  }
  const reply = replies[address];
  delete replies[address];
  return performance.now() - readAtMs < lifetimeMs ? reply : undefined;
}

/** None in development, and if the server made them in another language than that of the page. */
function readReplies(): Replies {
  const place = globalThis.document?.querySelector<HTMLElement>('#first-replies');
  return place?.lang === languageTag() ? (JSON.parse(place.textContent) as Replies) : {}; // the server wrote its own replies
}

/** Optional where every member of the value is. */
type Part<Key extends string, Value> = [Value] extends [undefined]
  ? { [K in Key]?: undefined }
  : object extends Value
    ? { [K in Key]?: Value }
    : { [K in Key]: Value };

/** The params, query and body of `E`, as far as it declares them. */
export type CallInput<E extends Endpoint> = Part<'params', InputOf<E>['params']> &
  Part<'query', InputOf<E>['query']> &
  Part<'body', InputOf<E>['body']>;

type Optional<T> = object extends T ? [input?: T & WithSignal] : [input: T & WithSignal];

interface WithSignal {
  signal?: AbortSignal | undefined;
}

interface AnyInput extends WithSignal {
  params?: unknown;
  query?: unknown;
  body?: unknown;
}

/**
 * Calls an endpoint and returns the `data` of its answer; asks for proof of identity and retries where the server
 * demands it. After the session has ended, queries (calls with a signal) wait for the next sign-in and all others
 * throw. Throws `ApiError` for a refusal and for no answer.
 */
export async function call<E extends Endpoint>(endpoint: E, ...[input]: Optional<CallInput<E>>): Promise<ReplyOf<E>> {
  for (;;) {
    const { user, ended } = session.get();
    // Without a session the server is not asked, however often a page polls.
    const answer = ended && input?.signal ? undefined : await fetchAnswer(endpoint, input ?? {});
    // The server parses every answer with this endpoint's own schema.
    if (answer?.envelope?.success) return answer.envelope.data as ReplyOf<E>;
    // Loaded on demand: most pages never see a refusal.
    const { recoverOrThrow } = await import('./failed-call.ts');
    await recoverOrThrow(answer, endpoint, input?.signal, user);
  }
}

export interface Answer {
  status: number;
  envelope: Envelope<unknown> | undefined;
}

/** The server's answer to a call, refusals included. */
export async function fetchAnswer(endpoint: Endpoint, { params, query, body, signal }: AnyInput): Promise<Answer> {
  const address = addressOf(endpoint.path, params, query);
  const account = currentAccount();
  // Replies in the page are those of one's own account.
  const first = endpoint.method === 'GET' && !account ? takeFirstReply(address) : undefined;
  if (first) return { status: 200, envelope: first };
  const response = await send(atBase(address), {
    method: endpoint.method,
    headers: {
      'Accept-Language': languageTag(),
      ...nativeForm,
      ...(account && { 'X-Account': String(account.id) }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  return { status: response.status, envelope: await read(response) };
}

async function send(address: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(address, init);
    // A proxy answers for a server that is down.
    if (isGatewayDown(response)) throw new Error(response.statusText);
    reportAnswer();
    return response;
  } catch (error) {
    if (init.signal?.aborted) throw error;
    reportNoAnswer();
    await loadTexts('app');
    throw ApiError.network(i18n.translator('app')('error.connect'));
  }
}

const isGatewayDown = ({ status, headers }: Response) => status >= 502 && status <= 504 && !isJson(headers);
const isJson = (headers: Headers) => headers.get('content-type')?.includes('json') ?? false;

async function read(response: Response): Promise<Envelope<unknown> | undefined> {
  if (!isJson(response.headers)) return undefined;
  try {
    return (await response.json()) as Envelope<unknown>; // every JSON answer under /api is an envelope
  } catch {
    // Not our envelope; the caller reports the status instead.
    return undefined;
  }
}

/** The path with its params filled in and a query without empty values. */
export function addressOf(path: string, params: unknown, query: unknown): string {
  const values = new Map(Object.entries(params ?? {}));
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values.get(name))));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  }
  return search.size > 0 ? `${filled}?${search}` : filled;
}

import type { Endpoint, Envelope, InputOf, ReplyOf } from '@relay-hub/contract';
import i18next from 'i18next';
import { languageTag, loadTexts } from '#i18n/i18n.ts';
import { ApiError } from './api-error.ts';
import { reportAnswer, reportSilence } from './connection.ts';
import { session } from './session.ts';

/** A part of the input may be left out where everything in it may. */
type Part<Key extends string, Value> = [Value] extends [undefined]
  ? { [K in Key]?: undefined }
  : object extends Value
    ? { [K in Key]?: Value }
    : { [K in Key]: Value };

/** What a call of `E` takes: its params, query and body, as far as it declares them. */
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
 * Calls an endpoint and gives the `data` of its answer. Where the server wants to know first who it is, it is asked, and
 * the call made again. When the session ends under an open page, a query, which is known by its signal, waits until the
 * user has signed in again; anything else is refused. Throws `ApiError` for a refusal and for no answer.
 */
export async function call<E extends Endpoint>(endpoint: E, ...[input]: Optional<CallInput<E>>): Promise<ReplyOf<E>> {
  for (;;) {
    const { user, ended } = session.get();
    // Without a session there is nothing to ask the server, however often a page polls.
    const answer = ended && input?.signal ? undefined : await answerTo(endpoint, input ?? {});
    // The server parses every answer with this endpoint's own schema.
    if (answer?.envelope?.success) return answer.envelope.data as ReplyOf<E>;
    // Most pages are never refused anything: what a refusal needs is loaded with the first one.
    const { untilLetIn } = await import('./let-in.ts');
    await untilLetIn(answer, endpoint, input?.signal, user);
  }
}

export interface Answer {
  status: number;
  envelope: Envelope<unknown> | undefined;
}

/** What the server says to a call, be it a refusal. */
export async function answerTo(endpoint: Endpoint, { params, query, body, signal }: AnyInput): Promise<Answer> {
  const response = await send(addressOf(endpoint.path, params, query), {
    method: endpoint.method,
    headers: { 'Accept-Language': languageTag(), ...(body !== undefined && { 'Content-Type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  return { status: response.status, envelope: await read(response) };
}

async function send(address: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(address, init);
    // A proxy in front of a server that is down answers in its stead.
    if (isGatewayDown(response)) throw new Error(response.statusText);
    reportAnswer();
    return response;
  } catch (error) {
    if (init.signal?.aborted) throw error;
    reportSilence();
    await loadTexts('app');
    throw ApiError.network(i18next.t('error.connect', { ns: 'app' }));
  }
}

const isGatewayDown = ({ status, headers }: Response) => status >= 502 && status <= 504 && !isJson(headers);
const isJson = (headers: Headers) => headers.get('content-type')?.includes('json') ?? false;

async function read(response: Response): Promise<Envelope<unknown> | undefined> {
  if (!isJson(response.headers)) return undefined;
  try {
    return (await response.json()) as Envelope<unknown>; // every JSON answer under /api is an envelope
  } catch {
    return undefined;
  }
}

/** The address with its params filled in and what is empty left out of its query. */
export function addressOf(path: string, params: unknown, query: unknown): string {
  const values = new Map(Object.entries(params ?? {}));
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values.get(name))));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  }
  return search.size > 0 ? `${filled}?${search}` : filled;
}

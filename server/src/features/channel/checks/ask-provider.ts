import { parseTextMap } from '@relay-hub/contract';
import { parseJson } from '#json.ts';
import { AppError, ensure, type ErrorCode } from '#errors.ts';
import { privateAddressIn, privateRefusal } from '#http/outbound/reach.ts';
import { hostIn } from '#http/outbound/typed-address.ts';
import type { ProviderCall, Content } from '#providers/operation.ts';
import type { Headers, Provider, ProviderQuestion } from '#providers/provider.ts';
import { BadKey } from '#providers/signing/bad-key.ts';
import { targetOf } from '#providers/target.ts';
import { readUpstreamError } from '#providers/upstream-errors.ts';
import type { Verdict } from '#relay/types/call-types.ts';
import type { Upstreams } from '#relay/upstream/upstreams.ts';
import { proxyFor } from '#live/proxy-for.ts';
import { isOutOfFiles } from '#process/out-of-files.ts';
import { masked } from '#secrets.ts';
import { type ChannelSecrets, secretTexts } from '#features/channel/keys/channel-secrets.ts';

/** A request of a test or check, as far as its provider bills it. */
export interface OwnSpending extends Pick<Verdict, 'served'> {
  /** As it was sent upstream. */
  model: string;
  usage?: Verdict['usage'] | undefined;
  /** `refused`: the provider refused the request, which costs nothing. */
  failed?: 'refused' | 'other';
}

/** A channel, saved or not, with what a request needs. */
export interface ProbedChannel extends ChannelSecrets {
  provider: Provider;
  base_url: string;
  other: string;
  key: string;
  /** Comma-separated; unknown for an unsaved channel. */
  models?: string;
  /** As stored; unknown for an unsaved channel. */
  request_rules?: string;
  /** Counts the usage of tests and checks; left out: nothing does. */
  spent?: (call: OwnSpending) => Promise<void>;
}

/** A request to a provider; GET without a body. */
export interface ProviderRequest extends ProviderQuestion {
  /** Appended to the path, starting with `?` or `&`. */
  more?: string | undefined;
  body?: object | undefined;
  bytes?: Extract<Content, { bytes: Buffer }> | undefined;
  model?: string;
  /** Whether the answer is a stream, which comes back as bytes. */
  stream?: boolean;
  timeoutMs: number;
  signal?: AbortSignal;
}

/** Limit for text replies, in bytes; pictures and sounds may be larger. */
const LARGEST_REPLY = 4 * 1024 * 1024;
const LARGEST_CONTENT = 32 * 1024 * 1024;

/**
 * Sends a request through a channel and returns the parsed JSON. Throws `channel.upstream_failed` with the upstream's
 * error; `upstream` holds its status, code and type.
 */
export async function askProvider(
  upstreams: Upstreams,
  channel: ProbedChannel,
  query: ProviderRequest,
): Promise<unknown> {
  const content = await contentOf(upstreams, channel, query, LARGEST_REPLY);
  return 'json' in content ? content.json : undefined;
}

/** Like `askProvider`, but returns non-JSON content unparsed. */
export const askForContent = (upstreams: Upstreams, channel: ProbedChannel, query: ProviderRequest): Promise<Content> =>
  contentOf(upstreams, channel, query, LARGEST_CONTENT);

async function contentOf(
  upstreams: Upstreams,
  channel: ProbedChannel,
  query: ProviderRequest,
  most: number,
): Promise<Content> {
  const { provider, key } = channel;
  const call = await callOf(upstreams, channel, query);
  const target = targetOf(provider, query, call);
  const path =
    query.more === undefined ? target.path : `${target.path}${target.path.includes('?') ? '&' : '?'}${query.more}`;
  const body = query.bytes?.bytes ?? (query.body === undefined ? undefined : JSON.stringify(query.body));
  const method = body === undefined ? 'GET' : 'POST';
  const own: Headers = {
    ...parseTextMap(channel.model_headers),
    'content-type': query.bytes?.contentType ?? 'application/json',
    accept: most === LARGEST_REPLY ? 'application/json' : '*/*',
  };
  const headers = { ...own, ...target.headers };
  const unsigned = { method, url: target.baseUrl + path, headers, body: Buffer.from(body ?? '') };
  const signed = { ...headers, ...(await provider.sign?.(unsigned, key, Date.now())) };
  return send(upstreams, channel, {
    base: target.baseUrl,
    path,
    method,
    headers: signed,
    body,
    timeoutMs: query.timeoutMs,
    signal: query.signal,
    most,
  });
}

async function callOf(upstreams: Upstreams, channel: ProbedChannel, query: ProviderRequest): Promise<ProviderCall> {
  const { provider, base_url, other, plugin, key } = channel;
  const baseUrl = base_url || provider.baseUrl;
  ensure(baseUrl !== '' || query.target, 'channel.address_needed', { field: 'base_url' });
  const call = { model: query.model ?? '', baseUrl, extras: { other, plugin }, key, stream: query.stream ?? false };
  return provider.token ? { ...call, token: await tokenOf(upstreams, channel, provider.token, query) } : call;
}

async function tokenOf(
  upstreams: Upstreams,
  channel: ProbedChannel,
  exchange: NonNullable<Provider['token']>,
  { timeoutMs }: ProviderRequest,
): Promise<string> {
  const ask: Parameters<typeof exchange>[1] = async ({ url, headers, body }) => {
    const { origin, pathname, search } = new URL(url);
    const reply = await send(upstreams, channel, {
      base: origin,
      path: pathname + search,
      method: 'POST',
      headers,
      body,
      timeoutMs,
      most: LARGEST_REPLY,
    });
    return { status: 200, json: 'json' in reply ? reply.json : undefined };
  };
  try {
    const { value } = await exchange(channel.key, ask);
    return value;
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof BadKey) throw new AppError('channel.key_refused', { field: 'key' });
    throw new AppError('channel.upstream_failed', { reason: 'no token came for the key' });
  }
}

interface PreparedRequest {
  base: string;
  path: string;
  method: 'GET' | 'POST';
  headers: Headers;
  body: string | Buffer | undefined;
  timeoutMs: number;
  most: number;
  signal?: AbortSignal | undefined;
}

async function send(upstreams: Upstreams, channel: ProbedChannel, sending: PreparedRequest): Promise<Content> {
  const { base, path, method, headers, body, timeoutMs, most, signal } = sending;
  const known = [channel.key, ...channel.key.split('|'), ...secretTexts(channel)];
  let answer: Awaited<ReturnType<Upstreams['ask']>>;
  try {
    const proxy = proxyFor(channel.proxy, channel.key);
    answer = await upstreams.ask({
      baseUrl: base,
      path,
      method,
      headers,
      body,
      timeoutMs,
      maxBytes: most,
      proxy,
      signal,
    });
  } catch (error) {
    // A fault of this server is not the channel's fault.
    if (isOutOfFiles(error)) throw new AppError('server.out_of_files');
    const refused = privateAddressIn(error);
    if (refused) throw privateRefusal(refused, hostIn(channel.proxy) === refused.host ? 'proxy' : 'base_url');
    throw new AppError('channel.upstream_failed', {
      reason: masked(error instanceof Error ? error.message : '', ...known),
    });
  }
  const { status, text, bytes, contentType } = answer;
  const json = parseJson(text);
  const upstreamError = (channel.provider.error ?? readUpstreamError)({ status, json });
  if (!upstreamError && status >= 200 && status < 300) return json === undefined ? { bytes, contentType } : { json };
  const message = json === undefined ? text : (upstreamError?.message ?? text);
  // A wrong base URL shows in the whole address only.
  const where = status === 404 ? ` (${method} ${masked(base + path, ...known)})` : '';
  // Masked before it is cut, because half a key would not be recognised.
  const reason = `${status} ${masked(message, ...known).slice(0, 300)}${where}`;
  throw new UpstreamRefusal(reason, {
    status: upstreamError?.status ?? status,
    code: upstreamError?.code,
    type: upstreamError?.type,
  });
}

/** Whether a request failed because of its channel: refused or unreachable. */
export const isChannelFailure = (error: unknown): error is AppError =>
  error instanceof AppError && failures.has(error.code);

const failures: ReadonlySet<string> = new Set<ErrorCode>([
  'channel.upstream_failed',
  'outbound.private',
  'outbound.never',
]);

/** An upstream's refusal with its own codes, which decide whether the channel is disabled. */
export class UpstreamRefusal extends AppError {
  readonly upstream: { status: number; code: string | undefined; type: string | undefined };

  constructor(reason: string, upstream: UpstreamRefusal['upstream']) {
    super('channel.upstream_failed', { reason });
    this.upstream = upstream;
  }
}

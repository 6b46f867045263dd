import type { Deps } from '#deps.ts';
import { parseJson } from '#json.ts';
import type { LiveChannel, LiveKey } from '#live/routing-table.ts';
import type { ProviderCall } from '#providers/operation.ts';
import type { PolledTask, TaskAnswer, TaskRequest } from '#providers/task-operation.ts';
import { BadKey } from '#providers/signing/bad-key.ts';
import { behindGateway } from '#providers/target.ts';
import { aboutOf } from '#relay/upstream/address.ts';
import type { TaskRow } from './task-rows.ts';

/** A channel and one of its keys, for requests about tasks. */
export interface VendorAccess {
  channel: LiveChannel;
  key: LiveKey;
  /** The upstream's model name. */
  model: string;
}

/** Input of the adapter. Fetches the provider's token, if it has one; rejects with `BadKey` and errors of the network. */
export async function vendorCall(
  { upstreams }: Pick<Deps, 'upstreams'>,
  { channel, key, model }: VendorAccess,
): Promise<ProviderCall> {
  const { provider } = channel;
  const token = provider.token ? await upstreams.token(provider.id, provider.token, key.key, key.proxy) : undefined;
  return { ...aboutOf(channel, model), key: key.key, stream: false, token };
}

export interface VendorTarget {
  baseUrl: string;
  path: string;
  proxy: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
}

/** Address, headers and body of a request, with token and signature where the provider has them. */
export async function vendorTarget(
  { channel, key }: VendorAccess,
  { token }: Pick<ProviderCall, 'token'>,
  request: TaskRequest,
): Promise<VendorTarget> {
  const { provider } = channel;
  const baseUrl = request.baseUrl ?? channel.baseUrl;
  if (!isSameSite(baseUrl, channel.baseUrl)) throw new BadKey('the key was not entered for this address');
  const { body, type } = await contentOf(request);
  const headers = {
    ...key.headers,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    accept: 'application/json',
    'accept-encoding': 'identity',
    ...(type !== undefined && { 'content-type': type }),
    ...request.headers,
  };
  const path = behindGateway(baseUrl, request.path);
  const unsigned = { method: request.method, url: baseUrl + path, headers, body: body ?? Buffer.alloc(0) };
  const signature = await provider.sign?.(unsigned, key.key, Date.now());
  return { baseUrl, path, proxy: key.proxy, headers: { ...headers, ...signature }, body };
}

/**
 * Vendors with computed hosts stay within one site. Any other would receive a key that was not entered for
 * it, for example an address from an answer of the upstream.
 */
export function isSameSite(address: string, entered: string): boolean {
  if (address === entered) return true;
  const [a, b] = [address, entered].map((text) => (URL.canParse(text) ? new URL(text) : undefined));
  if (!a || !b) return false;
  if (a.origin === b.origin) return true;
  return a.protocol === 'https:' && siteOf(a.hostname) !== '' && siteOf(a.hostname) === siteOf(b.hostname);
}

/** The registered name of a host, as `example.com` or `example.com.cn`; empty for an IP address. */
function siteOf(host: string): string {
  const labels = host.split('.');
  const [second = '', top = ''] = labels.slice(-2);
  if (!/^[a-z]{2,}$/i.test(top)) return '';
  return labels.slice(top.length === 2 && second.length <= 3 ? -3 : -2).join('.');
}

async function contentOf({ body, form }: TaskRequest): Promise<{ body: Buffer | undefined; type: string | undefined }> {
  if (form) {
    const encoded = new Response(form);
    const type = encoded.headers.get('content-type') ?? undefined;
    return { body: Buffer.from(await encoded.arrayBuffer()), type };
  }
  if (!body) return { body: undefined, type: undefined };
  return { body: Buffer.from(JSON.stringify(body)), type: 'application/json' };
}

export interface AskLimits {
  timeoutMs: number;
  maxBytes: number;
  signal?: AbortSignal | undefined;
}

/** Sends a request about tasks and reads its answer. Rejects if there is none. */
export async function askVendor(
  { upstreams }: Pick<Deps, 'upstreams'>,
  access: VendorAccess,
  call: Pick<ProviderCall, 'token'>,
  request: TaskRequest,
  limits: AskLimits,
): Promise<TaskAnswer> {
  const { body, ...target } = await vendorTarget(access, call, request);
  const { status, text, bytes } = await upstreams.ask({ ...target, method: request.method, body, ...limits });
  return { status, json: parseJson(text), bytes };
}

export const polledTask = ({ upstream_id, task_id, upstream_model, vendor }: TaskRow): PolledTask => ({
  upstreamId: upstream_id,
  ownId: task_id,
  model: upstream_model,
  vendor,
});

import type { Json } from '#json.ts';
import type { DialectId } from '#chat/codec.ts';
import type { Deps } from '#deps.ts';
import type { LiveChannel, LiveKey } from '#live/routing-table.ts';
import type { ProviderCall, Operation, CallTarget } from '#providers/operation.ts';
import { targetOf } from '#providers/target.ts';
import type { ChannelChoice, UpstreamRequest } from '#relay/types/call-types.ts';

export interface UpstreamAddress extends CallTarget {
  proxy: string;
}

/** Input that determines the address of a call. */
interface AddressInput {
  stream: boolean;
  body: Buffer;
  /** Undefined: JSON. */
  contentType: string | undefined;
  /** The caller's JSON, for providers that put part of it into URL or headers. */
  request: Json | undefined;
  /** The caller's path, for providers that need it. */
  callerPath: string | undefined;
  callerHeaders: ProviderCall['callerHeaders'];
  /** Left out: the channel has no rules for headers. */
  changeHeaders?: UpstreamRequest['changeHeaders'];
}

/**
 * URL, headers and proxy of a call. A promise only if a token must be fetched or the request signed. Throws, or
 * rejects, if the key is unusable.
 */
export function resolveAddress(
  deps: Deps,
  choice: ChannelChoice,
  input: AddressInput,
): UpstreamAddress | Promise<UpstreamAddress> {
  const { provider } = choice.channel;
  if (provider.token || provider.sign) return authorizedAddress(deps, choice, input);
  // Without per-call parts, the address depends only on key and operation.
  if (choice.operation.target || input.contentType !== undefined || input.changeHeaders)
    return addressFor(choice, input);
  return fixedAddress(choice, input);
}

/** Input for choosing among a provider's operations. */
export const aboutOf = ({ baseUrl, other, plugin }: LiveChannel, model: string, requested?: string) => ({
  model,
  requested,
  baseUrl,
  extras: { other, plugin },
});

/** Input of a provider's operation. */
export function operationInput(
  { channel, key, upstreamModel }: ChannelChoice,
  stream: boolean,
  token?: string,
): ProviderCall {
  const { model, baseUrl, extras } = aboutOf(channel, upstreamModel);
  // Members are listed because spreading an object and adding to it copies it.
  return { model, baseUrl, extras, key: key.key, stream, token, callerHeaders: undefined };
}

/** The caller's headers, for vendors with the same dialect only. */
export const forwardableHeaders = (
  { dialect, callerHeaders }: { dialect: DialectId; callerHeaders?: ProviderCall['callerHeaders'] },
  { operation }: ChannelChoice,
): ProviderCall['callerHeaders'] => (operation.dialect === dialect ? callerHeaders : undefined);

/** Cached addresses by key, which every change of its channel replaces, and by operation. */
const fixed = new WeakMap<LiveKey, Map<Operation, { whole?: UpstreamAddress; stream?: UpstreamAddress }>>();

function fixedAddress(choice: ChannelChoice, input: AddressInput): UpstreamAddress {
  let ofKey = fixed.get(choice.key);
  if (!ofKey) fixed.set(choice.key, (ofKey = new Map()));
  let known = ofKey.get(choice.operation);
  if (!known) ofKey.set(choice.operation, (known = {}));
  return (known[input.stream ? 'stream' : 'whole'] ??= addressFor(choice, input));
}

function addressFor(choice: ChannelChoice, input: AddressInput, token?: string): UpstreamAddress {
  const { channel, key, operation } = choice;
  const { stream, contentType, request, callerPath, callerHeaders, changeHeaders } = input;
  const operationArgs = { ...operationInput(choice, stream, token), request, callerPath, callerHeaders };
  const { baseUrl, path, headers } = targetOf(channel.provider, operation, operationArgs);
  const all: Record<string, string> = {
    ...key.headers,
    ...headers,
    'content-type': contentType ?? 'application/json',
    accept: stream ? 'text/event-stream' : operation === channel.provider.speech ? '*/*' : 'application/json',
    'accept-encoding': 'identity',
  };
  changeHeaders?.(all);
  return { baseUrl, path, proxy: key.proxy, headers: all };
}

/** With the token for the key and the signature, for providers that use them. */
async function authorizedAddress(
  { upstreams }: Deps,
  choice: ChannelChoice,
  input: AddressInput,
): Promise<UpstreamAddress> {
  const { provider } = choice.channel;
  const { key } = choice.key;
  const token = provider.token ? await upstreams.token(provider.id, provider.token, key, choice.key.proxy) : undefined;
  const target = addressFor(choice, input, token);
  if (!provider.sign) return target;
  const { baseUrl, path, headers } = target;
  const signature = await provider.sign(
    { method: 'POST', url: baseUrl + path, headers, body: input.body },
    key,
    Date.now(),
  );
  return { ...target, headers: { ...headers, ...signature } };
}

import type { Json } from '#chat/chat.ts';
import type { DialectId } from '#chat/codec.ts';
import type { Deps } from '#deps.ts';
import type { LiveKey } from '#live/routing-table.ts';
import type { Asked, Operation, Target } from '#providers/operation.ts';
import { targetOf } from '#providers/target.ts';
import type { ChannelChoice } from '#relay/call/types.ts';
import { aboutOf } from '#relay/select/channel-offer.ts';

/** Where a call goes, and over which proxy; empty: none. */
export interface UpstreamAddress extends Target {
  proxy: string;
}

/** What a call is for its address: whether the answer is to be a stream, and what is sent. */
interface AddressInput {
  stream: boolean;
  body: Buffer;
  /** Undefined: JSON. */
  contentType: string | undefined;
  /** The caller's JSON, where some of it may stand in the address or a header. */
  request: Json | undefined;
  /** The caller's path, where some of it may stand in the address. */
  callerPath: string | undefined;
  callerHeaders: Asked['callerHeaders'];
}

/**
 * Where a call goes, with all its headers. A promise only where a key has to be exchanged or the request signed. Throws,
 * or rejects, when the key cannot be used.
 */
export function resolveAddress(
  deps: Deps,
  choice: ChannelChoice,
  sending: AddressInput,
): UpstreamAddress | Promise<UpstreamAddress> {
  const { provider } = choice.channel;
  if (provider.token || provider.sign) return authorizedAddress(deps, choice, sending);
  // Where a provider says nothing about single calls, all calls with a key go to the same place.
  if (choice.operation.target || sending.contentType !== undefined) return addressFor(choice, sending);
  return fixedAddress(choice, sending);
}

/** What is asked of a provider's operation. */
export function operationInput({ channel, key, upstreamModel }: ChannelChoice, stream: boolean, token?: string): Asked {
  const { model, baseUrl, extras } = aboutOf(channel, upstreamModel);
  // Every member is named: an object that is spread and then added to is copied while it grows.
  return { model, baseUrl, extras, key: key.key, stream, token, callerHeaders: undefined };
}

/** The caller's headers for a vendor who speaks the same dialect: to others they say nothing. */
export const forwardableHeaders = (
  { dialect, callerHeaders }: { dialect: DialectId; callerHeaders?: Asked['callerHeaders'] },
  { operation }: ChannelChoice,
): Asked['callerHeaders'] => (operation.dialect === dialect ? callerHeaders : undefined);

/** By key, which a change of its channel replaces, then by operation: for answers in one piece, and for streams. */
const fixed = new WeakMap<LiveKey, Map<Operation, { whole?: UpstreamAddress; stream?: UpstreamAddress }>>();

function fixedAddress(choice: ChannelChoice, sending: AddressInput): UpstreamAddress {
  let ofKey = fixed.get(choice.key);
  if (!ofKey) fixed.set(choice.key, (ofKey = new Map()));
  let known = ofKey.get(choice.operation);
  if (!known) ofKey.set(choice.operation, (known = {}));
  return (known[sending.stream ? 'stream' : 'whole'] ??= addressFor(choice, sending));
}

function addressFor(choice: ChannelChoice, sending: AddressInput, token?: string): UpstreamAddress {
  const { channel, key, operation } = choice;
  const { stream, contentType, request, callerPath, callerHeaders } = sending;
  const asked = { ...operationInput(choice, stream, token), request, callerPath, callerHeaders };
  const { baseUrl, path, headers } = targetOf(channel.provider, operation, asked);
  return {
    baseUrl,
    path,
    proxy: key.proxy,
    headers: {
      ...key.headers,
      ...headers,
      'content-type': contentType ?? 'application/json',
      accept: stream ? 'text/event-stream' : operation === channel.provider.speech ? '*/*' : 'application/json',
      'accept-encoding': 'identity',
    },
  };
}

/** With what a key was exchanged for, and signed, where the provider wants that. */
async function authorizedAddress(
  { upstreams }: Deps,
  choice: ChannelChoice,
  sending: AddressInput,
): Promise<UpstreamAddress> {
  const { provider } = choice.channel;
  const { key } = choice.key;
  const token = provider.token ? await upstreams.token(provider.id, provider.token, key, choice.key.proxy) : undefined;
  const target = addressFor(choice, sending, token);
  if (!provider.sign) return target;
  const { baseUrl, path, headers } = target;
  const signature = await provider.sign(
    { method: 'POST', url: baseUrl + path, headers, body: sending.body },
    key,
    Date.now(),
  );
  return { ...target, headers: { ...headers, ...signature } };
}

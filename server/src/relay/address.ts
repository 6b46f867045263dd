import type { LiveKey } from '#live/routing-table.ts';
import type { Asked, Operation, Target } from '#providers/operation.ts';
import { targetOf } from '#providers/target.ts';
import type { Deps } from '#deps.ts';
import type { Choice } from './choose.ts';
import { aboutOf } from './offer.ts';

/** What a call is for its address: whether the answer is to be a stream, and what is sent. */
interface Sending {
  stream: boolean;
  body: Buffer;
}

/**
 * Where a call goes, with all its headers. A promise only where a key has to be exchanged or the request signed. Throws,
 * or rejects, when the key cannot be used.
 */
export function addressOf(deps: Deps, choice: Choice, sending: Sending): Target | Promise<Target> {
  const { provider } = choice.channel;
  if (provider.token || provider.sign) return authorized(deps, choice, sending);
  // Where a provider says nothing about single calls, all calls with a key go to the same place.
  if (choice.operation.target) return addressFor(choice, sending.stream);
  return fixedAddress(choice, sending.stream);
}

/** What is asked of a provider's operation. */
export const askedOf = ({ channel, key, upstreamModel }: Choice, stream: boolean, token?: string): Asked => ({
  ...aboutOf(channel, upstreamModel),
  key: key.key,
  stream,
  token,
});

/** By key, which a change of its channel replaces, then by operation: for answers in one piece, and for streams. */
const fixed = new WeakMap<LiveKey, Map<Operation, { whole?: Target; stream?: Target }>>();

function fixedAddress(choice: Choice, stream: boolean): Target {
  let ofKey = fixed.get(choice.key);
  if (!ofKey) fixed.set(choice.key, (ofKey = new Map()));
  let known = ofKey.get(choice.operation);
  if (!known) ofKey.set(choice.operation, (known = {}));
  return (known[stream ? 'stream' : 'whole'] ??= addressFor(choice, stream));
}

function addressFor(choice: Choice, stream: boolean, token?: string): Target {
  const { channel, key, operation } = choice;
  const { baseUrl, path, headers } = targetOf(channel.provider, operation, askedOf(choice, stream, token));
  return {
    baseUrl,
    path,
    headers: {
      ...key.headers,
      ...headers,
      'content-type': 'application/json',
      accept: stream ? 'text/event-stream' : 'application/json',
      'accept-encoding': 'identity',
    },
  };
}

/** With what a key was exchanged for, and signed, where the provider wants that. */
async function authorized({ upstreams }: Deps, choice: Choice, { stream, body }: Sending): Promise<Target> {
  const { provider } = choice.channel;
  const { key } = choice.key;
  const token = provider.token ? await upstreams.token(provider.id, provider.token, key) : undefined;
  const target = addressFor(choice, stream, token);
  if (!provider.sign) return target;
  const { baseUrl, path, headers } = target;
  const signature = await provider.sign({ method: 'POST', url: baseUrl + path, headers, body }, key, Date.now());
  return { ...target, headers: { ...headers, ...signature } };
}

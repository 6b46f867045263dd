import type { Deps } from '#deps.ts';
import type { LiveChannel, LiveKey } from '#live/routing-table.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import type { StatePlace } from '#relay/types/call-state.ts';
import { CACHES } from './google-names.ts';

/** What clients call an object, and the code of its refusal, by the start of its id. */
const nouns: readonly (readonly [start: string, noun: string, code: string])[] = [
  ['vs_', 'vector store', 'vector_store_not_found'],
  ['cntr_', 'container', 'container_not_found'],
  ['container_', 'container', 'container_not_found'],
  ['skill_', 'skill', 'skill_not_found'],
  [CACHES, 'cache', 'file_not_found'],
];

/** 404 for a file or another object that this user has not made. */
export function fileNotFound(id: string): RelayError {
  const [, noun, code = 'file_not_found'] = nouns.find(([start]) => id.startsWith(start)) ?? [];
  const message = noun === undefined ? `No such File object: ${id}` : `There is no ${noun} '${id}'.`;
  return new RelayError(404, message, { type: 'invalid_request_error', code, param: 'id' });
}

/** 404 for an object at an account that the operator has removed. */
export const stateUnavailable = (message: string): RelayError =>
  new RelayError(404, message, { type: 'invalid_request_error', code: 'state_unavailable' });

const remedies = { file: ' Upload the file again.', files: ' Upload them again.', cache: '', object: '' };

/** The same for an object by what clients call it. */
export const noLongerKept = (noun: keyof typeof remedies): RelayError =>
  stateUnavailable(`The account that keeps the ${noun} is no longer available.${remedies[noun]}`);

/** The channel and key that keep an object. Throws a 404 if they are gone. */
export function keptAt(
  { live }: Pick<Deps, 'live'>,
  { channelId, keyId }: StatePlace,
  noun: keyof typeof remedies,
): { channel: LiveChannel; key: LiveKey } {
  const channel = live.routes.channel(channelId);
  const key = channel?.keys.find(({ id }) => id === keyId);
  if (!channel || !key) throw noLongerKept(noun);
  return { channel, key };
}

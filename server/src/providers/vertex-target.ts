import { isObject, objectOr, textOr } from '#json.ts';
import { forwarded } from './open-ai-targets.ts';
import type { ProviderCall, CallTarget } from './operation.ts';
import type { ModelList } from './provider.ts';
import { serviceAccount } from './signing/service-account.ts';
import { regionOr } from './target.ts';

/** The endpoint of the global region. */
export const vertexHost = 'https://aiplatform.googleapis.com';

const GLOBAL = 'global';

/** A publisher model's address in the channel's region and project. Throws `BadKey`. */
export function vertexTarget(call: ProviderCall, rest: string, ...passedOn: readonly string[]): CallTarget {
  const { baseUrl, key, extras, token = '' } = call;
  const parts = extras.other.split('|').map((part) => part.trim());
  const region = regionOr(parts[0] ?? '', GLOBAL);
  const project = (parts.length > 1 ? parts.at(-1) : '') || serviceAccount(key).project;
  const isOwn = baseUrl !== vertexHost;
  return {
    baseUrl: isOwn || region === GLOBAL ? baseUrl : `https://${region}-aiplatform.googleapis.com`,
    path: `/v1/projects/${encodeURIComponent(project)}/locations/${region}/${rest}`,
    headers: { authorization: `Bearer ${token}`, ...forwarded(call, ...passedOn) },
  };
}

/** Vertex separates the date in Claude's names with `@`. */
export function vertexClaude(model: string): string {
  if (model === 'claude-3-5-sonnet-20241022') return 'claude-3-5-sonnet-v2@20241022';
  return model.replace(/-(20\d{6})$/, '@$1');
}

/** Names such as `publishers/google/models/gemini-2.5-flash`. */
export const readPublisherModels: Pick<ModelList, 'read' | 'next'> = {
  read(reply) {
    const models = isObject(reply) ? reply['publisherModels'] : undefined;
    if (!Array.isArray(models)) return undefined;
    return models.flatMap((one) => textOr(objectOr(one)['name'], '').split('/').at(-1) || []);
  },
  next(reply) {
    const token = textOr(objectOr(reply)['nextPageToken'], '');
    if (token === '') return undefined;
    return `/v1beta1/publishers/google/models?pageSize=200&pageToken=${encodeURIComponent(token)}`;
  },
};

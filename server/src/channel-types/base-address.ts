import type { PluginOptions } from '@relay-hub/contract';
import type { ProviderCall } from '#providers/operation.ts';
import type { Provider, ProviderQuestion } from '#providers/provider.ts';
import { findProvider } from '#providers/registry.ts';
import { targetOf } from '#providers/target.ts';

/**
 * The base URL in a pasted address: without the path of an endpoint, or a beginning of one that has the
 * version (`/v1`), since requests append them. Several addresses are separated by line breaks.
 */
export function baseAddressIn(type: number, pasted: string, plugin: PluginOptions = {}): string {
  const provider = findProvider(type);
  if (!provider || pasted === '') return pasted;
  const tail = tailOf(provider, plugin);
  return pasted
    .split('\n')
    .map((address) => {
      const [, origin, path] = /^(\w+:\/\/[^/]+)(\/.*)$/.exec(address) ?? [];
      return origin === undefined || path === undefined ? address : origin + path.replace(tail, '');
    })
    .join('\n');
}

/** Matches what a base URL must not end in. */
function tailOf(provider: Provider, plugin: PluginOptions): RegExp {
  const usual = pathsOf(provider, {});
  const own = pathsOf(provider, plugin);
  // Paths that the operator typed decide where the version is.
  return patternOf(
    own,
    own.every((path) => usual.includes(path)),
  );
}

const VERSION = String.raw`v\d+(?:alpha|beta)?\d*`;
const isVersion = (segment: string): boolean => new RegExp(`^${VERSION}$`).test(segment);

function patternOf(paths: readonly string[], withBeginnings: boolean): RegExp {
  const ends = new Set<string>();
  const endsOfVersion = new Set<string>();
  for (const path of paths) {
    const segments = path.split('/').slice(1);
    const version = segments.findIndex(isVersion);
    const shortest = version < 0 || !withBeginnings ? segments.length : version + 1;
    const beginnings = Array.from({ length: segments.length - shortest + 1 }, (_, i) =>
      segments.slice(0, shortest + i),
    );
    // One word without a version, like `/models`, may be the operator's own path.
    for (const part of [...beginnings, segments.slice(version + 1)].filter(({ length }) => length > 0))
      (part.length > 1 || part.some(isVersion) ? ends : endsOfVersion).add(part.map(escaped).join('/'));
  }
  const pattern = `/(?:${[...ends].join('|')})$`;
  return new RegExp(`${pattern}|(?<=/${VERSION})/(?:${[...endsOfVersion].join('|')})$`);
}

/** Stands for the model or account in a path. */
const ANY = 'any-name-0';

const escaped = (segment: string): string =>
  segment
    .split(ANY)
    .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join('[^/]+');

/** The paths that requests of a channel append, without queries. */
function pathsOf(provider: Provider, plugin: PluginOptions): string[] {
  const { chat, completions, embeddings, speech, transcriptions, translations, rerank, moderations } = provider;
  const audio = [speech, transcriptions, translations];
  const operations = [
    chat,
    completions,
    embeddings,
    rerank,
    moderations,
    ...audio,
    ...Object.values(provider.images ?? {}),
  ];
  const all = operations.flatMap((one) => (one ? [one, ...(one.also ?? [])] : []));
  // Some paths depend on whether the address is the vendor's own, and whether the model's name has an owner.
  const calls = ['https://base.invalid', provider.baseUrl].flatMap((baseUrl) =>
    [ANY, `${ANY}/${ANY}`].map((model) => ({ ...anyCall, baseUrl, model, extras: { other: '', plugin } })),
  );
  const paths = calls.flatMap((call) => {
    const served = all.filter(({ serves }) => serves?.(call) ?? true);
    return [...served, ...(provider.models ? [provider.models] : [])].map((one) => pathOf(provider, one, call));
  });
  return [...new Set(paths)].filter((path) => path.length > 1);
}

const anyCall = { key: Array.from({ length: 4 }, () => ANY).join('|'), stream: false };

/** Empty for another host than the channel's, and if the address depends on a real key. */
function pathOf(provider: Provider, question: ProviderQuestion, call: ProviderCall): string {
  try {
    const target = targetOf(provider, question, call);
    return target.baseUrl === call.baseUrl ? (target.path.split('?')[0] ?? '') : '';
  } catch {
    // A key that is no real one.
    return '';
  }
}

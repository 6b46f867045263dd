import type { Namespace, Texts } from './texts.ts';

/** Loads the texts of a namespace in a language. */
type Load = (language: string, namespace: string) => Promise<object>;

/** A plural form such as `rows_one` is also reached by its base, `rows`, with a count. */
type Base<Name extends string> = Name extends `${infer Rest}_${'zero' | 'one' | 'other'}` ? Name | Rest : Name;
type KeysOf<T, Path extends string = ''> = {
  [Name in keyof T & string]: T[Name] extends string ? `${Path}${Base<Name>}` : KeysOf<T[Name], `${Path}${Name}.`>;
}[keyof T & string];
type Keys = { [N in Namespace]: KeysOf<Texts[N]> };
type QualifiedKey = { [N in Namespace]: `${N}:${Keys[N]}` }[Namespace];

/** A key of `N`, or one of any namespace as `namespace:key`. */
export type TextKey<N extends Namespace> = Keys[N] | QualifiedKey;

/** Values for the `{{name}}` of a text; `count`, a number or one as text, also selects the plural form. */
interface Values {
  [name: string]: string | number | undefined;
}

/** Gives the text of a key; the key itself if there is none. */
export type Translate<N extends Namespace = 'app'> = (key: TextKey<N>, values?: Values) => string;

const texts = new Map<string, object>();
const loading = new Map<string, Promise<void>>();
const translators = new Map<string, (key: string, values?: Values) => string>();
const pluralRules = new Map<string, Intl.PluralRules>();
const listeners = new Set<(language: string) => void>();
let load: Load = () => Promise.reject(new Error('texts were requested before startLanguage'));
let language = '';

const idOf = (code: string, namespace: string): string => `${code}/${namespace}`;

function loadOne(code: string, namespace: string): Promise<void> {
  const id = idOf(code, namespace);
  const known = loading.get(id);
  if (known) return known;
  const started = load(code, namespace).then((loaded) => {
    texts.set(id, loaded);
    // React's `use` reads a promise with this status at once, without a tick of suspense.
    return void Object.assign(started, { status: 'fulfilled', value: undefined });
  });
  loading.set(id, started);
  // A later visit tries again.
  started.catch(() => loading.delete(id));
  return started;
}

/** The promise of the texts of a namespace in the current language: the same one while and after they load. */
export const textsOf = (namespace: Namespace): Promise<void> => loadOne(language, namespace);

/** Starts with a language and the texts needed at once. */
export async function startLanguage(first: string, loader: Load, namespaces: readonly Namespace[]): Promise<void> {
  load = loader;
  language = first;
  for (const listener of listeners) listener(first);
  await i18n.loadNamespaces(namespaces);
}

/** Calls `listener` at each change of language; the result unsubscribes it. */
export function onLanguage(listener: (language: string) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function find(namespace: string, key: string): string | undefined {
  let found: unknown = texts.get(idOf(language, namespace));
  for (const part of key.split('.')) found = (found as Record<string, unknown> | undefined)?.[part];
  return typeof found === 'string' ? found : undefined;
}

/** The keys to try for a count, the most specific first. */
function formsOf(key: string, count: string | number | undefined): string[] {
  if (count === undefined) return [key];
  // Cached: constructing the rules takes a hundred times as long as using them.
  const rules = pluralRules.get(language) ?? new Intl.PluralRules(language.replace('_', '-'));
  pluralRules.set(language, rules);
  return [...(count === 0 ? [`${key}_zero`] : []), `${key}_${rules.select(Number(count))}`, `${key}_other`, key];
}

function translate(namespaces: readonly string[], key: string, values: Values = {}): string {
  const [, qualifier, name = key] = /^(\w+):(.+)$/s.exec(key) ?? [];
  for (const namespace of qualifier === undefined ? namespaces : [qualifier]) {
    for (const form of formsOf(name, values['count'])) {
      const text = find(namespace, form);
      if (text !== undefined) return text.replace(/\{\{(\w+)\}\}/g, (_, value: string) => String(values[value] ?? ''));
    }
  }
  return key;
}

/** The texts of the current language. Components use `useTranslation`, which also follows a change of language. */
export const i18n = {
  get language(): string {
    return language;
  },
  exists: (namespace: Namespace, key: string): boolean => find(namespace, key) !== undefined,
  /** Translates with the texts of these namespaces, the first match wins; the same function until the language changes. */
  translator<N extends Namespace>(wanted: N | readonly N[]): Translate<N> {
    const namespaces = [wanted].flat();
    const id = idOf(language, namespaces.join());
    const made = translators.get(id) ?? ((key: string, values?: Values) => translate(namespaces, key, values));
    translators.set(id, made);
    return made;
  },
  /** Rejects if one cannot be loaded; the next call tries again. */
  async loadNamespaces(namespaces: readonly Namespace[]): Promise<void> {
    await Promise.all(namespaces.map((namespace) => loadOne(language, namespace)));
  },
  /** Changes the language once all texts in use have been loaded in the new one. */
  async changeLanguage(next: string): Promise<void> {
    const inUse = new Set([...texts.keys()].map((id) => id.slice(id.indexOf('/') + 1)));
    await Promise.all([...inUse].map((namespace) => loadOne(next, namespace)));
    language = next;
    for (const listener of listeners) listener(next);
  },
};

/** Loads the texts of a namespace in a language. */
type Load = (language: string, namespace: string) => Promise<object>;

export type Translate = (key: string, values?: Values) => string;

interface Values {
  [name: string]: string | number | undefined;
  count?: number;
  ns?: string;
}

const texts = new Map<string, object>();
const loading = new Map<string, Promise<void>>();
const translators = new Map<string, Translate>();
const plurals = new Map<string, Intl.PluralRules>();
const listeners = new Set<(language: string) => void>();
let load: Load = () => Promise.reject(new Error('texts are asked for before there is a language'));
let language = '';

const idOf = (code: string, namespace: string): string => `${code}/${namespace}`;

function loadOne(code: string, namespace: string): Promise<void> {
  const id = idOf(code, namespace);
  const started = loading.get(id) ?? load(code, namespace).then((loaded) => void texts.set(id, loaded));
  loading.set(id, started);
  // A later visit tries again.
  started.catch(() => loading.delete(id));
  return started;
}

/** The texts of `namespaces` in the current language; the same promise while they are on the way, none when they are there. */
export function missingTexts(namespaces: readonly string[]): Promise<void> | undefined {
  const namespace = namespaces.find((each) => !texts.has(idOf(language, each)));
  return namespace === undefined ? undefined : loadOne(language, namespace);
}

async function loadNamespaces(wanted: string | readonly string[]): Promise<void> {
  await Promise.all([wanted].flat().map((namespace) => loadOne(language, namespace)));
}

/** The language is changed once all texts that are in use are there in the new one. */
async function changeLanguage(next: string): Promise<void> {
  const inUse = new Set([...texts.keys()].map((id) => id.slice(id.indexOf('/') + 1)));
  await Promise.all([...inUse].map((namespace) => loadOne(next, namespace)));
  language = next;
  for (const listener of listeners) listener(next);
}

/** Starts with a language and the texts that are needed at once. */
export async function startLanguage(first: string, loader: Load, namespaces: readonly string[]): Promise<void> {
  load = loader;
  language = first;
  for (const listener of listeners) listener(first);
  await loadNamespaces(namespaces);
}

/** Tells of every new language; what is given back stops it. */
export function onLanguage(listener: (language: string) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function find(namespace: string, key: string): string | undefined {
  let found: unknown = texts.get(idOf(language, namespace));
  for (const part of key.split('.')) found = (found as Record<string, unknown> | undefined)?.[part];
  return typeof found === 'string' ? found : undefined;
}

/** Kept, because making them takes a hundred times as long as asking them. */
function pluralRules(): Intl.PluralRules {
  const rules = plurals.get(language) ?? new Intl.PluralRules(language.replace('_', '-'));
  plurals.set(language, rules);
  return rules;
}

/** The forms of a key for a number, the best one first. */
function formsOf(key: string, count: number | undefined): string[] {
  if (count === undefined) return [key];
  const form = pluralRules().select(count);
  return [...(count === 0 ? [`${key}_zero`] : []), `${key}_${form}`, `${key}_other`, key];
}

function say(namespaces: readonly string[], key: string, values: Values = {}): string {
  const [, namespaceOfKey, name = key] = /^(\w+):(.+)$/s.exec(key) ?? [];
  const asked = namespaceOfKey ?? values.ns;
  for (const namespace of asked === undefined ? namespaces : [asked]) {
    for (const form of formsOf(name, values.count)) {
      const text = find(namespace, form);
      if (text !== undefined) return text.replace(/\{\{(\w+)\}\}/g, (_, value: string) => String(values[value] ?? ''));
    }
  }
  return key;
}

/** Says the texts of `namespaces`, in whatever language is current; the same function while that one is. */
function getFixedT(_: string | null, wanted: string | readonly string[] = 'app'): Translate {
  const namespaces = [wanted].flat();
  const id = idOf(language, namespaces.join());
  const made = translators.get(id) ?? ((key: string, values?: Values) => say(namespaces, key, values));
  translators.set(id, made);
  return made;
}

// The default export is what stands in for i18next's own.
export default {
  get language() {
    return language;
  },
  t: (key: string, values?: Values) => say(['app'], key, values),
  exists: (key: string, { ns = 'app' }: { ns?: string } = {}) => find(ns, key) !== undefined,
  getFixedT,
  loadNamespaces,
  changeLanguage,
};

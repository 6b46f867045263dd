import { fallbackLanguage, languageFor, type Language } from '@relay-hub/contract';
import { detectLanguage, rememberLanguage } from './detect-language.ts';
import { languages } from './languages.ts';
import { i18n, onLanguage, startLanguage } from './t.ts';
import type { Namespace } from './texts.ts';

type LoadedTexts = Partial<Record<string, object>>;

/** Files with the texts of the opened page, by language; none in development. */
const pageTexts = JSON.parse(globalThis.document?.documentElement.dataset['texts'] ?? '{}') as Record<string, string>; // written by the server

/** The texts that the opened page has in one file; empty if it cannot be loaded. */
async function textsOfPage(code: string): Promise<LoadedTexts> {
  const file = pageTexts[code];
  if (file === undefined) return {};
  try {
    return ((await import(/* @vite-ignore */ file)) as { default: LoadedTexts }).default;
  } catch {
    return {};
  }
}

async function textsOf(code: string, namespace: string): Promise<object> {
  const own = (await textsOfPage(code))[namespace];
  if (own) return own;
  const language = languages.find((each) => each.code === code);
  const load = (await language?.load())?.[namespace as Namespace]; // only names from TextLoaders are requested
  if (!load) throw new Error(`no texts ${code}/${namespace}`);
  return (await load()).texts;
}

let started: Promise<unknown> = Promise.resolve();

/** Finds the visitor's language and loads the texts that every page has; nothing is drawn before. */
export async function startTexts(...namespaces: Namespace[]): Promise<void> {
  onLanguage((code) => {
    document.documentElement.lang = tagOf(code);
  });
  started = startLanguage(detectLanguage() ?? fallbackLanguage, textsOf, namespaces);
  await started;
  const asked = detectLanguage(['querystring']);
  if (asked) rememberLanguage(asked);
}

/** The language of the site counts where neither a choice nor the browser names one of ours. */
export async function applySiteLanguage(code: string): Promise<void> {
  const asked = detectLanguage(['querystring', 'cookie', 'localStorage', 'sessionStorage', 'navigator']);
  const language = languageFor(code);
  if (!asked && language && language !== i18n.language) await i18n.changeLanguage(language);
}

export async function chooseLanguage(code: Language): Promise<void> {
  rememberLanguage(code);
  await i18n.changeLanguage(code);
}

/** As `<html lang>`, Accept-Language and Intl spell it. */
export const tagOf = (code: string): string => languages.find((language) => language.code === code)?.tag ?? code;

export const languageTag = (): string => tagOf(i18n.language || fallbackLanguage);

/** Loads the texts of a screen in the current language. */
export async function loadTexts(...namespaces: Namespace[]): Promise<void> {
  await started;
  await i18n.loadNamespaces(namespaces);
}

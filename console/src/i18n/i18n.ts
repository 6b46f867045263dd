import i18next, { type BackendModule, type ReadCallback } from 'i18next';
import LanguageDetector from 'i18next-browser-languagedetector';
import { initReactI18next } from 'react-i18next';
import { fallbackLanguage, isLanguage, languageFor, languages, type Language } from './languages.ts';
import type { Namespace } from './texts.ts';

const key = 'appLanguage';
const remember = ['cookie', 'localStorage'];
const detector = new LanguageDetector();

async function textsOf(code: string, namespace: string): Promise<object> {
  const language = languages.find((each) => each.code === code);
  const load = language?.load[namespace as Namespace]; // only names from TextLoaders are ever asked for
  if (!load) throw new Error(`no texts ${code}/${namespace}`);
  return (await load()).texts;
}

async function deliver(code: string, namespace: string, done: ReadCallback): Promise<void> {
  try {
    done(null, await textsOf(code, namespace));
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)), false);
  }
}

const backend: BackendModule = {
  type: 'backend',
  init: () => undefined,
  read: (code, namespace, done) => void deliver(code, namespace, done),
};

let started: Promise<unknown> = Promise.resolve();

/** Finds the visitor's language and loads the texts that every page has; nothing is drawn before. */
export async function startTexts(...namespaces: Namespace[]): Promise<void> {
  i18next.on('languageChanged', (code) => {
    document.documentElement.lang = tagOf(code);
  });
  started = i18next
    .use(backend)
    .use(detector)
    .use(initReactI18next)
    .init({
      supportedLngs: languages.map((language) => language.code),
      fallbackLng: fallbackLanguage,
      load: 'currentOnly',
      ns: namespaces,
      defaultNS: 'app',
      partialBundledLanguages: true,
      interpolation: { escapeValue: false },
      detection: {
        order: ['querystring', 'cookie', 'localStorage', 'sessionStorage', 'navigator', 'htmlTag'],
        lookupQuerystring: 'lng',
        lookupCookie: key,
        lookupLocalStorage: key,
        lookupSessionStorage: key,
        cookieMinutes: 10,
        cookieOptions: { path: '/', sameSite: 'strict' },
        // Only a choice is remembered, or the first guess would for ever pass for one.
        caches: [],
        convertDetectedLanguage: (tag) => languageFor(tag) ?? tag,
      },
    });
  await started;
  if (found(['querystring'])) detector.cacheUserLanguage(i18next.language, remember);
}

function found(order: string[]): boolean {
  const detected = detector.detect(order) ?? [];
  return [detected].flat().some(isLanguage);
}

/** The language of the site counts where neither a choice nor the browser names one of ours. */
export async function applySiteLanguage(code: string): Promise<void> {
  const asked = found(['querystring', 'cookie', 'localStorage', 'sessionStorage', 'navigator']);
  const language = languageFor(code);
  if (!asked && language && language !== i18next.language) await i18next.changeLanguage(language);
}

export async function chooseLanguage(code: Language): Promise<void> {
  detector.cacheUserLanguage(code, remember);
  await i18next.changeLanguage(code);
}

/** As `<html lang>`, Accept-Language and Intl spell it. */
export const tagOf = (code: string): string => languages.find((language) => language.code === code)?.tag ?? code;

export const languageTag = (): string => tagOf(i18next.language ?? fallbackLanguage);

/** Loads the texts of a screen in the current language. */
export async function loadTexts(...namespaces: Namespace[]): Promise<void> {
  await started;
  await i18next.loadNamespaces(namespaces);
}

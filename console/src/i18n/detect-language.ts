import { languageFor, type Language } from '@relay-hub/contract';
import { basePath } from '#base-path.ts';

const key = 'appLanguage';
const minutesKept = 10;

function stored(area: () => Storage): string | null {
  try {
    return area().getItem(basePath + key);
  } catch {
    return null; // storage can be forbidden
  }
}

/** Sources of a visitor's language, highest priority first. */
const places = {
  querystring: () => [new URLSearchParams(location.search).get('lng')],
  cookie: () => [new RegExp(`(?:^|; )${key}=([^;]*)`).exec(document.cookie)?.[1]],
  localStorage: () => [stored(() => localStorage)],
  sessionStorage: () => [stored(() => sessionStorage)],
  navigator: () => navigator.languages,
  htmlTag: () => [document.documentElement.lang],
};

type Place = keyof typeof places;
type LanguageTags = readonly (string | null | undefined)[];

/** The first supported language found in the places `wanted`; undefined: none. */
export function detectLanguage(wanted = Object.keys(places) as Place[]): Language | undefined {
  const tags = wanted.flatMap((place): LanguageTags => places[place]());
  return tags.map((tag) => languageFor(tag ?? '')).find((code) => code !== undefined);
}

/** Only a choice is remembered, or the first guess would for ever pass for one. */
export function rememberLanguage(code: Language): void {
  document.cookie = `${key}=${code}; Path=${basePath}/; Max-Age=${minutesKept * 60}; SameSite=Strict`;
  try {
    localStorage.setItem(basePath + key, code);
  } catch {
    // full or forbidden
  }
}

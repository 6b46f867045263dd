import { languageFor, type Language } from '@relay-hub/contract';

const key = 'appLanguage';
const minutesKept = 10;

function stored(area: () => Storage): string | null {
  try {
    return area().getItem(key);
  } catch {
    return null; // storage can be forbidden
  }
}

/** Where a visitor's language may be told, the strongest first. */
const places = {
  querystring: () => [new URLSearchParams(location.search).get('lng')],
  cookie: () => [new RegExp(`(?:^|; )${key}=([^;]*)`).exec(document.cookie)?.[1]],
  localStorage: () => [stored(() => localStorage)],
  sessionStorage: () => [stored(() => sessionStorage)],
  navigator: () => navigator.languages,
  htmlTag: () => [document.documentElement.lang],
};

type Place = keyof typeof places;
type Told = readonly (string | null | undefined)[];

/** The first language of ours that is told in `wanted`, the strongest place first; undefined when none is. */
export function detectLanguage(wanted = Object.keys(places) as Place[]): Language | undefined {
  const told = wanted.flatMap((place): Told => places[place]());
  return told.map((tag) => languageFor(tag ?? '')).find((code) => code !== undefined);
}

/** Only a choice is remembered, or the first guess would for ever pass for one. */
export function rememberLanguage(code: Language): void {
  document.cookie = `${key}=${code}; Path=/; Max-Age=${minutesKept * 60}; SameSite=Strict`;
  try {
    localStorage.setItem(key, code);
  } catch {
    // full or forbidden
  }
}

import { storage } from '#api/storage.ts';
import { createStore, useStore } from '#api/store.ts';

const key = 'theme';
const system = matchMedia('(prefers-color-scheme: dark)');

export const themeChoices = ['light', 'dark', 'system'] as const;
export type ThemeChoice = (typeof themeChoices)[number];

export const isThemeChoice = (value: string): value is ThemeChoice => themeChoices.some((choice) => choice === value);

const choice = createStore<ThemeChoice>(readChoice());

function readChoice(): ThemeChoice {
  const stored = storage.get(key);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

const isDark = () => (choice.get() === 'system' ? system.matches : choice.get() === 'dark');
const shown = createStore<'light' | 'dark'>(isDark() ? 'dark' : 'light');

function apply(): void {
  const theme = isDark() ? 'dark' : 'light';
  document.documentElement.dataset['theme'] = theme;
  shown.set(theme);
}

choice.subscribe(apply);
system.addEventListener('change', apply);
storage.onChange(key, () => choice.set(readChoice()));

/** `system` follows the operating system and is not stored. */
export function chooseTheme(next: ThemeChoice): void {
  if (next === 'system') storage.remove(key);
  else storage.set(key, next);
  choice.set(next);
}

export const toggleTheme = (): void => chooseTheme(isDark() ? 'light' : 'dark');

/** The chosen theme, and the one in effect. */
export const useTheme = (): { choice: ThemeChoice; shown: 'light' | 'dark' } => ({
  choice: useStore(choice),
  shown: useStore(shown),
});

import { Moon, RotateCcw, Sun } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { MenuButton } from '#ui/overlay/menu-button.tsx';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { storage } from '#api/storage.ts';
import { createStore, useStore } from '#api/store.ts';
import { chooseTheme, isThemeChoice, themeChoices, useTheme } from './theme.ts';

const fonts = ['roboto', 'system', 'wide', 'serif'] as const;
/** Radius of a card in pixels; smaller parts follow in proportion. */
const corners = ['0', '6', '12', '20'] as const;

/** A stored choice that is an attribute of the page, which index.html sets before the first paint. */
function preference<const V extends string>(
  key: string,
  attribute: string,
  { values, fallback }: { values: readonly V[]; fallback: V },
) {
  const read = (): V => values.find((value) => value === storage.get(key)) ?? fallback;
  const store = createStore(read());
  const apply = () => (document.documentElement.dataset[attribute] = store.get());
  apply();
  store.subscribe(apply);
  storage.onChange(key, () => store.set(read()));
  return {
    store,
    /** Stores the choice; unknown values and the default are not stored. */
    choose(next: string): void {
      const known = values.find((value) => value === next) ?? fallback;
      if (known === fallback) storage.remove(key);
      else storage.set(key, known);
      store.set(known);
    },
    reset(): void {
      storage.remove(key);
      store.set(fallback);
    },
  };
}

const font = preference('fontFamily', 'font', { values: fonts, fallback: 'roboto' });
const corner = preference('borderRadius', 'corners', { values: corners, fallback: '12' });

const chooseFont = font.choose;
const chooseCorners = corner.choose;

/** Font and corners as the product has them by default. */
function resetAppearance(): void {
  font.reset();
  corner.reset();
}

/** The chosen font and corners. */
const useAppearance = () => ({ font: useStore(font.store), corners: useStore(corner.store) });

/** Theme, font and corners; the icon shows the current theme. */
export function AppearanceMenu() {
  const { t } = useTranslation();
  const theme = useTheme();
  const appearance = useAppearance();
  const label = t('theme.title');
  const entries = (): MenuEntries => [
    { heading: t('theme.colours') },
    {
      label: t('theme.colours'),
      value: theme.choice,
      options: themeChoices.map((value) => ({ value, label: t(`theme.${value}`) })),
      onPick: (choice) => isThemeChoice(choice) && chooseTheme(choice),
      stays: true,
    },
    'line',
    { heading: t('theme.font') },
    {
      label: t('theme.font'),
      value: appearance.font,
      options: fonts.map((value) => ({ value, label: t(`theme.fonts.${value}`) })),
      onPick: chooseFont,
      stays: true,
    },
    'line',
    { heading: t('theme.corners') },
    {
      label: t('theme.corners'),
      value: appearance.corners,
      options: corners.map((value) => ({ value, label: t(`theme.radius.${value}`) })),
      onPick: chooseCorners,
      stays: true,
    },
    'line',
    {
      label: t('theme.reset'),
      icon: RotateCcw,
      onSelect: () => {
        resetAppearance();
        chooseTheme('system');
      },
    },
  ];
  return <MenuButton label={label} icon={theme.shown === 'dark' ? Moon : Sun} entries={entries} />;
}

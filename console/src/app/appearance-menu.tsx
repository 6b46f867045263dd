import { Moon, RotateCcw, Sun } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { MenuButton } from '#ui/overlay/menu-button.tsx';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { chooseCorners, chooseFont, corners, fonts, resetAppearance, useAppearance } from './appearance.ts';
import { chooseTheme, isThemeChoice, themeChoices, useTheme } from './theme.ts';

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

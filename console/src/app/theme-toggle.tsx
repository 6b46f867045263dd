import { Moon, Sun } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { toggleTheme, useTheme } from './theme.ts';

/** Toggles light and dark; the icon shows the current theme. */
export function ThemeToggle() {
  const { t } = useTranslation();
  const { shown } = useTheme();
  return (
    <IconButton
      label={t(shown === 'dark' ? 'theme.toLight' : 'theme.toDark')}
      icon={shown === 'dark' ? Moon : Sun}
      onClick={toggleTheme}
    />
  );
}

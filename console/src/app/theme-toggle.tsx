import { Moon, Sun } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '#ui/basic/button.tsx';
import { toggleTheme, useTheme } from './theme.ts';

/** Light or dark; the icon shows which one is on. */
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

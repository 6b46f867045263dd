import { Bell, CreditCard, Globe, LogOut, Monitor, Moon, Sun } from 'lucide-react';
import { useNavigate } from '@tanstack/react-router';
import { useContext } from 'react';
import { useSession } from '#api/session.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { chooseLanguage } from '#i18n/i18n.ts';
import { languages } from '#i18n/languages.ts';
import { SavingDisabled } from '#ui/form/saving-disabled.ts';
import { openNotice } from '../notice/notice-store.ts';
import { chooseTheme, toggleTheme, useTheme } from '../theme.ts';
import { useSignOut } from '../use-sign-out.ts';
import { matches, type PaletteGroup } from './palette-item.ts';

/** Global actions that match. */
export function useActions(typed: string): PaletteGroup {
  const { t, i18n } = useTranslation();
  const { choice, shown } = useTheme();
  const signOut = useSignOut();
  const away = useContext(SavingDisabled);
  const { isRoot } = useSession();
  const navigate = useNavigate();
  const dark = shown === 'dark';
  const others = languages.filter(({ code }) => code !== i18n.language);
  const items = [
    { id: 'theme', icon: dark ? Sun : Moon, title: t(dark ? 'theme.toLight' : 'theme.toDark'), run: toggleTheme },
    ...(choice === 'system'
      ? []
      : [{ id: 'system', icon: Monitor, title: t('palette.systemTheme'), run: () => chooseTheme('system') }]),
    ...others.map(({ code, name }) => ({
      id: `language ${code}`,
      icon: Globe,
      title: t('palette.language', { name }),
      run: () => void chooseLanguage(code),
    })),
    ...(isRoot
      ? [
          {
            id: 'gateway',
            icon: CreditCard,
            title: t('palette.addGateway'),
            run: () => void navigate({ to: '/panel/payment', search: { tab: 'gateways', edit: 'new' } }),
          },
        ]
      : []),
    { id: 'notice', icon: Bell, title: t('notice.open'), run: openNotice },
    { id: 'sign out', icon: LogOut, title: t('nav.signOut'), off: away, run: signOut },
  ];
  return { title: t('palette.actions'), items: items.filter(({ title }) => matches(typed, title)) };
}

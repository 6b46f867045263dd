import { isAdmin, role } from '@relay-hub/contract';
import {
  Ban,
  Bell,
  CreditCard,
  Globe,
  Keyboard,
  KeyRound,
  LogOut,
  Megaphone,
  Monitor,
  Moon,
  Package,
  RefreshCw,
  Scale,
  Sun,
  Tag,
  Ticket,
  UserPlus,
  Users,
  Waypoints,
  Zap,
} from 'lucide-react';
import { useContext } from 'react';
import { useSession } from '#api/session.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { chooseLanguage } from '#i18n/i18n.ts';
import { languages } from '#i18n/languages.ts';
import type { IconShape } from '#ui/basic/icon.tsx';
import { SavingDisabled } from '#ui/form/saving-disabled.ts';
import { openNotice } from '../notice/notice-store.ts';
import { chooseTheme, toggleTheme, useTheme } from '../theme.ts';
import { useSignOut } from '../use-sign-out.ts';
import { matches, type PaletteGroup, type PaletteItem } from './palette-item.ts';

type Audience = 'all' | 'admin' | 'root';

/** Forms and questions by address; `makes`: also found as "add", "create" and "new". */
const verbs = [
  ['addChannel', Waypoints, '/panel/channel?edit=new', 'admin', 'makes'],
  ['createToken', KeyRound, '/panel/token?edit=new', 'all', 'makes'],
  ['addUser', UserPlus, '/panel/user?edit=new', 'admin', 'makes'],
  ['createCodes', Ticket, '/panel/redemption?edit=new', 'admin', 'makes'],
  ['addPlan', Package, '/panel/plan_sale?edit=new', 'admin', 'makes'],
  ['addPrice', Tag, '/panel/pricing?edit=new', 'admin', 'makes'],
  ['updatePrices', RefreshCw, '/panel/pricing?open=update', 'admin', ''],
  ['explainRoute', Waypoints, '/panel/channel?why=1', 'admin', ''],
  ['testAll', Zap, '/panel/channel?ask=test', 'admin', ''],
  ['checkBooks', Scale, '/panel/books', 'admin', ''],
  ['addGroup', Users, '/panel/user_group?edit=new', 'admin', 'makes'],
  ['newAnnouncement', Megaphone, '/panel/announcement?edit=new', 'admin', 'makes'],
  ['blockAddress', Ban, '/panel/block?edit=new', 'admin', 'makes'],
  ['addGateway', CreditCard, '/panel/payment?tab=gateways&edit=new', 'root', 'makes'],
  ['changePassword', KeyRound, '/panel/profile', 'all', ''],
] as const satisfies readonly (readonly [string, IconShape, string, Audience, 'makes' | ''])[];

/** Global actions that match. */
export function useActions(typed: string, onKeys: () => void): PaletteGroup {
  const { t, i18n } = useTranslation(['app', 'palette']);
  const { choice, shown } = useTheme();
  const signOut = useSignOut();
  const away = useContext(SavingDisabled);
  const { user } = useSession();
  const rank = user?.role ?? role.guest;
  const dark = shown === 'dark';
  const others = languages.filter(({ code }) => code !== i18n.language);
  const may = (audience: Audience) => audience === 'all' || (audience === 'root' ? rank >= role.root : isAdmin(rank));
  const items: (PaletteItem & { also?: string })[] = [
    ...verbs.flatMap(([key, icon, to, audience, makes]) =>
      may(audience)
        ? [{ id: key, icon, title: t(`palette:${key}`), to, ...(makes && { also: t('palette:also') }) }]
        : [],
    ),
    { id: 'keys', icon: Keyboard, title: t('palette:keys'), run: onKeys },
    { id: 'theme', icon: dark ? Sun : Moon, title: t(dark ? 'theme.toLight' : 'theme.toDark'), run: toggleTheme },
    ...(choice === 'system'
      ? []
      : [{ id: 'system', icon: Monitor, title: t('palette:systemTheme'), run: () => chooseTheme('system') }]),
    ...others.map(({ code, name }) => ({
      id: `language ${code}`,
      icon: Globe,
      title: t('palette:language', { name }),
      run: () => void chooseLanguage(code),
    })),
    { id: 'notice', icon: Bell, title: t('notice.open'), run: openNotice },
    {
      id: 'sign out',
      icon: LogOut,
      title: t('nav.signOut'),
      also: t('palette:alsoSignOut'),
      off: away,
      run: signOut,
    },
  ];
  return { title: t('palette:actions'), items: items.filter(({ title, also = '' }) => matches(typed, title, also)) };
}

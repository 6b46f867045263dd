import { Link } from '@tanstack/react-router';
import { LayoutDashboard } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { useCurrentEntry } from '../use-screens.ts';

/** Dashboard, group of the screen, screen. */
export function Breadcrumb() {
  const { t } = useTranslation();
  const entry = useCurrentEntry();
  const isHome = entry?.path === '/panel/dashboard';
  return (
    <nav aria-label={t('nav.breadcrumb')} className="min-w-0">
      <ol className="flex items-center gap-1.5 text-13 whitespace-nowrap text-text3">
        <li>
          <Link
            to="/panel"
            activeOptions={{ exact: true }}
            aria-label={t('menu.dashboard')}
            className="grid size-6 place-items-center rounded-tile hover:text-text"
          >
            <Icon of={LayoutDashboard} />
          </Link>
        </li>
        {entry && !isHome && <Step text={t(`group.${entry.group}`)} />}
        {entry?.parent && <Step text={t(`menu.${entry.parent}`)} />}
        {entry && <Step text={t(`menu.${entry.titleKey}`)} current />}
      </ol>
    </nav>
  );
}

function Step({ text, current = false }: { text: string; current?: boolean }) {
  return (
    <li className="flex min-w-0 items-center gap-1.5">
      <span aria-hidden>/</span>
      <span {...(current && { 'aria-current': 'page' as const, className: 'truncate font-title text-text' })}>
        {text}
      </span>
    </li>
  );
}

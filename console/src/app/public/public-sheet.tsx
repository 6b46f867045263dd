import { Link, useLocation } from '@tanstack/react-router';
import { Activity, Box, Globe, House, Info, MessageSquare, Sun } from 'lucide-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { useSite } from '#api/site.ts';
import { Button } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Icon, type IconShape } from '#ui/basic/icon.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { LanguageSelect } from '../language-select.tsx';
import { chooseTheme, useTheme } from '../theme.ts';
import { usePublicPages } from './public-pages.ts';

const icons = { home: House, playground: MessageSquare, status: Activity, price: Box, about: Info };
const row = 'flex min-h-13 items-center gap-3.5 rounded-control px-3 text-16';

/** The menu of small screens, below the top bar. */
export function PublicSheet({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const sheet = useRef<HTMLDivElement>(null);
  useCloseOnLeave(sheet, onClose);
  return (
    <>
      <div aria-hidden className="scrim fixed inset-0 top-14 bg-scrim" onClick={onClose} />
      <div
        ref={sheet}
        className="sheet-top floating absolute inset-x-0 top-full max-h-[calc(100dvh-56px)] overflow-y-auto rounded-b-card border-t border-line px-3 pt-3 pb-4 shadow-menu"
      >
        <nav aria-label={t('nav.public')}>
          {usePublicPages().map(({ path, titleKey }) => (
            <PageLink key={path} path={path} title={t(`public.${titleKey}`)} icon={icons[titleKey]} onClick={onClose} />
          ))}
        </nav>
        <hr className="my-2.5 border-line" />
        <ThemeRow />
        <div className={row}>
          <Icon of={Globe} size={18} className="text-text2" />
          <span className="flex-1">{t('language.title')}</span>
          <LanguageSelect />
        </div>
        <hr className="mt-2.5 mb-3.5 border-line" />
        <Entrances onClose={onClose} />
      </div>
    </>
  );
}

/** Closes the sheet on Esc, and when the focus moves to the page behind it. */
function useCloseOnLeave(sheet: React.RefObject<HTMLElement | null>, onClose: () => void): void {
  useEffect(() => {
    const bar = sheet.current?.closest('header');
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && onClose();
    const onFocus = ({ target }: FocusEvent) => bar && target instanceof Node && !bar.contains(target) && onClose();
    addEventListener('keydown', onKey);
    document.addEventListener('focusin', onFocus);
    return () => {
      removeEventListener('keydown', onKey);
      document.removeEventListener('focusin', onFocus);
    };
  }, [sheet, onClose]);
}

interface PageLinkProps {
  path: string;
  title: string;
  icon: IconShape;
  onClick: () => void;
}

function PageLink({ path, title, icon, onClick }: PageLinkProps) {
  const current = useLocation().pathname === path;
  return (
    <Link to={path} onClick={onClick} className={cx(row, current && 'bg-fill font-title')}>
      <Icon of={icon} size={18} className={current ? 'text-accent' : 'text-text2'} />
      {title}
    </Link>
  );
}

function ThemeRow(): ReactNode {
  const { t } = useTranslation();
  const { choice } = useTheme();
  const options = (['light', 'dark', 'system'] as const).map((value) => ({ value, label: t(`theme.${value}`) }));
  return (
    <div className={row}>
      <Icon of={Sun} size={18} className="text-text2" />
      <span className="flex-1">{t('theme.title')}</span>
      <Segmented label={t('theme.title')} value={choice} options={options} onChange={chooseTheme} />
    </div>
  );
}

function Entrances({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const { user } = useSession();
  const isOpen = useSite()?.register_enabled !== false;
  return (
    <div className="flex gap-2 px-1">
      {!user && isOpen && (
        <Button size="lg" className="flex-1" render={<Link to="/register" onClick={onClose} />}>
          {t('public.register')}
        </Button>
      )}
      <Button
        variant="primary"
        size="lg"
        className="flex-1"
        render={<Link to={user ? '/panel' : '/login'} onClick={onClose} />}
      >
        {t(user ? 'public.console' : 'public.login')}
      </Button>
    </div>
  );
}

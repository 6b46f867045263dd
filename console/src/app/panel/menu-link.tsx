import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { selfQuery } from '#api/self.ts';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { openIncidents } from '../open-incidents.ts';
import { menuIcons } from '../menu-icons.ts';
import type { ScreenEntry } from '../menu.ts';
import { useCurrentEntry } from '../use-screens.ts';

export const menuRow =
  'flex h-8.5 w-full items-center gap-2.5 rounded-control px-2 text-left transition-colors max-md:h-11 max-md:gap-3 md:[@media(870px<height<=940px)]:h-7.5 md:[@media(height<=870px)]:h-6.25';
export const menuRowRest = 'text-text2 hover:bg-hover hover:text-text';

interface Props {
  entry: ScreenEntry;
  /** Inside a fold: indented, without an icon. */
  sub?: boolean;
  onChoose: (() => void) | undefined;
}

export function MenuLink({ entry, sub = false, onChoose }: Props) {
  const { t } = useTranslation();
  const current = useCurrentEntry()?.path === entry.path;
  return (
    <Link
      to={entry.path}
      aria-current={current ? 'page' : undefined}
      {...(onChoose && { onClick: onChoose })}
      className={cx(
        menuRow,
        sub &&
          'pl-9 text-13 max-md:pl-10.5 max-md:text-14 md:[@media(870px<height<=940px)]:h-7 md:[@media(height<=870px)]:h-6',
        current ? 'bg-fill font-title text-text' : menuRowRest,
      )}
    >
      {!sub && <Icon of={menuIcons[entry.titleKey]} size={18} className={cx(current && 'text-accent')} />}
      <span className="truncate">{t(`menu.${entry.titleKey}`)}</span>
      {entry.titleKey === 'channel' && <TroubleCount />}
      {entry.titleKey === 'incident' && <IncidentCount />}
    </Link>
  );
}

/** Refetched on every page; failures are not shown. */
const watched = { ...selfQuery, refetchInterval: 60_000, meta: { quiet: true } };

/** Number of failing channels, from the administrator's own account. Nothing if there are none. */
function TroubleCount() {
  return <Count of={useQuery(watched).data?.troubled_channels} label="nav.trouble" />;
}

/** Number of open incidents. */
function IncidentCount() {
  return <Count of={useQuery(openIncidents).data?.open} label="nav.incidents" />;
}

function Count({ of: count, label }: { of: number | undefined; label: 'nav.trouble' | 'nav.incidents' }) {
  const { t } = useTranslation();
  if (!count) return null;
  return (
    <span
      role="img"
      aria-label={t(label, { count })}
      className="ml-auto flex-none rounded-full bg-bad-soft px-1.5 text-12/[18px] font-normal text-bad tabular-nums"
    >
      {count}
    </span>
  );
}

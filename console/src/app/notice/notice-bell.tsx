import { useQuery } from '@tanstack/react-query';
import { Bell } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { selfQuery } from '#api/self.ts';
import { useStore } from '#api/store.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { notice, openNotice } from './notice-store.ts';

/** The count is asked for again while the page is visible; the first one comes with the page. */
const watched = { ...selfQuery, refetchInterval: 30_000, meta: { quiet: true } };

/** Larger counts are shown as `9+`. */
const most = 9;

interface Props {
  /** Follows the count of unread notifications; the bell of public pages asks for nothing. */
  live?: boolean;
}

/** Opens the announcement and the notifications, with the number of unread ones. */
export function NoticeBell({ live = false }: Props) {
  const { t } = useTranslation();
  const { unread: isNew } = useStore(notice);
  const { data: self } = useQuery({ ...watched, enabled: live });
  const count = self?.unread_notifications ?? 0;
  const arrived = useHasRisen(self?.unread_notifications);
  return (
    <span className="relative">
      <IconButton
        label={count > 0 ? t('notice.unreadCount', { count }) : t(isNew ? 'notice.unread' : 'notice.open')}
        icon={Bell}
        aria-haspopup="dialog"
        onClick={openNotice}
      />
      {count > 0 ? (
        <span
          aria-hidden
          className="pointer-events-none absolute top-0.5 left-1/2 min-w-4 rounded-full bg-accent-fill px-1 text-center text-[11px]/4 font-title text-on-accent tabular-nums shadow-[0_0_0_2px_var(--color-card)]"
        >
          {count > most ? `${most}+` : count}
        </span>
      ) : (
        isNew && (
          <span className="pointer-events-none absolute top-1.5 right-1.5 size-[7px] rounded-full bg-accent shadow-[0_0_0_2px_var(--color-card)]" />
        )
      )}
      {live && (
        <span role="status" className="sr-only">
          {arrived && t('notice.arrived', { count })}
        </span>
      )}
    </span>
  );
}

/** Whether the last change of a number was a rise. The first number is none. */
function useHasRisen(count: number | undefined): boolean {
  const [known, setKnown] = useState(count);
  const [risen, setRisen] = useState(false);
  if (count !== known) {
    setKnown(count);
    setRisen(known !== undefined && count !== undefined && count > known);
  }
  return risen;
}

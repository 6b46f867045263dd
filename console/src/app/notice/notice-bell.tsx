import { useQuery } from '@tanstack/react-query';
import { Bell } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { selfQuery } from '#api/self.ts';
import { useStore } from '#api/store.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { notice, openNotice } from './notice-store.ts';

/** Opens the announcement and the notifications; a dot marks unread ones. */
export function NoticeBell() {
  const { t } = useTranslation();
  const { unread: isNew } = useStore(notice);
  // Whatever the page asked for anyway; the bell itself asks for nothing.
  const { data: self } = useQuery({ ...selfQuery, enabled: false });
  const count = self?.unread_notifications ?? 0;
  const unread = isNew || count > 0;
  return (
    <span className="relative">
      <IconButton
        label={count > 0 ? t('notice.unreadCount', { count }) : t(isNew ? 'notice.unread' : 'notice.open')}
        icon={Bell}
        aria-haspopup="dialog"
        onClick={openNotice}
      />
      {unread && (
        <span className="pointer-events-none absolute top-1.5 right-1.5 size-[7px] rounded-full bg-accent shadow-[0_0_0_2px_var(--color-card)]" />
      )}
    </span>
  );
}

import { Bell } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useStore } from '#api/store.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { notice, openNotice } from './notice-store.ts';

export function NoticeBell() {
  const { t } = useTranslation();
  const { unread } = useStore(notice);
  return (
    <span className="relative">
      <IconButton
        label={t(unread ? 'notice.unread' : 'notice.open')}
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

import type { CurrentAnnouncement } from '@relay-hub/contract';
import { Megaphone, Wrench, X } from 'lucide-react';
import { useState } from 'react';
import { storage } from '#api/storage.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { formatDateTime, formatWindow } from '#ui/format/time.ts';
import { useNow } from '#ui/format/use-now.ts';

const STORED = 'announcements-closed';
const MOST_SHOWN = 3;
const MOST_STORED = 100;

const closedIds = (): string[] => (storage.get(STORED) ?? '').split(',').filter(Boolean);

/** A strip per announcement, without those that the reader has closed. */
export function AnnouncementStrips({ all, centred }: { all: readonly CurrentAnnouncement[]; centred: boolean }) {
  const [closed, setClosed] = useState(closedIds);
  const close = (id: number) => {
    const next = [...closedIds(), String(id)].slice(-MOST_STORED);
    storage.set(STORED, next.join(','));
    setClosed(next);
  };
  return all
    .filter(({ id, kind, dismissible }) => kind === 'maintenance' || !dismissible || !closed.includes(String(id)))
    .slice(0, MOST_SHOWN)
    .map((each) => <Strip key={each.id} of={each} centred={centred} onClose={() => close(each.id)} />);
}

interface StripProps {
  of: CurrentAnnouncement;
  centred: boolean;
  onClose: () => void;
}

function Strip({ of, centred, onClose }: StripProps) {
  const { t } = useTranslation('banner');
  const now = useNow(30);
  const { kind, text, start_time: start, end_time: end, dismissible } = of;
  const isMaintenance = kind === 'maintenance';
  const times = { span: formatWindow(start, end), end: formatDateTime(end).slice(0, 16) };
  return (
    <div
      role="status"
      className={cx(
        'flex-none border-b border-line px-6 text-13 max-sm:px-4',
        isMaintenance ? 'bg-warn-soft text-warn' : 'bg-accent-soft text-text',
      )}
    >
      <div className={cx('flex min-h-11 items-start gap-2.5 py-2.5', centred && 'mx-auto max-w-288')}>
        <Icon of={isMaintenance ? Wrench : Megaphone} className="mt-1 flex-none" />
        <p className="min-w-0 flex-1 py-0.5 break-words whitespace-pre-line">
          {isMaintenance && <span className="font-title">{t(now < start ? 'planned' : 'now', times)} </span>}
          {text}
        </p>
        {!isMaintenance && dismissible && (
          <IconButton label={t('close')} icon={X} size="sm" className="-my-1 max-sm:-my-2" onClick={onClose} />
        )}
      </div>
    </div>
  );
}

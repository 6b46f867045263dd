import type { Backup } from '@relay-hub/contract';
import { Download, Ellipsis, LockKeyhole, Trash2 } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { formatFixed } from '#ui/format/number.ts';
import { formatDateTime } from '#ui/format/time.ts';
import { Time } from '#ui/format/time.tsx';
import { MenuButton } from '#ui/overlay/menu-button.tsx';

const MIB = 1024 * 1024;

interface Props {
  backup: Backup;
  onDownload: (backup: Backup) => void;
  onRemove: (backup: Backup) => void;
}

/** One backup that has ended. */
export function BackupRow({ backup, onDownload, onRemove }: Props) {
  const { t } = useTranslation('settingTool');
  const { state, started_time: started, cause, actor, bytes, encrypted, here, file, host, error } = backup;
  const time = formatDateTime(started);
  const origin = cause === 'console' ? actor : t(`backup.cause_${cause}`);
  return (
    <li className="flex min-h-12 items-center gap-x-4 border-b border-line px-5 py-2 text-13 last:border-b-0 max-sm:px-4">
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-0.5">
        <Time at={started} />
        <span className="w-28 max-sm:w-auto">
          <Status kind={state} />
        </span>
        {state === 'done' && (
          <span className="w-24 text-text2 tabular-nums max-sm:w-auto">
            {t('backup.size', { size: formatFixed(bytes / MIB, 1) })}
          </span>
        )}
        <span className="text-text2">{origin}</span>
        {encrypted && (
          <span className="inline-flex items-center gap-1 text-text2">
            <Icon of={LockKeyhole} size={14} />
            {t('backup.encrypted')}
          </span>
        )}
        {error !== '' && <p className="w-full break-words text-bad">{t('backup.failed', { reason: error })}</p>}
        {state === 'done' && !here && (
          <span className="text-text3">{file === '' ? t('backup.removed') : t('backup.elsewhere', { host })}</span>
        )}
      </div>
      {here && (
        <MenuButton
          label={t('backup.actions', { time })}
          icon={Ellipsis}
          align="end"
          size="sm"
          entries={() => [
            { label: t('backup.download'), icon: Download, onSelect: () => onDownload(backup) },
            'line',
            { label: t('backup.remove'), icon: Trash2, danger: true, onSelect: () => onRemove(backup) },
          ]}
        />
      )}
    </li>
  );
}

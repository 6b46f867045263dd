import type { ChannelJob } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { Time } from '#ui/format/time.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';

/** The last test of many channels: a row for each one that failed or was left out, with the reason. */
export function ChannelJobResult({ job, onClose }: { job: ChannelJob; onClose: () => void }) {
  const { t } = useTranslation('channel');
  const { failed, skipped, succeeded, failures, skips } = job;
  const rows = [
    ...failures.map(({ id, name, message }) => ({ id, name, reason: message, kind: 'failed' as const })),
    ...skips.map(({ id, name, reason }) => ({ id, name, reason: t(`job.why.${reason}`), kind: 'disabled' as const })),
  ];
  const more = failed + skipped - rows.length;
  const sum = [t('job.testSum', { succeeded, failed }), ...(skipped > 0 ? [t('job.skipped', { count: skipped })] : [])];
  return (
    <Dialog
      title={t('job.last')}
      text={
        <>
          <Time at={job.started_time} /> · {sum.join(t('job.comma'))}
        </>
      }
      onClose={onClose}
    >
      {rows.length === 0 ? (
        <p className="text-13 text-text2">{t('job.allAnswered')}</p>
      ) : (
        <ul
          tabIndex={0}
          aria-label={t('job.last')}
          className="max-h-96 divide-y divide-line overflow-y-auto rounded-control border border-line2 text-13"
        >
          {rows.map(({ id, name, reason, kind }) => (
            <li
              key={id}
              className="grid grid-cols-[minmax(0,1fr)_5.75rem_minmax(0,2.2fr)] gap-x-3 px-3 py-1.5 max-sm:grid-cols-[minmax(0,1fr)_auto]"
            >
              <MiddleCut text={name} />
              <Status kind={kind} text={kind === 'disabled' ? t('job.leftOut') : undefined} />
              <span className="min-w-0 break-words text-text2 max-sm:col-span-2">{reason}</span>
            </li>
          ))}
          {more > 0 && <li className="px-3 py-1.5 text-text2">{t('job.more', { count: more })}</li>}
        </ul>
      )}
    </Dialog>
  );
}

import { backupApi, type Backup } from '@relay-hub/contract';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Archive, DatabaseBackup } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery, refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { ProgressBar } from '#ui/feedback/progress-bar.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { formatDateTime } from '#ui/format/time.ts';
import { Confirm } from '#ui/overlay/confirm.tsx';
import { BackupRow } from './backup-row.tsx';

const DownloadDialog = lazy(async () => ({ default: (await import('./download-dialog.tsx')).DownloadDialog }));

const POLL_MS = 1000;

const backupsQuery = queryOptions({
  ...apiQuery(backupApi.list),
  staleTime: 0,
  meta: { quiet: true },
  refetchInterval: ({ state }) => (state.data?.backups.some(isRunning) ? POLL_MS : false),
});

const isRunning = ({ state }: Backup): boolean => state === 'running';

/** The backups on the server: start, progress, download, delete. */
export function BackupList({ dirty }: { dirty: boolean }) {
  const { t } = useTranslation('settingTool');
  const client = useQueryClient();
  const { data, error, isFetching, refetch } = useQuery(backupsQuery);
  const [downloading, setDownloading] = useState<Backup>();
  const [removing, setRemoving] = useState<Backup>();
  const again = () => refresh(client, backupApi.list);
  const start = useMutation({ mutationFn: () => call(backupApi.start), onSettled: again });
  const remove = useMutation({
    mutationFn: ({ id }: Backup) => call(backupApi.remove, { params: { id } }),
    onSettled: again,
  });
  const running = data?.backups.find(isRunning);
  const ended = data?.backups.filter((backup) => !isRunning(backup));
  return (
    <div className="border-t border-line px-5 py-3 max-sm:px-4">
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
        <div className="min-w-0 flex-1 basis-60">
          <h3 className="font-normal">{t('backup.title')}</h3>
          <p className="text-13/4.5 text-text2">
            {dirty
              ? t('backup.saveFirst')
              : data &&
                (data.next_time > 0 ? t('backup.next', { time: formatDateTime(data.next_time) }) : t('backup.off'))}
          </p>
        </div>
        <Button
          icon={DatabaseBackup}
          saves
          disabled={dirty || running !== undefined || !data}
          busy={start.isPending}
          onClick={() => start.mutate()}
        >
          {t('backup.start')}
        </Button>
      </div>
      {running && (
        <div className="mt-3">
          <p role="status" className="mb-1.5 text-13 tabular-nums">
            {t('backup.running', { percent: running.percent })}
          </p>
          <ProgressBar value={running.percent} max={100} label={t('backup.title')} />
        </div>
      )}
      {!data &&
        (error ? (
          <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
        ) : (
          <Skeleton className="mt-3 h-24" />
        ))}
      {ended?.length === 0 && !running && (
        <EmptyState icon={Archive} title={t('backup.empty')} text={t('backup.emptyText')} />
      )}
      {ended && ended.length > 0 && (
        <ul
          aria-label={t('backup.title')}
          className="-mx-5 mt-3 max-h-100 overflow-y-auto border-t border-line max-sm:-mx-4"
        >
          {ended.map((backup) => (
            <BackupRow key={backup.id} backup={backup} onDownload={setDownloading} onRemove={setRemoving} />
          ))}
        </ul>
      )}
      {removing && (
        <Confirm
          title={t('backup.removeAsk', { time: formatDateTime(removing.started_time) })}
          text={t('backup.removeText')}
          action={t('backup.removeDo')}
          onConfirm={() => remove.mutateAsync(removing)}
          onClose={() => setRemoving(undefined)}
        />
      )}
      <Suspense>
        {downloading && <DownloadDialog backup={downloading} onClose={() => setDownloading(undefined)} />}
      </Suspense>
    </div>
  );
}

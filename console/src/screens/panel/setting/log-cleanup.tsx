import { logCleanupApi, logApi } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { Confirm } from '#ui/overlay/confirm.tsx';
import { Field } from '#ui/form/field.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { ProgressBar } from '#ui/feedback/progress-bar.tsx';
import { formatDate, formatDateTime } from '#ui/format/time.ts';
import { Time } from '#ui/format/time.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { LogArchives } from './log-archives.tsx';
import { cleanupQuery } from './setting-api.ts';

const DAY_S = 86_400;
const startDay = () => formatDate(Date.now() / 1000 - 30 * DAY_S);
/** The first second of a local day. */
const secondsOf = (day: string) => Math.floor(new Date(`${day}T00:00:00`).getTime() / 1000);

/** Deletes old log rows with a progress bar; continues after leaving the page. */
export function LogCleanup() {
  const { t } = useTranslation('settingTool');
  const client = useQueryClient();
  const [day, setDay] = useState(startDay);
  const [asking, setAsking] = useState(false);
  const { data } = useQuery(cleanupQuery);
  const again = () => refresh(client, logCleanupApi.progress, logApi.list);
  const start = useMutation({
    mutationFn: () => call(logCleanupApi.start, { query: { target_timestamp: secondsOf(day) } }),
    onSuccess: (total) => toast.info(t('cleanupBegun', { total: formatWhole(total) })),
    onSettled: again,
  });
  const stop = useMutation({ mutationFn: () => call(logCleanupApi.cancel), onSettled: again });
  const running = data?.state === 'running';
  const values = { deleted: formatWhole(data?.deleted ?? 0), total: formatWhole(data?.total ?? 0) };
  return (
    <>
      <div className="border-t border-line px-5 py-3 max-sm:px-4">
        <div className="flex flex-wrap items-end gap-x-6 gap-y-2">
          <div className="min-w-0 flex-1 basis-60 self-center">
            <h3 className="font-normal">{t('cleanupTitle')}</h3>
            <p className="text-13/4.5 text-text2">{t('cleanupText')}</p>
          </div>
          <Field label={t('cleanupBefore')} hideLabel>
            {(aria) => (
              <input
                {...aria}
                type="date"
                className="box w-41"
                value={day}
                onChange={(event) => setDay(event.target.value)}
              />
            )}
          </Field>
          <Button
            disabled={running || Number.isNaN(secondsOf(day))}
            busy={start.isPending}
            onClick={() => setAsking(true)}
          >
            {t('cleanupStart')}
          </Button>
        </div>
        {running ? (
          <div className="mt-3">
            <div role="status" className="mb-1.5 flex items-center gap-2 text-13">
              <span className="tabular-nums">
                {t(data.archived > data.deleted ? 'cleanupArchived' : 'cleanupRunning', {
                  ...values,
                  archived: formatWhole(data.archived),
                })}
              </span>
              <Button size="sm" variant="ghost" className="ml-auto" busy={stop.isPending} onClick={() => stop.mutate()}>
                {t('cleanupStop')}
              </Button>
            </div>
            <ProgressBar value={data.deleted} max={data.total} label={t('cleanupTitle')} />
            {data.error !== '' && (
              <p className="mt-2 text-13 break-words text-bad">{t('cleanupFailed', { reason: data.error })}</p>
            )}
          </div>
        ) : (
          data &&
          data.state !== 'none' && (
            <p className="mt-2 text-12 text-text3">
              {t(data.state === 'done' ? 'cleanupDone' : 'cleanupCancelled', values)}{' '}
              <Time at={data.ended_time || data.started_time} />
            </p>
          )
        )}
        {asking && (
          <Confirm
            title={t('cleanupAsk', { time: formatDateTime(secondsOf(day)) })}
            text={t('cleanupAskText')}
            action={t('cleanupDo')}
            onConfirm={() => start.mutateAsync()}
            onClose={() => setAsking(false)}
          />
        )}
      </div>
      {/* Asks again when a clean-up has ended. */}
      <LogArchives key={String(running)} />
    </>
  );
}

import { type UsageExport, usageExportApi } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Ellipsis, History, Pencil, Plug, Plus, RefreshCw, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery, refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { Chip } from '#ui/basic/chip.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { Field } from '#ui/form/field.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { Time } from '#ui/format/time.tsx';
import { Confirm } from '#ui/overlay/confirm.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { MenuButton } from '#ui/overlay/menu-button.tsx';

const ExportDialog = lazy(() => import('./usage-export-dialog.tsx'));

/** The list shows its own failure; counts move while usage is sent. */
const exportsQuery = { ...apiQuery(usageExportApi.list), meta: { quiet: true }, refetchInterval: 15_000 };
const MOST_WAITING = 10_000;

/** Billing systems that get charged calls. */
export function UsageExports() {
  const { t } = useTranslation('usageExport');
  const client = useQueryClient();
  const { data, error, isFetching, refetch } = useQuery(exportsQuery);
  const [edited, setEdited] = useState<UsageExport | 'new'>();
  const [asking, setAsking] = useState<{ what: 'remove' | 'restart'; row: UsageExport }>();
  const onSettled = () => refresh(client, usageExportApi.list);
  const test = useMutation({
    mutationFn: ({ id }: UsageExport) => call(usageExportApi.test, { params: { id } }),
    onSuccess: (_, { name }) => toast.success(t('tested', { name })),
  });
  const retry = useMutation({
    mutationFn: ({ id }: UsageExport) => call(usageExportApi.retry, { params: { id } }),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: (id: number) => call(usageExportApi.remove, { params: { id } }),
    onSettled,
  });
  return (
    <div className="px-5 py-3 max-sm:px-4">
      <p className="text-13/4.5 text-text2">{t('text')}</p>
      {error && !data && <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />}
      <ul className="mt-2">
        {data?.map((row) => (
          <li key={row.id} className="border-t border-line py-2">
            <div className="flex min-h-9 items-center gap-3">
              <div className="min-w-0 flex-1">
                <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
                  <span className="max-w-full truncate">{row.name}</span>
                  <Chip>{t(`kinds.${row.kind}`)}</Chip>
                  {!row.enabled && <Chip tone="warn">{t('off')}</Chip>}
                </div>
                <Facts row={row} />
              </div>
              <Button
                size="sm"
                icon={Plug}
                busy={test.isPending && test.variables.id === row.id}
                onClick={() => test.mutate(row)}
              >
                {t('test')}
              </Button>
              <MenuButton
                label={t('more', { name: row.name })}
                icon={Ellipsis}
                align="end"
                entries={() => [
                  { label: t('edit'), icon: Pencil, onSelect: () => setEdited(row) },
                  { label: t('restart'), icon: History, onSelect: () => setAsking({ what: 'restart', row }) },
                  ...(row.refused > 0
                    ? [{ label: t('retry'), icon: RefreshCw, onSelect: () => retry.mutate(row) }]
                    : []),
                  'line',
                  {
                    label: t('remove'),
                    icon: Trash2,
                    danger: true,
                    onSelect: () => setAsking({ what: 'remove', row }),
                  },
                ]}
              />
            </div>
            <div className="grid grid-cols-1 gap-2 not-empty:mt-2">
              {row.last_error !== '' && (
                <Note tone="bad">
                  {t('failing', { reason: row.last_error })}
                  {row.next_time > 0 && (
                    <>
                      {' · '}
                      {t('next')} <Time at={row.next_time} />
                    </>
                  )}
                </Note>
              )}
              {row.refused > 0 && (
                <Note tone="warn">{t('refused', { events: row.refused, reason: row.last_refusal })}</Note>
              )}
            </div>
          </li>
        ))}
      </ul>
      <Button className="mt-2.5" icon={Plus} onClick={() => setEdited('new')}>
        {t('add')}
      </Button>
      {edited && (
        <Suspense>
          <ExportDialog row={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
        </Suspense>
      )}
      {asking?.what === 'remove' && (
        <Confirm
          title={t('removeTitle', { name: asking.row.name })}
          text={t('removeText')}
          action={t('remove')}
          onConfirm={() => remove.mutateAsync(asking.row.id)}
          onClose={() => setAsking(undefined)}
        />
      )}
      {asking?.what === 'restart' && <RestartDialog row={asking.row} onClose={() => setAsking(undefined)} />}
    </div>
  );
}

function Facts({ row: { sent, skipped, waiting, waiting_since: since, success_time: success } }: { row: UsageExport }) {
  const { t } = useTranslation('usageExport');
  return (
    <div className="text-13 text-text2 tabular-nums">
      {t('sent', { events: formatWhole(sent) })}
      {waiting > 0 && (
        <>
          {' · '}
          {t(waiting >= MOST_WAITING ? 'waitingMany' : 'waiting', { events: waiting })}{' '}
          {since > 0 && <Time at={since} as="relative" />}
        </>
      )}
      {skipped > 0 && <> · {t('skipped', { events: skipped })}</>}
      {' · '}
      {success > 0 ? (
        <>
          {t('success')} <Time at={success} as="relative" />
        </>
      ) : (
        t('never')
      )}
    </div>
  );
}

/** Sends all calls since a day again. */
function RestartDialog({ row: { id, name, kind }, onClose }: { row: UsageExport; onClose: () => void }) {
  const { t } = useTranslation('usageExport');
  const client = useQueryClient();
  const [since, setSince] = useState('');
  const restart = useMutation({
    mutationFn: () => call(usageExportApi.restart, { params: { id }, body: { since } }),
    onSettled: () => refresh(client, usageExportApi.list),
    meta: { quiet: true },
  });
  return (
    <Dialog
      title={t('restartTitle', { name })}
      text={t(kind === 'stripe' ? 'restartStripe' : 'restartText')}
      width={440}
      onClose={onClose}
      footer={(shut) => (
        <Button
          variant="primary"
          busy={restart.isPending}
          disabled={since === ''}
          onClick={() => void restart.mutateAsync().then(shut, () => undefined)} // the error is shown below
        >
          {t('restartAction')}
        </Button>
      )}
    >
      <Field label={t('since')} hint={t('sinceUtc')} error={restart.error?.message}>
        {(aria) => (
          <input
            {...aria}
            type="date"
            className="box w-44"
            value={since}
            onChange={({ target: { value } }) => setSince(value)}
          />
        )}
      </Field>
    </Dialog>
  );
}

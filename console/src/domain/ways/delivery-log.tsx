import { type Delivery, type DeliveryWay, wayApi } from '@relay-hub/contract';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { Time } from '#ui/format/time.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { deliveryPage, LOG_SIZE } from './way-api.ts';

interface Props {
  way: DeliveryWay;
  /** Whether the reader may send messages again. */
  mayChange: boolean;
  onClose: () => void;
}

/** Messages by a way with the body sent and the answer, newest first. */
export function DeliveryLog({ way, mayChange, onClose }: Props) {
  const { t } = useTranslation('way');
  const [page, setPage] = useState(1);
  const { data, error, isFetching, refetch } = useQuery({
    ...deliveryPage(way.id, page),
    placeholderData: keepPreviousData,
  });
  return (
    <Dialog title={t('logTitle', { name: way.name || t(`kind.${way.kind}`) })} width={900} onClose={onClose}>
      {error && !data && <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />}
      {data?.data.length === 0 && <p className="py-6 text-center text-13 text-text2">{t('logNone')}</p>}
      <ul className="divide-y divide-line">
        {data?.data.map((delivery) => (
          <DeliveryRow key={delivery.id} wayId={way.id} delivery={delivery} mayChange={mayChange} />
        ))}
      </ul>
      {(data?.total_count ?? 0) > LOG_SIZE && (
        <div className="mt-3 flex justify-end gap-2">
          <Button size="sm" disabled={page <= 1} onClick={() => setPage(page - 1)}>
            {t('newer')}
          </Button>
          <Button size="sm" disabled={page * LOG_SIZE >= (data?.total_count ?? 0)} onClick={() => setPage(page + 1)}>
            {t('older')}
          </Button>
        </div>
      )}
    </Dialog>
  );
}

const looks = { waiting: 'queued', delivered: 'done', failed: 'failing' } as const;

function DeliveryRow({ wayId, delivery, mayChange }: { wayId: number; delivery: Delivery; mayChange: boolean }) {
  const { t } = useTranslation('way');
  const client = useQueryClient();
  const { id, event, object, status, attempts, created_at: created, sent_at: sent, http_status: code } = delivery;
  const { request, answer } = delivery;
  const replay = useMutation({
    mutationFn: () => call(wayApi.replay, { params: { id: wayId, delivery: id } }),
    onSuccess: () => toast.success(t('replayed')),
    onSettled: () => refresh(client, wayApi.deliveries),
  });
  return (
    <li className="py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Status kind={looks[status]} text={t(`state.${status}`)} />
        <span className="min-w-0 font-mono text-12 break-all">
          {event} · {object}
        </span>
        <span className="text-12 text-text3 tabular-nums">
          {attempts > 1 && `${t('attempts', { count: attempts })} · `}
          {code > 0 && `${code} · `}
          <Time at={sent || created} />
        </span>
        {mayChange && status !== 'waiting' && (
          <Button size="sm" className="ml-auto" saves busy={replay.isPending} onClick={() => replay.mutate()}>
            {t('replay')}
          </Button>
        )}
      </div>
      {(request !== '' || answer !== '') && (
        <details className="mt-1 text-12">
          <summary className="cursor-pointer text-text2">{t('bodies')}</summary>
          {[
            [t('request'), request],
            [t('answer'), answer],
          ].map(([label, text]) => (
            <div key={label} className="mt-2">
              <div className="text-text3">{label}</div>
              <pre className="max-h-48 overflow-auto rounded-tile bg-fill p-2 font-mono break-all whitespace-pre-wrap">
                {text || '–'}
              </pre>
            </div>
          ))}
        </details>
      )}
    </li>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { strayNotices } from '#screens/panel/payment/payment-api.ts';
import { TimelineStep } from './order-timeline.tsx';

/** Notifications that belong to no order, newest first. */
export function StraysDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['paymentOrder', 'shared']);
  const { data, error, isFetching, refetch } = useQuery({ ...strayNotices, meta: { quiet: true } });
  return (
    <Dialog
      title={t('straysTitle')}
      text={t('straysText')}
      onClose={onClose}
      footer={(close) => <Button onClick={close}>{t('shared:close')}</Button>}
    >
      {error && !data && <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-40 rounded-card" />}
      {data && (
        <ol className="max-h-[60vh] overflow-y-auto pr-1">
          {data.data.map((notice) => (
            <TimelineStep key={notice.id} event={notice}>
              <span className="text-text2"> · {notice.gateway_name}</span>
            </TimelineStep>
          ))}
        </ol>
      )}
    </Dialog>
  );
}

import type { ChangedPrice } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Undo2 } from 'lucide-react';
import { useRef } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { formatDateTime } from '#ui/format/time.ts';
import { ChangeCounts } from '#screens/panel/pricing/update/change-counts.tsx';
import { DifferenceRows } from '#screens/panel/pricing/update/difference-rows.tsx';
import { changeById } from '#screens/panel/pricing/pricing-api.ts';
import type { PriceActions } from '#screens/panel/pricing/use-price-actions.ts';

interface Props {
  id: number;
  actions: PriceActions;
  onClose: () => void;
}

/** One change: its effect on each price, and Undo. */
export function PriceChangeDialog({ id, actions, onClose }: Props) {
  const { t } = useTranslation('pricing');
  const closing = useRef<HTMLButtonElement>(null);
  const { data, error, isFetching, refetch } = useQuery({ ...changeById(id), meta: { quiet: true } });
  return (
    <Dialog
      title={data ? t(`kinds.${data.kind}`) : t('changes')}
      text={
        data && (
          <>
            {formatDateTime(data.created_time)} · {data.actor} · <ChangeCounts change={data} />
          </>
        )
      }
      width={900}
      initialFocus={closing}
      onClose={onClose}
      footer={(close) => (
        <>
          {data?.undone && <span className="mr-auto text-13 text-text2">{t('undoneAlready')}</span>}
          {data && !data.undone && (
            <Button
              icon={Undo2}
              busy={actions.busy}
              onClick={() => {
                actions.undo(id);
                close();
              }}
            >
              {t('undoThis')}
            </Button>
          )}
          <Button ref={closing} variant="primary" saves={false} onClick={close}>
            {t('close')}
          </Button>
        </>
      )}
    >
      <div
        tabIndex={0}
        className="-mx-6 h-[min(52dvh,480px)] overflow-y-auto max-sm:-mx-4"
        aria-label={t('differences')}
        role="region"
      >
        {error && !data && <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton width="60%" className="mx-6" />}
        {data && <DifferenceRows rows={changedFirst(data.prices)} />}
      </div>
    </Dialog>
  );
}

/** Changed prices first, then removed ones, then new ones; by name within each. */
const changedFirst = (prices: readonly ChangedPrice[]): ChangedPrice[] => {
  const rank = ({ before, after }: ChangedPrice) => (before && after ? 0 : before ? 1 : 2);
  return prices.toSorted((a, b) => rank(a) - rank(b));
};

import type { PriceChange } from '@relay-hub/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Undo2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Pager } from '#ui/table/pager.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Time } from '#ui/format/time.tsx';
import { ChangeCounts } from './change-counts.tsx';
import { changePage } from '#screens/panel/pricing/pricing-api.ts';
import type { PriceActions } from '#screens/panel/pricing/use-price-actions.ts';

interface Props {
  actions: PriceActions;
  onShow: (id: number) => void;
  onClose: () => void;
}

/** History of price changes with author, time and method, newest first. */
export function PriceChangesDialog({ actions, onShow, onClose }: Props) {
  const { t } = useTranslation('pricing');
  const body = useRef<HTMLDivElement>(null);
  const [page, setPage] = useState(1);
  const { data, error, isFetching, refetch } = useQuery({
    ...changePage(page),
    placeholderData: keepPreviousData,
    meta: { quiet: true },
  });
  return (
    <Dialog title={t('changes')} text={t('changesText')} width={900} initialFocus={body} onClose={onClose}>
      <div ref={body} tabIndex={-1} className="outline-none">
        {error && !data && <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton width="60%" />}
        {data?.data.length === 0 && <p className="text-13 text-text2">{t('noChanges')}</p>}
        {data && data.data.length > 0 && (
          <>
            <ol className="-mx-2 max-h-[56dvh] overflow-y-auto">
              {data.data.map((change) => (
                <Change key={change.id} change={change} actions={actions} onShow={onShow} />
              ))}
            </ol>
            {data.total_count > data.size && (
              <div className="-mx-4 -mb-3">
                <Pager
                  page={page}
                  size={data.size}
                  total={data.total_count}
                  onPage={setPage}
                  onSize={() => undefined}
                />
              </div>
            )}
          </>
        )}
      </div>
    </Dialog>
  );
}

function Change({ change, actions, onShow }: Pick<Props, 'actions' | 'onShow'> & { change: PriceChange }) {
  const { t } = useTranslation('pricing');
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-2 py-2 text-13 last:border-b-0">
      <Time at={change.created_time} className="w-40 flex-none text-text2" />
      <span className="min-w-0 flex-1 basis-60">
        <span className="font-title">{t(`kinds.${change.kind}`)}</span>{' '}
        {change.kind === 'update' && (
          <span className="break-all text-text2">
            {sourceTexts(change.source, t('from.built_in'), t('from.list'))} ·{' '}
            {change.mode && t(`modes.${change.mode}`)}
          </span>
        )}
        <span className="block text-12 text-text2">
          {change.actor} · <ChangeCounts change={change} />
        </span>
      </span>
      {change.undone && <span className="text-12 text-text2">{t('undoneAlready')}</span>}
      <span className="flex gap-1">
        <Button size="sm" onClick={() => onShow(change.id)}>
          {t('seeChanges')}
        </Button>
        {!change.undone && (
          <Button size="sm" icon={Undo2} saves busy={actions.busy} onClick={() => actions.undo(change.id)}>
            {t('shared:undo')}
          </Button>
        )}
      </span>
    </li>
  );
}

const sourceTexts = (source: string, builtIn: string, list: string): string =>
  source === 'built_in' ? builtIn : source === 'list' ? list : source;

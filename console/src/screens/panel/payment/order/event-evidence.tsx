import { orderApi, type OrderEvent } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery } from '#api/api-query.ts';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';

/** The stored request or response of an event. */
export function EventEvidence({ id, event }: { id: string; event: OrderEvent }) {
  const { t } = useTranslation('paymentOrder');
  const { data, error } = useQuery({
    ...apiQuery(orderApi.evidence, { params: { id: event.id } }),
    staleTime: Infinity,
    meta: { quiet: true },
  });
  return (
    <div id={id} className="mt-1.5">
      {error && <Note tone="bad">{error.message}</Note>}
      {!data && !error && <Skeleton className="h-16 rounded-control" />}
      {data && (
        <div className="flex items-start rounded-control border border-line bg-sunk">
          <pre
            tabIndex={0}
            role="group"
            aria-label={t('request')}
            className="max-h-60 min-w-0 flex-1 overflow-auto rounded-control px-3 py-2 font-mono text-12/4.5 break-all whitespace-pre-wrap"
          >
            {data.text}
          </pre>
          <div className="flex-none p-1">
            <CopyButton text={data.text} name={t('request')} />
          </div>
        </div>
      )}
    </div>
  );
}

import { RotateCw, TriangleAlert } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Icon } from '#ui/basic/icon.tsx';

/** The part of a query that shows its failure. */
export interface FailedQuery {
  isFetching: boolean;
  refetch: () => unknown;
}

/** Replaces a card's content after a failure, with Retry. */
export function CardFailure({ query }: { query: FailedQuery }) {
  const { t } = useTranslation('dashboard');
  return (
    <div role="alert" className="flex min-w-0 items-center gap-2 text-13 text-bad">
      <Icon of={TriangleAlert} />
      {/* On phones only the button fits next to the icon. */}
      <span className="truncate max-sm:sr-only">{t('failed')}</span>
      <Button size="sm" icon={RotateCw} busy={query.isFetching} onClick={() => void query.refetch()}>
        {t('retry')}
      </Button>
    </div>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { OperatorContent } from '#content/operator-content.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { AboutProduct } from './about-product.tsx';
import { aboutQuery } from './about-query.ts';

export function AboutScreen() {
  const { t } = useTranslation('about');
  const { data, isPending, isFetching, error, refetch } = useQuery(aboutQuery);
  return (
    <div className="flex flex-1 flex-col py-12 max-sm:py-7">
      <h1 className="mb-4 text-24">{t('title')}</h1>
      {isPending && <Skeleton width="40%" />}
      {error && data === undefined && (
        <ErrorState text={`${t('failed')} ${error.message}`} busy={isFetching} onRetry={() => void refetch()} />
      )}
      {data === '' && <AboutProduct />}
      {data && <OperatorContent content={data} title={t('title')} />}
    </div>
  );
}

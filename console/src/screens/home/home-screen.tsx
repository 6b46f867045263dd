import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSiteName } from '#api/site.ts';
import { OperatorContent } from '#content/operator-content.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { BuiltInHome } from './built-in-home.tsx';
import { homeQuery } from './home-queries.ts';

export function HomeScreen() {
  const { t } = useTranslation('home');
  const { data, isPending, isError } = useQuery(homeQuery);
  const title = useSiteName();
  useEffect(() => {
    if (isError) toast.error(t('failed'));
  }, [isError, t]);
  if (data)
    return (
      <div className="flex flex-1 flex-col py-8">
        <h1 className="sr-only">{title}</h1>
        <OperatorContent content={data} title={title} />
      </div>
    );
  // On a first visit the built-in page must not flash before the operator's own, nor the footer move.
  return isPending ? <div className="min-h-screen" /> : <BuiltInHome />;
}

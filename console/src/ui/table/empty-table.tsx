import { SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import type { TableQuery } from './table-page.ts';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { isSet } from './filter.ts';
import type { ToolbarProps } from './toolbar.tsx';

interface Props<Row> {
  page: TableQuery<Row>;
  toolbar: Omit<ToolbarProps, 'tools'> | undefined;
  empty: ReactNode;
}

/** Replaces the rows of an empty table: failed to load, no matches, or no data yet. */
export function EmptyTable<Row>({ page, toolbar, empty }: Props<Row>) {
  const { t } = useTranslation('shared');
  if (page.error)
    return <ErrorState text={page.error.message} busy={page.isFetching} onRetry={() => void page.refetch()} />;
  const { search, filters = [], values = {}, onClear } = toolbar ?? {};
  if (!search?.value && !filters.some(({ id }) => isSet(values[id]))) return empty;
  return (
    <EmptyState
      icon={SearchX}
      title={t('noMatch')}
      text={t('noMatchText')}
      action={onClear && <Button onClick={onClear}>{t('clearFilters')}</Button>}
    />
  );
}

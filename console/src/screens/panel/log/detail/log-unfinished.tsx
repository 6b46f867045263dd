import type { LogPage } from '@relay-hub/contract';
import { SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { formatDateTime } from '#ui/format/time.ts';

/** Nothing found so far, but the search is not complete; with a button to continue. */
export function LogUnfinished({ page, onGo }: { page: LogPage; onGo: () => void }) {
  const { t } = useTranslation('log');
  const time = formatDateTime(page.searched_to);
  return (
    <EmptyState
      icon={SearchX}
      title={t('searchedTo', { time })}
      text={t(page.next === '' ? 'searchedDeep' : 'searchedText')}
      action={page.next !== '' && <Button onClick={onGo}>{t('searchOn')}</Button>}
    />
  );
}

/** The same as a line below the rows found so far; or that only part of the rows is sorted. */
export function useLogNote(page: LogPage | undefined): ReactNode {
  const { t } = useTranslation('log');
  if (!page) return undefined;
  if (page.sorted_newest > 0) return t('sortedNewest', { total: formatWhole(page.sorted_newest) });
  if (page.searched_to > 0) return t('searchedTo', { time: formatDateTime(page.searched_to) });
  return undefined;
}

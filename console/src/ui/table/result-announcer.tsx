import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatWhole } from '#ui/format/number.ts';
import type { TableQuery, TableSearch } from './table-page.ts';
import type { ToolbarProps } from './toolbar.tsx';

interface Props {
  page: TableQuery<unknown>;
  search: TableSearch;
  toolbar: Omit<ToolbarProps, 'tools'> | undefined;
}

/** Announces the number of rows after a search or a filter changed, but not rows that come by themselves. */
export function ResultAnnouncer({ page, search: { page: number, size }, toolbar }: Props) {
  const { t } = useTranslation('shared');
  const filter = JSON.stringify([toolbar?.search?.value, toolbar?.values]);
  const [announced, setAnnounced] = useState({ filter, text: '' });
  const { data, isPlaceholderData } = page;
  if (announced.filter !== filter && data && !isPlaceholderData) {
    const { data: rows, total_count: count, more } = data;
    const total = more ? t('atLeast', { total: formatWhole(count) }) : formatWhole(count);
    const from = (number - 1) * size + 1;
    const range = { from: formatWhole(from), to: formatWhole(from + rows.length - 1), total };
    setAnnounced({ filter, text: rows.length === 0 ? t('noMatch') : t('range', range) });
  }
  return (
    <p role="status" className="sr-only">
      {announced.text}
    </p>
  );
}

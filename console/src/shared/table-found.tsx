import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TableQuery, TableSearch } from './data-table.tsx';
import { formatWhole } from './number.ts';
import type { ToolbarProps } from './toolbar.tsx';

interface Props {
  page: TableQuery<unknown>;
  search: TableSearch;
  toolbar: Omit<ToolbarProps, 'tools'> | undefined;
}

/** Tells readers who do not see the rows what a search or filter has found; what comes by itself it does not tell. */
export function TableFound({ page, search: { page: at, size }, toolbar }: Props) {
  const { t } = useTranslation('shared');
  const asked = JSON.stringify([toolbar?.search?.value, toolbar?.values]);
  const [told, setTold] = useState({ asked, words: '' });
  const { data, isPlaceholderData } = page;
  if (told.asked !== asked && data && !isPlaceholderData) {
    const { data: rows, total_count: count, more } = data;
    const total = more ? t('atLeast', { total: formatWhole(count) }) : formatWhole(count);
    const from = (at - 1) * size + 1;
    const range = { from: formatWhole(from), to: formatWhole(from + rows.length - 1), total };
    setTold({ asked, words: rows.length === 0 ? t('noMatch') : t('range', range) });
  }
  return (
    <p role="status" className="sr-only">
      {told.words}
    </p>
  );
}

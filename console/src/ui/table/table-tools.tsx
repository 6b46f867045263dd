import { Columns3, Menu as Lines, RefreshCw } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { MenuButton } from '#ui/overlay/menu-button.tsx';
import type { Column } from './table-column.ts';
import type { useTablePrefs } from './table-prefs.ts';

interface Props<Row> {
  /** Undefined: the rows are not shown as a table. */
  columns: readonly Column<Row>[] | undefined;
  prefs: ReturnType<typeof useTablePrefs>;
  fetching: boolean;
  onRefresh: () => void;
}

/** Refresh, column chooser and density. */
export function TableTools<Row>({ columns, prefs, fetching, onRefresh }: Props<Row>) {
  const { t } = useTranslation('shared');
  const compact = prefs.density === 'compact';
  const refresh = <IconButton label={t('refresh')} icon={RefreshCw} busy={fetching} onClick={onRefresh} />;
  if (!columns) return refresh;
  const entries = () =>
    columns
      .filter((column) => column.hideable !== false)
      .map((column) => ({
        label: column.head,
        checked: prefs.isShown(column),
        onCheck: (on: boolean) => prefs.setShown(column.id, on),
      }));
  return (
    <>
      {refresh}
      <MenuButton label={t('columns')} icon={Columns3} entries={entries} />
      <IconButton
        label={t('compact')}
        icon={Lines}
        aria-pressed={compact}
        active={compact}
        onClick={() => prefs.setDensity(compact ? 'comfortable' : 'compact')}
      />
    </>
  );
}

import { ArrowDown, ArrowUp } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { directionOf, nextOrder, sortName, type Column } from './table-column.ts';
import type { Selection } from './use-selection.ts';

interface Props<Row> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  order: string;
  onOrder: (order: string) => void;
  selection?: Selection<Row> | undefined;
  hasActions: boolean;
}

const cell =
  'sticky top-(--sticky-top,0px) z-2 h-9 border-b border-line bg-sunk px-2.5 in-data-compact:px-2 text-left text-12 font-normal whitespace-nowrap text-text2';

/** Column heads; those that the server can sort by are buttons. */
export function TableHead<Row>({ columns, rows, order, onOrder, selection, hasActions }: Props<Row>) {
  const { t } = useTranslation('shared');
  const ticked = selection ? rows.filter((row) => selection.has(row)).length : 0;
  return (
    <thead>
      <tr className={cx('[&>*:first-child]:pl-4', hasActions ? '[&>*:last-child]:pr-3' : '[&>*:last-child]:pr-4')}>
        {selection && (
          <th scope="col" className={cell}>
            <Checkbox
              label={t('selectPage')}
              checked={rows.length > 0 && ticked === rows.length}
              indeterminate={ticked > 0 && ticked < rows.length}
              onChange={(on) => selection.toggleAll(rows, on)}
            />
          </th>
        )}
        {columns.map((column) => (
          <Head key={column.id} column={column} order={order} onOrder={onOrder} />
        ))}
        {hasActions && (
          <th scope="col" className={cell}>
            <span className="sr-only">{t('actions')}</span>
          </th>
        )}
      </tr>
    </thead>
  );
}

function Head<Row>({
  column,
  order,
  onOrder,
}: {
  column: Column<Row>;
  order: string;
  onOrder: (order: string) => void;
}) {
  const name = sortName(column);
  const right = column.align === 'right';
  if (name === undefined)
    return (
      <th scope="col" className={cx(cell, 'truncate', right && 'text-right')}>
        {column.head}
      </th>
    );
  const direction = directionOf(order, name);
  const arrow = direction === 'ascending' || (direction === undefined && !column.descFirst) ? ArrowUp : ArrowDown;
  return (
    <th scope="col" aria-sort={direction ?? 'none'} className={cx(cell, right && 'text-right')}>
      <button
        type="button"
        onClick={() => onOrder(nextOrder(order, name, column.descFirst ?? false))}
        className={cx(
          'group/sort inline-flex h-6 max-w-full align-middle items-center gap-1 rounded-tile hover:text-text',
          right && 'flex-row-reverse',
          direction && 'font-title text-text',
        )}
      >
        <span className="truncate">{column.head}</span>
        <Icon
          of={arrow}
          size={14}
          className={cx(
            !direction &&
              'w-0! opacity-0 group-hover/sort:w-3.5! group-hover/sort:opacity-60 group-focus-visible/sort:w-3.5! group-focus-visible/sort:opacity-60',
          )}
        />
      </button>
    </th>
  );
}

import type { ReactNode } from 'react';
import { cx } from '#ui/basic/cx.ts';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import type { Column, PhoneRole } from './table-column.ts';
import { openOn, RowActions, walkOn, type RowParts } from './table-row.tsx';
import { useRenderedRows } from './use-rendered-rows.ts';
import type { RowKey } from './use-selection.ts';

interface Props<Row> extends Omit<RowParts<Row>, 'tick' | 'keepActions'> {
  row: Row;
  columns: readonly Column<Row>[];
  active: boolean;
  /** Buttons under the card's content. */
  below?: ((row: Row) => ReactNode) | undefined;
  /** Renders the card's content. */
  card?: ((row: Row) => ReactNode) | undefined;
}

interface CardsProps<Row> extends Omit<Props<Row>, 'row' | 'active'> {
  label: string;
  rows: readonly Row[] | undefined;
  keyOf: (row: Row) => RowKey;
  activeKey?: RowKey | undefined;
  busy: boolean;
  nothing: ReactNode;
}

/** The rows of a table as cards, for screens below 600 px. */
export function TableCards<Row>({ label, rows, keyOf, activeKey, busy, nothing, ...card }: CardsProps<Row>) {
  const activeAt = rows?.findIndex((row) => keyOf(row) === activeKey) ?? -1;
  const { count } = useRenderedRows(rows?.length ?? 0, false, activeAt + 1);
  if (rows?.length === 0) return <div className="rounded-card border border-line bg-card">{nothing}</div>;
  return (
    <ul aria-label={label} aria-busy={busy || !rows} className={cx('grid grid-cols-1 gap-2', busy && 'opacity-60')}>
      {rows?.slice(0, count).map((row, at) => (
        <TableCard key={keyOf(row)} {...card} row={row} active={at === activeAt} />
      ))}
      {!rows && Array.from({ length: 6 }, (_, index) => <SkeletonCard key={index} />)}
    </ul>
  );
}

function SkeletonCard() {
  return (
    <li className="grid h-19 content-center gap-3 rounded-card border border-line bg-card px-3.5">
      <Skeleton width="55%" />
      <Skeleton width="80%" />
    </li>
  );
}

/** A row as a card; without `card`, its lines follow from the columns' roles. */
function TableCard<Row>({ row, columns, active, card, nameOf, actions, below, menu, open }: Props<Row>) {
  const buttons = below?.(row);
  return (
    <li
      {...(open && {
        tabIndex: 0,
        'data-row': true,
        'aria-label': nameOf(row),
        onClick: openOn(() => open(row)),
        onKeyDown: walkOn(() => open(row)),
      })}
      className={cx(
        'group/row rounded-card border p-3.5',
        active ? 'border-accent-line bg-accent-soft' : 'border-line bg-card',
        open && 'cursor-pointer',
      )}
    >
      {card ? card(row) : <CardLines row={row} columns={columns} nameOf={nameOf} actions={actions} menu={menu} />}
      {buttons && <div className="mt-2 flex flex-wrap items-center justify-end gap-2">{buttons}</div>}
    </li>
  );
}

/** First line: name and value. Second line: main columns. Third line: long or secondary columns. */
function CardLines<Row>({
  row,
  columns,
  nameOf,
  actions,
  menu,
}: Pick<Props<Row>, 'row' | 'columns' | 'nameOf' | 'actions' | 'menu'>) {
  const cells = (role: PhoneRole) =>
    columns
      .filter((column) => column.phone === role)
      .map((column) => (
        <span key={column.id} className="min-w-0 empty:hidden">
          {(column.phoneCell ?? column.cell)(row)}
        </span>
      ));
  const [line, aside, foot] = [cells('line'), cells('aside'), cells('foot')];
  return (
    <>
      {/* A button is higher than the text next to it. */}
      <div className={cx('flex items-center gap-2 text-15', (actions || menu) && '-mt-1.5')}>
        <div className="flex min-w-0 flex-1 items-center gap-2 *:truncate">{cells('title')}</div>
        <div className="flex flex-none items-center gap-2 font-title tabular-nums empty:hidden">{cells('value')}</div>
        {actions?.(row)}
        {menu && (
          <span className="-mr-2">
            <RowActions row={row} nameOf={nameOf} menu={menu} />
          </span>
        )}
      </div>
      {(line.length > 0 || aside.length > 0) && (
        <div className="mt-0.5 flex items-center gap-x-3 text-13 text-text2 tabular-nums">
          <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">{line}</div>
          <div className="flex max-w-1/2 flex-none items-center gap-x-2">{aside}</div>
        </div>
      )}
      {foot.length > 0 && (
        <div className="mt-0.5 flex items-center justify-between gap-3 text-13 text-text2 has-[button]:-mb-2">
          {foot}
        </div>
      )}
    </>
  );
}

import { useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { TableHead } from './table-head.tsx';
import { TableRow, type RowParts } from './table-row.tsx';
import type { Column } from './table-column.ts';
import { cx } from '#ui/basic/cx.ts';
import { rowsOnScreen, useRenderedRows } from './use-rendered-rows.ts';
import type { RowKey, Selection } from './use-selection.ts';

interface Props<Row> extends RowParts<Row> {
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined while the first page is loading. */
  rows: readonly Row[] | undefined;
  keyOf: (row: Row) => RowKey;
  compact: boolean;
  order: string;
  onOrder: (order: string) => void;
  selection?: Selection<Row> | undefined;
  activeKey?: RowKey | undefined;
  actionsWidth: number;
  busy: boolean;
  skeletonRows: number;
  /** Replaces the rows when there are none. */
  nothing: ReactNode;
}

const flexibleWidth = 140;
/** On a small laptop a narrower name is better than actions out of sight. */
const mostGiven = 80;
/** Pixels of fixed columns from which a wide screen's room is shared: fewer would be far apart. */
const sharedFrom = 480;

/** The table, for screens from 600 px. */
export function TableBody<Row>(props: Props<Row>) {
  const {
    label,
    columns,
    rows,
    keyOf,
    compact,
    order,
    onOrder,
    selection,
    activeKey,
    actionsWidth,
    busy,
    skeletonRows,
    nothing,
    ...parts
  } = props;
  const frame = useRef<HTMLDivElement>(null);
  const scrolls = useScrolls(frame);
  const hasActions = Boolean(parts.actions ?? parts.menu);
  const span = columns.length + (selection ? 1 : 0) + (hasActions ? 1 : 0);
  const minWidth = columns.reduce(
    (sum, { width, least }) => sum + (width ?? (least ? Math.max(flexibleWidth, least - mostGiven) : flexibleWidth)),
    (selection ? 48 : 0) + (hasActions ? actionsWidth : 0),
  );
  const shares = columns.reduce((sum, { width = 0 }) => sum + width, 0) >= sharedFrom;
  const activeAt = rows?.findIndex((row) => keyOf(row) === activeKey) ?? -1;
  const stopAt = Math.max(activeAt, 0);
  const { count, blank } = useRenderedRows(rows?.length ?? 0, compact, activeAt + 1);
  return (
    <div
      ref={frame}
      {...(scrolls && { role: 'region', 'aria-label': label, tabIndex: 0 })}
      // `clip`, not `hidden`: otherwise the sticky head would not stick to the page. Contained, so that changes elsewhere
      // (typing in a field, an open menu) cause no layout or paint of the rows.
      className={cx(
        '@container [contain:layout] -outline-offset-2',
        scrolls ? 'overflow-x-auto [--sticky-top:0px]' : 'overflow-clip',
      )}
    >
      <table
        aria-label={label}
        aria-busy={busy || !rows}
        data-compact={compact || undefined}
        style={{ minWidth }}
        className={cx(
          'w-full table-fixed border-separate border-spacing-0 text-13',
          busy && 'opacity-60 transition-opacity delay-150',
        )}
      >
        <colgroup>
          {selection && <col style={{ width: 46 }} />}
          {columns.map((column) => (
            // On a wide screen no column takes all the room: with widths for all, they share it.
            <col key={column.id} style={{ width: column.width }} className={cx(shares && '@min-[1440px]:w-100')} />
          ))}
          {hasActions && <col style={{ width: actionsWidth }} />}
        </colgroup>
        <TableHead
          columns={columns}
          rows={rows ?? []}
          order={order}
          onOrder={onOrder}
          selection={selection}
          hasActions={hasActions}
        />
        <tbody>
          {rows?.slice(0, count).map((row, at) => (
            <TableRow
              key={keyOf(row)}
              {...parts}
              row={row}
              columns={columns}
              compact={compact}
              ticked={selection?.has(row) ?? false}
              active={at === activeAt}
              stop={at === stopAt}
              tick={selection?.toggle}
            />
          ))}
          {blank > 0 && (
            <tr aria-hidden>
              <td colSpan={span} style={{ height: blank }} />
            </tr>
          )}
          {rows?.length === 0 && (
            <tr>
              <td colSpan={span}>{nothing}</td>
            </tr>
          )}
          {!rows &&
            Array.from({ length: Math.min(skeletonRows, rowsOnScreen(compact)) }, (_, index) => (
              <SkeletonRow
                key={index}
                index={index}
                span={span}
                columns={columns}
                compact={compact}
                ticks={Boolean(selection)}
              />
            ))}
        </tbody>
      </table>
    </div>
  );
}

const barWidths = ['78%', '56%', '92%', '66%', '84%'];

interface SkeletonProps<Row> {
  index: number;
  span: number;
  columns: readonly Column<Row>[];
  compact: boolean;
  ticks: boolean;
}

function SkeletonRow<Row>({ index, span, columns, compact, ticks }: SkeletonProps<Row>) {
  return (
    <tr className="[&>*:first-child]:pl-4">
      {Array.from({ length: span }, (_, at) => {
        const column = columns[at - (ticks ? 1 : 0)];
        return (
          <td
            key={at}
            className={cx(
              'border-b border-line',
              compact ? 'h-9 px-2' : 'h-11 px-2.5',
              column?.align === 'right' && 'text-right',
            )}
          >
            {column && <Skeleton width={barWidths[(index + at) % barWidths.length] ?? '70%'} className="max-w-40" />}
          </td>
        );
      })}
    </tr>
  );
}

/** Whether the table is wider than its container. */
function useScrolls(frame: RefObject<HTMLDivElement | null>): boolean {
  const [scrolls, setScrolls] = useState(false);
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = () => setScrolls(element.scrollWidth > element.clientWidth + 1);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    if (element.firstElementChild) observer.observe(element.firstElementChild);
    return () => observer.disconnect();
  }, [frame]);
  return scrolls;
}

import { Ellipsis } from 'lucide-react';
import { memo, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { cx } from '#ui/basic/cx.ts';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { MenuButton } from '#ui/overlay/menu-button.tsx';
import { cellsOf, type Column } from './table-column.ts';

/** Props of a row or card besides its columns. */
export interface RowParts<Row> {
  /** Name of the row, for its checkbox and menu. */
  nameOf: (row: Row) => string;
  actions?: ((row: Row) => ReactNode) | undefined;
  /** Shows the actions without hover. */
  keepActions?: boolean | undefined;
  menu?: ((row: Row) => MenuEntries) | undefined;
  open?: ((row: Row) => void) | undefined;
  tick?: ((row: Row, on: boolean) => void) | undefined;
}

export interface RowProps<Row> extends RowParts<Row> {
  row: Row;
  columns: readonly Column<Row>[];
  compact: boolean;
  ticked: boolean;
  active: boolean;
  /** Whether Tab stops at this row; arrows reach the others. */
  stop: boolean;
}

/** Memoized: after an update, a live list keeps most of its rows. */
export const TableRow = memo(PlainRow) as typeof PlainRow; // `memo` drops the type parameter

function PlainRow<Row>(props: RowProps<Row>) {
  const { row, columns, compact, ticked, active, stop, nameOf, actions, keepActions, menu, open, tick } = props;
  const { t } = useTranslation('shared');
  const cell = cx(
    'border-b border-line whitespace-nowrap group-last/row:border-b-0',
    compact ? 'h-9 px-2' : 'h-11 px-2.5',
  );
  return (
    <tr
      {...(open && {
        tabIndex: stop ? 0 : -1,
        'data-row': true,
        'data-active': active || undefined,
        onClick: openOn(() => open(row)),
        onKeyDown: walkOn(() => open(row)),
      })}
      aria-selected={tick || active ? ticked || active : undefined}
      className={cx(
        // Rows scroll into view between the sticky head and foot.
        'group/row scroll-mt-24 scroll-mb-16 focus-visible:-outline-offset-2 [&>*:first-child]:pl-4',
        actions || menu ? '[&>*:last-child]:pr-3' : '[&>*:last-child]:pr-4',
        ticked || active ? 'bg-accent-soft' : 'hover:bg-hover',
        // Below the sticky head when it is scrolled into view.
        open && 'cursor-pointer scroll-mt-24 scroll-mb-4',
      )}
    >
      {tick && (
        <td className={cell}>
          <Checkbox label={t('selectRow', { name: nameOf(row) })} checked={ticked} onChange={(on) => tick(row, on)} />
        </td>
      )}
      {cellsOf(columns, row).map(({ column, span }) => (
        <td
          key={column.id}
          colSpan={span === 1 ? undefined : span}
          className={cx(cell, column.align === 'right' && 'text-right tabular-nums', !column.overflow && 'truncate')}
        >
          {column.cell(row)}
        </td>
      ))}
      {(actions || menu) && (
        <td className={cx(cell, 'text-right')}>
          <RowActions row={row} nameOf={nameOf} actions={actions} keepActions={keepActions} menu={menu} />
        </td>
      )}
    </tr>
  );
}

export function RowActions<Row>({
  row,
  nameOf,
  actions,
  keepActions,
  menu,
}: Pick<RowProps<Row>, 'row' | 'nameOf' | 'actions' | 'keepActions' | 'menu'>) {
  const { t } = useTranslation('shared');
  return (
    <span className="inline-flex items-center justify-end">
      {actions && (
        <span
          className={cx(
            'inline-flex items-center',
            !keepActions &&
              'opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100 max-sm:opacity-100',
          )}
        >
          {actions(row)}
        </span>
      )}
      {menu && (
        <MenuButton label={t('moreFor', { name: nameOf(row) })} icon={Ellipsis} size="sm" entries={() => menu(row)} />
      )}
    </span>
  );
}

/** Handler that opens the row on a click, except on a control or after a text selection. */
export function openOn(open: () => void) {
  return (event: MouseEvent<HTMLElement>) => {
    const target = event.target;
    // React events of the row's menus and dialogs bubble through portals.
    if (!(target instanceof Element) || !event.currentTarget.contains(target)) return;
    if (target.closest('a, button, input, select, textarea, label, [role=button]') || getSelection()?.toString())
      return;
    open();
  };
}

/**
 * Key handler of a row: Enter opens it, ↑ ↓ move to its neighbours, ← → move through elements with a tooltip, so that
 * exact amounts and times can be read without a mouse. None of these is a tab stop.
 */
export function walkOn(open: () => void) {
  return (event: KeyboardEvent<HTMLElement>) => {
    const { currentTarget: row, key, target } = event;
    const stops: Element[] = [row, ...row.querySelectorAll('[data-tip] > :not(button, a)')];
    const at = stops.indexOf(target as Element); // -1 for other elements
    const next: Record<string, Element | null | undefined> = {
      ArrowDown: row.nextElementSibling,
      ArrowUp: row.previousElementSibling,
      ArrowRight: stops[at + 1],
      ArrowLeft: stops[at - 1],
    };
    if (at < 0) return;
    if (key === 'Enter') open();
    else if (key in next) reach(next[key] as HTMLElement | undefined);
    else return;
    event.preventDefault();
  };
}

function reach(element: HTMLElement | null | undefined) {
  // Not the placeholder of rows that are not rendered yet.
  if (!element?.matches('[data-row], [data-tip] > *')) return;
  if (!element.hasAttribute('tabindex')) element.setAttribute('tabindex', '-1');
  element.focus();
}

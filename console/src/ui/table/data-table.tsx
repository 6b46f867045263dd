import { lazy, type ReactNode, Suspense, useDeferredValue, useEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { StaleStrip } from '#ui/feedback/error-state.tsx';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { Pager } from './pager.tsx';
import { TableBody } from './table-body.tsx';
import type * as Cards from './table-card.tsx';
import type { Column } from './table-column.ts';
import { TableNothing } from './table-nothing.tsx';
import { useTablePrefs, type Density } from './table-prefs.ts';
import { TableTools } from './table-tools.tsx';
import { formatTimeOfDay } from '#ui/format/time.ts';
import { Toolbar, type ToolbarProps } from './toolbar.tsx';
import { useLatest } from '#ui/basic/use-latest.ts';
import { isPhone, useIsPhone } from '#ui/basic/use-media.ts';
import { useSelection, type RowKey, type Selection } from './use-selection.ts';

// Comes with the first row that is selected.
const BulkBar = lazy(async () => ({ default: (await import('./bulk-bar.tsx')).BulkBar }));

// Only a phone shows cards; there they come with the first list, not after it.
const loadCards = () => import('./table-card.tsx');
const TableCards = lazy(async () => ({
  default: (await loadCards()).TableCards,
})) as unknown as typeof Cards.TableCards; // what `lazy` gives takes the same props
if (isPhone()) void loadCards();

/** One page of a list as TanStack Query holds it: a `UseQueryResult` of the contract's `Page<Row>` fits. */
export interface TableQuery<Row> {
  data: TablePage<Row> | undefined;
  error: Error | null;
  isFetching: boolean;
  isPlaceholderData: boolean;
  dataUpdatedAt: number;
  refetch: () => unknown;
}

export interface TablePage<Row> {
  data: readonly Row[];
  total_count: number;
  /** There are more rows than `total_count`. */
  more?: boolean | undefined;
  /** Where the next page begins; empty where there is none. */
  next?: string | undefined;
}

export interface TableSearch {
  page: number;
  size: number;
  /** `-created_at,id` */
  order: string;
}

export interface DataTableProps<Row> {
  /** Names the table in the remembered choices, e.g. "channel". */
  name: string;
  /** Accessible name. */
  label: string;
  /** Keep them stable between renders: rows are drawn again when they change. */
  columns: readonly Column<Row>[];
  page: TableQuery<Row>;
  search: TableSearch;
  onSearch: (change: Partial<TableSearch>) => void;
  /** Stable between renders. */
  keyOf: (row: Row) => RowKey;
  nameOf: (row: Row) => string;
  toolbar?: Omit<ToolbarProps, 'tools'> | undefined;
  /** What to say when there is nothing at all: an `EmptyState`. */
  empty: ReactNode;
  /** Opens a row's detail or form. */
  onOpen?: ((row: Row) => void) | undefined;
  /** The row that is open beside the list. */
  activeKey?: RowKey | undefined;
  /** Buttons that appear with hover or focus; stable between renders. */
  rowActions?: ((row: Row) => ReactNode) | undefined;
  /** Read when the menu is opened. */
  rowMenu?: ((row: Row) => MenuEntries) | undefined;
  /** Pixels of the last column; 52 for the menu alone. */
  actionsWidth?: number | undefined;
  /** What can be done to the selected rows (`BulkAction`s); gives every row a checkbox. */
  bulk?: ((selection: Selection<Row>) => ReactNode) | undefined;
  /** Fetches the rows of all pages for "Select all". */
  allRows?: (() => Promise<readonly Row[]>) | undefined;
  density?: Density | undefined;
  /** Buttons under a card on phones, e.g. for rows in trouble. */
  cardActions?: ((row: Row) => ReactNode) | undefined;
  /** Draws a row's card on phones, instead of the columns' `phone` roles. */
  card?: ((row: Row) => ReactNode) | undefined;
  /** Instead of "nothing matches", e.g. when the search has not come to its end. */
  nothing?: ReactNode;
  /** In the foot instead of "1–10 of 50". */
  summary?: ReactNode;
  /** A quiet remark at the right of the foot. */
  note?: ReactNode;
  /** Row actions are visible without hover, and on cards. */
  keepActions?: boolean | undefined;
}

const skeletonLimit = 30;

/** A list paged by the server: toolbar, table (cards on phones), pager. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { name, label, columns, page, search, onSearch, keyOf, toolbar, bulk, allRows, onOpen, rowMenu, activeKey } =
    props;
  const { t } = useTranslation('shared');
  const phone = useIsPhone();
  const prefs = useTablePrefs(name, props.density ?? 'comfortable');
  const selection = useSelection(keyOf);
  const latest = useLatest({ onOpen, rowMenu, onSearch, nameOf: props.nameOf });
  const { rowActions, keepActions } = props;
  const [opens, hasMenu] = [onOpen !== undefined, rowMenu !== undefined];
  const parts = useMemo(
    () => ({
      nameOf: (row: Row) => latest.current.nameOf(row),
      open: opens ? (row: Row) => latest.current.onOpen?.(row) : undefined,
      menu: hasMenu ? (row: Row) => latest.current.rowMenu?.(row) ?? [] : undefined,
      actions: rowActions,
      keepActions,
    }),
    // Only whether there are handlers matters here; which ones is read when they are needed.
    [latest, opens, hasMenu, rowActions, keepActions],
  );
  const newest = page.data?.data;
  // Drawn in slices: a page of a hundred new rows keeps nobody from typing on.
  const rows = useDeferredValue(newest);
  const total = page.data?.total_count ?? 0;
  const lastPage = Math.max(1, Math.ceil(total / search.size));
  const beyond =
    !page.isPlaceholderData && !page.data?.more && newest?.length === 0 && total > 0 && search.page > lastPage;
  // The rows of the last page were deleted, or the address is an old one.
  useEffect(() => {
    if (beyond) latest.current.onSearch({ page: lastPage });
  }, [beyond, lastPage, latest]);
  const { isShown } = prefs;
  const shown = useMemo(
    () => columns.filter((column) => column.hideable === false || isShown(column)),
    [columns, isShown],
  );
  const nothing = (!page.error && props.nothing) || <TableNothing page={page} toolbar={toolbar} empty={props.empty} />;
  const busy = rows !== newest || (page.isPlaceholderData && page.isFetching);
  const bar = (
    <Toolbar
      {...toolbar}
      tools={
        <TableTools
          columns={columns}
          prefs={prefs}
          fetching={page.isFetching && Boolean(rows)}
          onRefresh={() => void page.refetch()}
        />
      }
    />
  );
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {bulk && !phone && selection.rows.length > 0 ? (
        <Suspense fallback={bar}>
          <BulkBar
            count={selection.rows.length}
            total={page.data?.total_count ?? 0}
            onSelectAll={allRows && (async () => selection.toggleAll(await allRows(), true))}
            onClear={selection.clear}
          >
            {bulk(selection)}
          </BulkBar>
        </Suspense>
      ) : (
        bar
      )}
      <div
        className={phone ? 'grid gap-2' : 'rounded-card border border-line bg-card [&>*:first-child]:rounded-t-card'}
      >
        {page.error && rows && (
          <div className="overflow-hidden rounded-t-card max-sm:rounded-card">
            <StaleStrip
              text={`${page.error.message} · ${t('staleRows', { time: formatTimeOfDay(page.dataUpdatedAt / 1000) })}`}
              busy={page.isFetching}
              onRetry={() => void page.refetch()}
            />
          </div>
        )}
        {phone ? (
          <Suspense fallback={<div className="min-h-dvh" />}>
            <TableCards
              {...parts}
              actions={keepActions ? rowActions : undefined}
              below={props.cardActions}
              label={label}
              columns={columns}
              rows={page.error && !rows ? [] : rows}
              keyOf={keyOf}
              activeKey={activeKey}
              card={props.card}
              busy={busy}
              nothing={nothing}
            />
          </Suspense>
        ) : (
          <TableBody
            {...parts}
            label={label}
            columns={shown}
            rows={page.error && !rows ? [] : rows}
            keyOf={keyOf}
            compact={prefs.density === 'compact'}
            order={search.order}
            onOrder={(order) => onSearch({ order, page: 1 })}
            selection={bulk ? selection : undefined}
            activeKey={activeKey}
            actionsWidth={props.actionsWidth ?? 52}
            busy={busy}
            skeletonRows={Math.min(search.size, skeletonLimit)}
            nothing={nothing}
          />
        )}
        {page.data && rows && (page.data.total_count > 0 || (page.data.more && search.page > 1)) && (
          <div className={phone ? '-mx-2' : 'border-t border-line'}>
            <Pager
              page={search.page}
              size={search.size}
              total={page.data.total_count}
              more={page.data.more}
              hasNext={page.data.more ? page.data.next !== '' : undefined}
              summary={props.summary}
              note={props.note}
              onPage={(next) => onSearch({ page: next })}
              onSize={(size) => onSearch({ size, page: 1 })}
            />
          </div>
        )}
      </div>
    </div>
  );
}

import { lazy, type ReactNode, Suspense, useDeferredValue, useEffect, useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { StaleStrip } from '#ui/feedback/error-state.tsx';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { Pager } from './pager.tsx';
import { ResultAnnouncer } from './result-announcer.tsx';
import { TableBody } from './table-body.tsx';
import type * as Cards from './table-card.tsx';
import type { Column } from './table-column.ts';
import type { TableQuery, TableSearch } from './table-page.ts';
import { EmptyTable } from './empty-table.tsx';
import { useTablePrefs, type Density } from './table-prefs.ts';
import { TableTools } from './table-tools.tsx';
import { formatTimeOfDay } from '#ui/format/time.ts';
import { Toolbar, type ToolbarProps } from './toolbar.tsx';
import { cx } from '#ui/basic/cx.ts';
import { useLatest } from '#ui/basic/use-latest.ts';
import { isPhone, useIsPhone } from '#ui/basic/use-media.ts';
import { useSelection, type RowKey, type Selection } from './use-selection.ts';

// Loaded with the first selected row.
const BulkBar = lazy(async () => ({ default: (await import('./bulk-bar.tsx')).BulkBar }));

// Only phones show cards; there they are loaded together with the list.
const loadCards = () => import('./table-card.tsx');
const TableCards = lazy(async () => ({
  default: (await loadCards()).TableCards,
})) as unknown as typeof Cards.TableCards; // `lazy` drops the type parameter
if (isPhone()) void loadCards();

export interface DataTableProps<Row> {
  /** Key of the stored preferences, e.g. "channel". */
  name: string;
  /** Accessible name. */
  label: string;
  /** Must be stable between renders: a change re-renders all rows. */
  columns: readonly Column<Row>[];
  page: TableQuery<Row>;
  search: TableSearch;
  onSearch: (change: Partial<TableSearch>) => void;
  /** Must be stable between renders. */
  keyOf: (row: Row) => RowKey;
  nameOf: (row: Row) => string;
  toolbar?: Omit<ToolbarProps, 'tools'> | undefined;
  /** Shown when the list is empty without filters: an `EmptyState`. */
  empty: ReactNode;
  /** Opens a row's detail or form. */
  onOpen?: ((row: Row) => void) | undefined;
  /** The row whose detail is open. */
  activeKey?: RowKey | undefined;
  /** Buttons that appear on hover or focus; must be stable between renders. */
  rowActions?: ((row: Row) => ReactNode) | undefined;
  /** Read when the menu opens. */
  rowMenu?: ((row: Row) => MenuEntries) | undefined;
  /** Width of the last column in pixels; 52 for the menu alone. */
  actionsWidth?: number | undefined;
  /** Actions on the selected rows (`BulkAction`s); adds a checkbox to every row. */
  bulk?: ((selection: Selection<Row>) => ReactNode) | undefined;
  /** Fetches the rows of all pages for "Select all". */
  allRows?: (() => Promise<readonly Row[]>) | undefined;
  density?: Density | undefined;
  /** Buttons below a card on phones, e.g. for failing channels. */
  cardActions?: ((row: Row) => ReactNode) | undefined;
  /** Renders a row's card on phones, instead of the columns' `phone` roles. */
  card?: ((row: Row) => ReactNode) | undefined;
  /** Replaces "nothing matches", e.g. while a search is incomplete. */
  nothing?: ReactNode;
  /** Replaces "1–10 of 50" in the footer. */
  summary?: ReactNode;
  /** Quiet text at the right of the footer. */
  note?: ReactNode;
  /** All rows are on one page, without page sizes. */
  unpaged?: boolean | undefined;
  /** Row actions are visible without hover, and on cards. */
  keepActions?: boolean | undefined;
  /** Shows the rows in another form than a table, e.g. as a gallery; undefined while they load. */
  body?: ((rows: readonly Row[] | undefined, busy: boolean) => ReactNode) | undefined;
}

const skeletonLimit = 30;

/** Totals and pager stay in view while the rows scroll. */
const foot = 'sticky bottom-0 z-3 border-t border-line low:static print:static';

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
    // Depend on the presence of the handlers only; the current ones are read on use.
    [latest, opens, hasMenu, rowActions, keepActions],
  );
  const newest = page.data?.data;
  // Deferred: rendering a hundred new rows must not block typing.
  const rows = useDeferredValue(newest);
  const total = page.data?.total_count ?? 0;
  const lastPage = Math.max(1, Math.ceil(total / search.size));
  const beyond =
    !page.isPlaceholderData && !page.data?.more && newest?.length === 0 && total > 0 && search.page > lastPage;
  // The rows of the last page were deleted, or the address is outdated.
  useEffect(() => {
    if (beyond) latest.current.onSearch({ page: lastPage });
  }, [beyond, lastPage, latest]);
  const { isShown } = prefs;
  const shown = useMemo(
    () => columns.filter((column) => column.hideable === false || isShown(column)),
    [columns, isShown],
  );
  const nothing = (!page.error && props.nothing) || <EmptyTable page={page} toolbar={toolbar} empty={props.empty} />;
  const busy = rows !== newest || (page.isPlaceholderData && page.isFetching);
  const shownRows = page.error && !rows ? [] : rows;
  const frameless = phone || props.body !== undefined;
  const bar = (
    <Toolbar
      {...toolbar}
      tools={
        <TableTools
          columns={props.body ? undefined : columns}
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
      <ResultAnnouncer page={page} search={search} toolbar={toolbar} />
      <div
        className={
          frameless
            ? 'grid grid-cols-1 gap-2'
            : 'rounded-card border border-line bg-card [&>*:first-child]:rounded-t-card'
        }
      >
        {page.error && rows && (
          <div className={cx('overflow-hidden', frameless ? 'rounded-card' : 'rounded-t-card')}>
            <StaleStrip
              text={`${page.error.message} · ${t('staleRows', { time: formatTimeOfDay(page.dataUpdatedAt / 1000) })}`}
              busy={page.isFetching}
              onRetry={() => void page.refetch()}
            />
          </div>
        )}
        {props.body ? (
          shownRows?.length === 0 ? (
            <div className="rounded-card border border-line bg-card">{nothing}</div>
          ) : (
            props.body(shownRows, busy)
          )
        ) : phone ? (
          <Suspense fallback={<div className="min-h-dvh" />}>
            <TableCards
              {...parts}
              actions={keepActions ? rowActions : undefined}
              below={props.cardActions}
              label={label}
              columns={columns}
              rows={shownRows}
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
            rows={shownRows}
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
          <div className={phone ? '-mx-2' : cx(foot, frameless ? '-mx-4 bg-page' : 'rounded-b-card bg-card')}>
            <Pager
              page={search.page}
              size={search.size}
              total={page.data.total_count}
              more={page.data.more}
              hasNext={page.data.more ? page.data.next !== '' : undefined}
              summary={props.summary}
              note={props.note}
              unpaged={props.unpaged}
              onPage={(next) => onSearch({ page: next })}
              onSize={(size) => onSearch({ size, page: 1 })}
            />
          </div>
        )}
      </div>
    </div>
  );
}

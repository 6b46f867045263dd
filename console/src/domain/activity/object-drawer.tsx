import type { ReactNode } from 'react';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { DetailDrawer } from '#ui/overlay/detail-drawer.tsx';
import { activeRow, useRowInSight } from '#ui/table/active-row.ts';

type Key = number | string;

interface Props<Row> {
  /** The record whose view is open. */
  id: Key;
  /** The rows of the list, for previous and next. */
  rows: readonly Row[];
  keyOf: (row: Row) => Key;
  onGo: (id: Key) => void;
  /** The record; undefined while it loads. */
  record: Row | undefined;
  /** Loading a record that is not among the rows. */
  error: Error | null;
  busy: boolean;
  onRetry: () => void;
  /** Before the record is known. */
  placeholder: string;
  titleOf: (record: Row) => string;
  subtitle: (record: Row) => ReactNode;
  tile: (record: Row) => ReactNode;
  footer: (record: Row) => ReactNode;
  onClose: () => void;
  children: (record: Row) => ReactNode;
}

/** The read view of a record next to its list: ↑ ↓ walk the rows, Escape closes, and the focus returns to the row. */
export function ObjectDrawer<Row>(props: Props<Row>) {
  const { id, rows, keyOf, onGo, record, error, busy, onRetry, onClose } = props;
  const at = rows.findIndex((row) => keyOf(row) === id);
  const to = (index: number) => {
    const next = at < 0 ? undefined : rows[index];
    return next && (() => onGo(keyOf(next)));
  };
  useRowInSight(at);
  return (
    <DetailDrawer
      wide
      title={record ? props.titleOf(record) : props.placeholder}
      subtitle={record && props.subtitle(record)}
      tile={record && props.tile(record)}
      onPrevious={to(at - 1)}
      onNext={to(at + 1)}
      footer={record && props.footer(record)}
      returnTo={activeRow}
      onClose={onClose}
    >
      {error && !record && <ErrorState text={error.message} busy={busy} onRetry={onRetry} />}
      {!error && !record && <ViewSkeleton />}
      {record && props.children(record)}
    </DetailDrawer>
  );
}

export function ViewSkeleton() {
  return (
    <div aria-busy className="grid grid-cols-1 gap-5">
      <Skeleton className="h-19 rounded-card" />
      <Skeleton className="h-45 rounded-card" />
      <Skeleton className="h-30 rounded-card" />
    </div>
  );
}

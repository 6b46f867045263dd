import type { ReactNode } from 'react';
import { Note } from '#ui/feedback/note.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { DetailSection } from '#ui/overlay/detail-section.tsx';

interface Props<Row> {
  title: string;
  query: { data: { data: readonly Row[]; total_count: number } | undefined; error: Error | null };
  empty: string;
  /** A link to all of them. */
  more: ReactNode;
  /** A row of 36 px. */
  children: (row: Row) => ReactNode;
}

/** A few records that belong to the one shown. */
export function RelatedList<Row extends { id: number }>({ title, query, empty, more, children }: Props<Row>) {
  const { data, error } = query;
  return (
    <DetailSection title={title} aside={data && data.total_count > 0 && more}>
      {error && !data && <Note tone="bad">{error.message}</Note>}
      {!data && !error && <Skeleton width="100%" />}
      {data?.data.length === 0 && <p className="text-13 text-text2">{empty}</p>}
      {data && data.data.length > 0 && (
        <ul className="divide-y divide-line overflow-hidden rounded-card border border-line text-13">
          {data.data.map((row) => (
            <li key={row.id}>{children(row)}</li>
          ))}
        </ul>
      )}
    </DetailSection>
  );
}

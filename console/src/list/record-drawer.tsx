import { useQuery, type UseQueryOptions } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';

interface Props<Row> {
  /** `new`, or the id of a record. */
  edit: string;
  query: (id: number) => Pick<UseQueryOptions<Row>, 'queryKey' | 'queryFn'>;
  /** The form for a new record. */
  create: ReactNode;
  /** The form for a stored record. */
  children: (row: Row) => ReactNode;
  onClose: () => void;
}

/** The form that the address names; closes if there is no such record. */
export function RecordDrawer<Row>({ edit, create, ...stored }: Props<Row>) {
  return edit === 'new' ? create : <StoredRecord id={Number(edit)} {...stored} />;
}

function StoredRecord<Row>({ id, query, children, onClose }: Omit<Props<Row>, 'edit' | 'create'> & { id: number }) {
  const isId = Number.isInteger(id) && id > 0;
  // Never from the cache: quotas and states change without this browser.
  const { data, isFetchedAfterMount, isError } = useQuery({
    ...query(id),
    enabled: isId,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  useCloseIf(!isId || isError, onClose);
  return data !== undefined && isFetchedAfterMount ? children(data) : null;
}

/** Closes a drawer whose record does not exist (any more). */
export function useCloseIf(isMissing: boolean, onClose: () => void): void {
  useEffect(() => {
    if (isMissing) onClose();
  }, [isMissing, onClose]);
}

/** One page of a list from TanStack Query, e.g. a `UseQueryResult` of the contract's `Page<Row>`. */
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
  /** Cursor of the next page; empty on the last page. */
  next?: string | undefined;
}

export interface TableSearch {
  page: number;
  size: number;
  /** `-created_at,id` */
  order: string;
}

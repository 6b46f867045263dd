import { useCallback } from 'react';
import type { TableSearch } from '#ui/table/table-page.ts';

interface NavigateOptions<Search> {
  search: (current: Search) => Search;
  replace?: boolean;
  resetScroll?: boolean;
}

type Navigate<Search> = (options: NavigateOptions<Search>) => Promise<void>;

interface GoOptions {
  /** Replaces the entry in the browser's history instead of adding one. */
  replace?: boolean;
  /** False keeps the scroll position; the default is true. */
  resetScroll?: boolean;
}

/**
 * Changes the search of a list's address, which is the list's state: `go` merges a change into it and is stable between
 * renders, `find` also returns to the first page. `navigate` is the route's `useNavigate()`.
 */
export function useListScreen<Search extends TableSearch>(search: Search, navigate: Navigate<NoInfer<Search>>) {
  const go = useCallback(
    (change: Partial<Search>, options?: GoOptions) =>
      void navigate({ search: (current) => ({ ...current, ...change }), ...options }),
    [navigate],
  );
  const find = useCallback((change: Partial<Search>) => go({ ...change, page: 1 }), [go]);
  return { search, go, find };
}

/** For `go`: opens a read view next to the list, which stays where it is; and walks or closes it. */
export const beside = { resetScroll: false } as const satisfies GoOptions;
export const stepping = { replace: true, resetScroll: false } as const satisfies GoOptions;

/** `useListScreen` for records with a form: `edit` in the address is `new`, a record's id, or empty. */
export function useRecordScreen<Search extends TableSearch & { edit: string }>(
  search: Search,
  navigate: Navigate<NoInfer<Search>>,
) {
  const list = useListScreen(search, navigate);
  const { edit, ...query } = search;
  const openForm = (of: string) => list.go({ edit: of } as Partial<Search>); // `Search` has `edit`
  return {
    ...list,
    edit,
    /** The search without the open form. */
    query,
    create: () => openForm('new'),
    open: ({ id }: { id: number }) => openForm(String(id)),
    closeForm: () => openForm(''),
    /** Id of the row whose form is open. */
    activeKey: Number(edit) || undefined,
  };
}

export const rowId = ({ id }: { id: number }): number => id;

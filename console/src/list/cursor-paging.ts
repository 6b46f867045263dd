import type { TableSearch } from '#ui/table/table-page.ts';

/** Where a page starts or ends, as the API returned it with another page; empty or 0: found by its number. */
interface Cursors {
  after: number | string;
  before: number | string;
}

/** Cursors that the API returns with a page. */
interface PageCursors {
  next: string;
  previous: string;
}

/**
 * The change of a search, with cursors: one page forward or back continues from the rows on screen, so that new rows
 * shift nothing; any other page is found by its number. `none` holds the cursors of a search without them.
 */
export function withCursors<Search extends TableSearch & Cursors>(
  none: Pick<Search, 'after' | 'before'>,
  search: Search,
  change: Partial<Search>,
  shown: PageCursors | undefined,
): Partial<Search> {
  if (change.page === undefined) return change;
  const step = change.page - search.page;
  const cursor = (text: string) => (typeof none.after === 'number' ? Number(text) : text);
  if (step === 1 && shown && shown.next !== '') return { ...change, ...none, after: cursor(shown.next) };
  if (step === -1 && change.page > 1 && shown && shown.previous !== '')
    return { ...change, ...none, before: cursor(shown.previous) };
  return { ...change, ...none };
}

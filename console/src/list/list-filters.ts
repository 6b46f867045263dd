import { isSet, type Counted, type FilterDef, type FilterValue, type FilterValues } from '#ui/table/filter.ts';
import type { ToolbarProps } from '#ui/table/toolbar.tsx';

type Filters = Record<string, FilterValue>;

/** The filters in a search, without its page, order and whatever is open. */
export function filtersIn<F extends object>(none: F, search: F): F {
  return Object.fromEntries(Object.keys(none).map((name) => [name, (search as Filters)[name]])) as F; // every name of `none`
}

/** Whether a list shows less than everything. */
export const isFiltered = <F extends object>(none: F, search: F): boolean =>
  Object.values(filtersIn(none, search) as Filters).some(isSet);

/** Filters after a change in the toolbar, where undefined clears a filter; values take the type of those in `none`. */
export function changedFilters<F extends object>(none: F, filters: F, change: FilterValues): F {
  const entries = Object.entries(none as Filters).map(([name, cleared]) => {
    const value = (name in change ? change[name] : (filters as Filters)[name]) ?? cleared;
    return [name, typeof cleared === 'number' ? Number(value) : String(value)];
  });
  return Object.fromEntries(entries) as F; // every name of `none`, each with the type of its value there
}

interface Options<F> {
  none: F;
  search: F;
  /** The filter that the search field edits. */
  field: keyof F & string;
  placeholder: string;
  filters: readonly FilterDef[];
  onChange: (filters: F) => void;
  /** How many rows the filters would find. */
  count: (filters: F) => Promise<Counted>;
}

/** Toolbar of a list whose filters are in its address: search field, filters, clear, and the count on phones. */
export function filterToolbar<F extends object>({ none, search, field, placeholder, ...options }: Options<F>) {
  const { [field]: text, ...values } = filtersIn(none, search) as Filters;
  const change = (next: FilterValues) => options.onChange(changedFilters(none, search, next));
  return {
    search: { value: String(text), placeholder, onChange: (next) => change({ [field]: next }) },
    filters: options.filters,
    values,
    onFilter: change,
    onClear: () => options.onChange(none),
    countFor: (next) => options.count(changedFilters(none, { ...none, [field]: text }, next)),
  } satisfies ToolbarProps;
}

import { ListFilter, Plus } from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Badge } from '#ui/basic/badge.tsx';
import { IconButton } from '#ui/basic/button.tsx';
import { FilterChip } from './filter-chip.tsx';
import { isSet, type Counted, type FilterDef, type FilterValues } from './filter.ts';
import { MenuButton } from '#ui/overlay/menu-button.tsx';
import { SearchField } from './search-field.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';

const FilterSheet = lazy(async () => ({ default: (await import('./filter-sheet.tsx')).FilterSheet }));

export interface ToolbarProps {
  search?: { value: string; placeholder: string; onChange: (value: string) => void } | undefined;
  /** Replaces `search` with a custom search field. */
  field?: ReactNode;
  filters?: readonly FilterDef[] | undefined;
  values?: FilterValues | undefined;
  /** Receives the changed filters; undefined clears one. */
  onFilter?: ((change: FilterValues) => void) | undefined;
  /** Clears search and filters in one step, for "No results". */
  onClear?: (() => void) | undefined;
  /** On phones: fetches how many rows a choice would show. */
  countFor?: ((values: FilterValues) => Promise<Counted>) | undefined;
  /** After the filters. */
  children?: ReactNode;
  /** At the right: a count, a live indicator, an address. */
  aside?: ReactNode;
  /** On phones: a separate line below. */
  below?: ReactNode;
  /** The last buttons at the right; hidden on phones. */
  tools?: ReactNode;
}

/** One line of chips, which scrolls rather than wraps, so that the rows below stay in place. Fades out at its end. */
const chipRow =
  '-my-1.5 -mr-5.5 -ml-1.5 flex max-w-full min-w-16 shrink-2 items-center gap-2 overflow-x-auto py-1.5 pr-5.5 pl-1.5 [mask-image:linear-gradient(to_left,transparent,#000_22px)] [scrollbar-width:none]';

/** Gives its room before the chips do: a chip that is cut hides its value. */
const searchSize = 'w-65 min-w-40 shrink-[100]';

/** A search field, then filters as chips. */
export function Toolbar(props: ToolbarProps) {
  return useIsPhone() ? <PhoneToolbar {...props} /> : <WideToolbar {...props} />;
}

function WideToolbar(props: ToolbarProps) {
  const { search, field, filters = [], values = {}, children, aside, tools } = props;
  const { t } = useTranslation('shared');
  const [editing, setEditing] = useState<string>();
  const shown = filters.filter(({ id, pinned }) => pinned || isSet(values[id]) || editing === id);
  const rest = filters.filter((filter) => !shown.includes(filter));
  return (
    <search className="flex min-h-8.5 flex-wrap items-center gap-2 lg:h-8.5 lg:flex-nowrap">
      {search && <SearchField {...search} className={searchSize} />}
      {field && <div className={searchSize}>{field}</div>}
      {shown.length > 0 && (
        <div className={chipRow}>
          <Chips {...props} shown={shown} editing={editing} onEdit={setEditing} />
        </div>
      )}
      {rest.length > 0 && (
        <MenuButton
          label={t('filter')}
          icon={Plus}
          iconOnly={false}
          align="start"
          entries={() =>
            rest.map((filter) => ({ label: filter.label, onSelect: () => setTimeout(() => setEditing(filter.id)) }))
          }
          className="h-7.5! flex-none rounded-full! border-dashed px-2.5! font-normal! text-text2!"
        />
      )}
      {children}
      {/* An empty element would still take a gap. */}
      <div className="ml-auto flex flex-none items-center gap-2 text-13 whitespace-nowrap text-text2 tabular-nums empty:hidden">
        {aside}
        {tools && <div className="flex items-center gap-1">{tools}</div>}
      </div>
    </search>
  );
}

function PhoneToolbar(props: ToolbarProps) {
  const { search, field, filters = [], values = {}, onFilter, countFor, children, aside, below } = props;
  const { t } = useTranslation('shared');
  const [open, setOpen] = useState(false);
  const [editing, setEditing] = useState<string>();
  const set = filters.filter(({ id }) => isSet(values[id]));
  return (
    <search className="grid grid-cols-1 gap-2">
      <div className="flex gap-2">
        {search && <SearchField {...search} className="flex-1" />}
        {field && <div className="min-w-0 flex-1">{field}</div>}
        {filters.length > 0 && (
          <span className="relative">
            <IconButton
              label={t('filters')}
              icon={ListFilter}
              variant="default"
              aria-haspopup="dialog"
              aria-expanded={open}
              onClick={() => setOpen(true)}
            />
            {set.length > 0 && (
              <span aria-hidden className="pointer-events-none absolute -top-1.5 -right-1.5">
                <Badge tone="accent">{set.length}</Badge>
              </span>
            )}
          </span>
        )}
      </div>
      {(set.length > 0 || aside || children) && (
        <div className="flex min-h-9 flex-wrap items-center gap-2">
          {set.length > 0 && (
            <div className={chipRow}>
              <Chips {...props} shown={set} editing={editing} onEdit={setEditing} />
            </div>
          )}
          {children}
          <div className="flex min-w-0 grow justify-end text-13 text-text2 tabular-nums">{aside}</div>
        </div>
      )}
      {below && <div className="flex min-h-9 items-center gap-2 text-13 text-text2 tabular-nums">{below}</div>}
      {open && (
        <Suspense>
          <FilterSheet
            filters={filters}
            values={values}
            countFor={countFor}
            onApply={(next) => onFilter?.(next)}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </search>
  );
}

interface ChipsProps extends ToolbarProps {
  shown: readonly FilterDef[];
  editing: string | undefined;
  onEdit: (id: string | undefined) => void;
}

function Chips({ shown, values = {}, onFilter, editing, onEdit }: ChipsProps) {
  return shown.map((filter) => (
    <FilterChip
      key={filter.id}
      filter={filter}
      value={values[filter.id]}
      editing={editing === filter.id}
      onEdit={(now) => onEdit(now ? filter.id : undefined)}
      onChange={(value) => onFilter?.({ [filter.id]: value })}
    />
  ));
}

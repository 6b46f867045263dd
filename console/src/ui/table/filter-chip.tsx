import { ChevronDown, X } from 'lucide-react';
import { lazy, Suspense, useRef } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { isSet, type FilterDef, type FilterValue } from './filter.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { useFilterText } from './use-filter-text.ts';

const loadPopover = () => import('./filter-popover.tsx');
const FilterPopover = lazy(async () => ({ default: (await loadPopover()).FilterPopover }));

interface Props {
  filter: FilterDef;
  value: FilterValue | undefined;
  editing: boolean;
  onEdit: (editing: boolean) => void;
  onChange: (value: FilterValue | undefined) => void;
}

/** One filter: "Status: enabled ×". Opens its editor; the cross clears it. */
export function FilterChip({ filter, value, editing, onEdit, onChange }: Props) {
  const { t } = useTranslation('shared');
  const { valueText } = useFilterText();
  const chip = useRef<HTMLButtonElement>(null);
  const set = isSet(value);
  return (
    <span
      className={cx(
        'inline-flex h-7.5 max-w-72 flex-none items-center rounded-full border text-13 whitespace-nowrap text-text2 transition-colors max-sm:h-9',
        'has-[button:first-child:focus-visible]:outline-2 has-[button:first-child:focus-visible]:outline-offset-2 has-[button:first-child:focus-visible]:outline-focus',
        set ? 'border-accent-line bg-accent-soft' : 'border-line2 bg-card hover:bg-hover',
      )}
    >
      <button
        ref={chip}
        type="button"
        aria-haspopup="dialog"
        aria-expanded={editing}
        onPointerEnter={() => void loadPopover()}
        onFocus={() => void loadPopover()}
        onClick={() => onEdit(!editing)}
        className={cx(
          'touch flex h-full min-w-0 items-center gap-1.5 rounded-full pl-2.5 outline-none',
          set ? 'pr-1' : 'pr-2.5',
        )}
      >
        <span className="truncate">
          {t('filterName', { name: filter.label })} <b className="font-title text-text">{valueText(filter, value)}</b>
        </span>
        {!set && <Icon of={ChevronDown} size={14} />}
      </button>
      {set && (
        <button
          type="button"
          aria-label={t('clearFilter', { name: filter.label })}
          onClick={() => onChange(undefined)}
          className="touch mr-0.5 grid size-6 place-items-center rounded-full hover:text-text"
        >
          <Icon of={X} size={14} />
        </button>
      )}
      {editing && (
        <Suspense>
          <FilterPopover
            filter={filter}
            value={value}
            anchor={chip}
            onChange={onChange}
            onClose={() => onEdit(false)}
          />
        </Suspense>
      )}
    </span>
  );
}

import { useEffect, useState, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Badge } from '#ui/basic/badge.tsx';
import { Button } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { DateInputs } from './filter-popover.tsx';
import {
  customRange,
  datesOf,
  isPreset,
  isSet,
  noFilters,
  rangePresets,
  type Counted,
  type FilterDef,
  type FilterValue,
  type FilterValues,
} from './filter.ts';
import { formatWhole } from '#ui/format/number.ts';
import { Select } from '#ui/form/select.tsx';
import { Sheet } from '#ui/overlay/sheet.tsx';
import { useFilterText } from './use-filter-text.ts';

interface Props {
  filters: readonly FilterDef[];
  values: FilterValues;
  /** Fetches how many rows a choice would show, for the button. */
  countFor?: ((values: FilterValues) => Promise<Counted>) | undefined;
  onApply: (values: FilterValues) => void;
  onClose: () => void;
}

/** All filters in one sheet, for phones; applied together. */
export function FilterSheet({ filters, values, countFor, onApply, onClose }: Props) {
  const { t } = useTranslation('shared');
  const [draft, setDraft] = useState(values);
  const counted = useCount(draft, countFor);
  const totalOf = (count: Counted) => {
    if (typeof count === 'number') return formatWhole(count);
    return count.more ? t('atLeast', { total: formatWhole(count.total) }) : formatWhole(count.total);
  };
  const set = filters.filter(({ id }) => isSet(draft[id])).length;
  const change = (id: string, value: FilterValue | undefined) => setDraft((now) => ({ ...now, [id]: value }));
  return (
    <Sheet
      title={
        <>
          {t('filters')}
          {set > 0 && <Badge>{set}</Badge>}
        </>
      }
      aside={
        <Button
          variant="ghost"
          disabled={set === 0}
          onClick={() => setDraft((now) => ({ ...now, ...noFilters(filters) }))}
        >
          {t('clearAll')}
        </Button>
      }
      footer={(close) => (
        <>
          <Button size="lg" className="flex-1" onClick={close}>
            {t('cancel')}
          </Button>
          <Button
            size="lg"
            variant="primary"
            saves={false}
            className="flex-2"
            onClick={() => {
              onApply(draft);
              close();
            }}
          >
            {counted === undefined ? t('show') : t('showCount', { total: totalOf(counted) })}
          </Button>
        </>
      )}
      onClose={onClose}
    >
      {filters.map((filter) => (
        <fieldset key={filter.id} className="mt-4 first:mt-1">
          <legend className="mb-2 font-title">{filter.label}</legend>
          <Values filter={filter} value={draft[filter.id]} onChange={(value) => change(filter.id, value)} />
        </fieldset>
      ))}
    </Sheet>
  );
}

function useCount(draft: FilterValues, countFor: Props['countFor']): Counted | undefined {
  const [counted, setCounted] = useState<Counted>();
  useEffect(() => {
    if (!countFor) return;
    let current = true;
    const timer = setTimeout(() => {
      countFor(draft).then(
        (count) => current && setCounted(count),
        () => current && setCounted(undefined),
      );
    }, 300);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [draft, countFor]);
  return counted;
}

interface ValuesProps {
  filter: FilterDef;
  value: FilterValue | undefined;
  onChange: (value: FilterValue | undefined) => void;
}

/** Up to this many options are pills; more are a select. */
const manyOptions = 8;

function Values({ filter, value, onChange }: ValuesProps) {
  const { t } = useTranslation('shared');
  if (filter.kind === 'text')
    return (
      <input
        className="box"
        aria-label={filter.label}
        placeholder={filter.placeholder}
        value={String(value ?? '')}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  if (filter.kind === 'range') return <Range filter={filter} value={value} onChange={onChange} />;
  if (filter.options.length > manyOptions)
    return (
      <Select
        aria={{ 'aria-label': filter.label }}
        value={value ?? ''}
        options={[{ value: '', label: t('all') }, ...filter.options]}
        searchable
        onChange={(next) => onChange(next === '' ? undefined : next)}
      />
    );
  return (
    <div className="flex flex-wrap gap-2">
      {filter.options.map((option) => (
        <Pill
          key={option.value}
          on={option.value === value}
          onClick={() => onChange(option.value === value ? undefined : option.value)}
        >
          {option.label}
        </Pill>
      ))}
    </div>
  );
}

function Range({ value, onChange }: ValuesProps) {
  const { t } = useTranslation('shared');
  const { preset } = useFilterText();
  const { from, to } = datesOf(value);
  const [custom, setCustom] = useState(isSet(value) && !isPreset(value));
  return (
    <div className="grid grid-cols-1 gap-3">
      <div className="flex flex-wrap gap-2">
        {rangePresets.map((each) => (
          <Pill
            key={each}
            on={each === value}
            onClick={() => {
              setCustom(false);
              onChange(each === value ? undefined : each);
            }}
          >
            <span className="inline-block first-letter:uppercase">{preset(each)}</span>
          </Pill>
        ))}
        <Pill on={custom} onClick={() => setCustom((now) => !now)}>
          <span className="inline-block first-letter:uppercase">{t('custom')}</span>
        </Pill>
      </div>
      {custom && (
        <DateInputs
          from={from}
          to={to}
          onFrom={(next) => onChange(customRange(next, to))}
          onTo={(next) => onChange(customRange(from, next))}
        />
      )}
    </div>
  );
}

function Pill({ on, onClick, children }: { on: boolean; onClick: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-pressed={on}
      onClick={onClick}
      className={cx(
        'h-10 rounded-full border px-3 text-13',
        on ? 'border-accent-line bg-accent-soft font-title text-text' : 'border-line2 text-text2',
      )}
    >
      {children}
    </button>
  );
}

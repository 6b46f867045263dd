import { Popover as Base } from '@base-ui/react/popover';
import { Check } from 'lucide-react';
import { useState, type KeyboardEvent, type ReactNode, type RefObject } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { customRange, datesOf, rangePresets, type FilterDef, type FilterOption, type FilterValue } from './filter.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { useFilterText } from './use-filter-text.ts';

interface Props {
  filter: FilterDef;
  value: FilterValue | undefined;
  anchor: RefObject<HTMLElement | null>;
  onChange: (value: FilterValue | undefined) => void;
  onClose: () => void;
}

/** The editor of one filter; loaded by `FilterChip`. */
export function FilterPopover({ filter, value, anchor, onChange, onClose }: Props) {
  const [open, setOpen] = useState(true);
  const choose = (next: FilterValue | undefined) => {
    onChange(next);
    setOpen(false);
  };
  return (
    <Base.Root open={open} onOpenChange={setOpen} onOpenChangeComplete={(now) => !now && onClose()}>
      <Base.Portal>
        <Base.Positioner anchor={anchor} align="start" sideOffset={6} collisionPadding={8} className="z-60">
          <Base.Popup
            aria-label={filter.label}
            finalFocus={anchor}
            className="floating max-h-(--available-height) w-60 overflow-y-auto rounded-card p-1.5 shadow-menu outline-none transition-[opacity,translate] duration-160 data-ending-style:opacity-0 data-starting-style:-translate-y-1 data-starting-style:opacity-0"
          >
            {filter.kind === 'options' && <Options options={filter.options} value={value} onChoose={choose} />}
            {filter.kind === 'text' && <TextValue filter={filter} value={value} onChoose={choose} />}
            {filter.kind === 'range' && <Range value={value} onChoose={choose} />}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

interface PartProps {
  value: FilterValue | undefined;
  onChoose: (value: FilterValue | undefined) => void;
}

const manyOptions = 8;

function Options({ options, value, onChoose }: PartProps & { options: readonly FilterOption[] }) {
  const { t } = useTranslation('shared');
  const [query, setQuery] = useState('');
  const shown = options.filter((option) => option.label.toLowerCase().includes(query.trim().toLowerCase()));
  return (
    <div onKeyDown={walk}>
      {options.length > manyOptions && (
        <input
          className="box mb-1.5 text-13"
          aria-label={t('findOption')}
          placeholder={t('findOption')}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      )}
      {shown.length === 0 && <p className="px-2.5 py-2 text-13 text-text3">{t('noOption')}</p>}
      {shown.map((option) => (
        <Line
          key={option.value}
          on={option.value === value}
          onClick={() => onChoose(option.value === value ? undefined : option.value)}
        >
          {option.tile}
          <span className="truncate">{option.label}</span>
        </Line>
      ))}
    </div>
  );
}

function Line({ on, onClick, children }: { on: boolean; onClick: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-pressed={on}
      onClick={onClick}
      className={cx(
        'flex h-8.5 w-full items-center gap-2.5 rounded-control px-2.5 text-left text-13 hover:bg-hover focus-visible:-outline-offset-2 max-sm:h-11 dark:hover:bg-fill',
        on && 'font-title',
      )}
    >
      <span className="size-4 flex-none text-text2">{on && <Icon of={Check} />}</span>
      {children}
    </button>
  );
}

function walk(event: KeyboardEvent<HTMLDivElement>) {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  event.preventDefault();
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('input, button')];
  const at = stops.findIndex((each) => each === document.activeElement);
  stops.at((at + (event.key === 'ArrowDown' ? 1 : -1)) % stops.length)?.focus();
}

function TextValue({ filter, value, onChoose }: PartProps & { filter: Extract<FilterDef, { kind: 'text' }> }) {
  const { t } = useTranslation('shared');
  const [text, setText] = useState(String(value ?? ''));
  return (
    <form
      className="flex gap-1.5"
      onSubmit={(event) => {
        event.preventDefault();
        onChoose(text.trim() === '' ? undefined : text.trim());
      }}
    >
      <input
        className="box flex-1 text-13"
        aria-label={filter.label}
        placeholder={filter.placeholder ?? filter.label}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" className="h-9">
        {t('apply')}
      </Button>
    </form>
  );
}

function Range({ value, onChoose }: PartProps) {
  const { t } = useTranslation('shared');
  const { preset } = useFilterText();
  const [from, setFrom] = useState(datesOf(value).from);
  const [to, setTo] = useState(datesOf(value).to);
  return (
    <div onKeyDown={(event) => event.target instanceof HTMLButtonElement && walk(event)}>
      {rangePresets.map((each) => (
        <Line key={each} on={value === each} onClick={() => onChoose(value === each ? undefined : each)}>
          <span className="inline-block truncate first-letter:uppercase">{preset(each)}</span>
        </Line>
      ))}
      <form
        className="mt-1.5 grid grid-cols-1 gap-2 border-t border-line px-1 pt-2.5 pb-1"
        onSubmit={(event) => {
          event.preventDefault();
          onChoose(customRange(from, to) || undefined);
        }}
      >
        <DateInputs from={from} to={to} onFrom={setFrom} onTo={setTo} />
        <Button type="submit" disabled={from === '' && to === ''}>
          {t('apply')}
        </Button>
      </form>
    </div>
  );
}

interface DateProps {
  from: string;
  to: string;
  onFrom: (value: string) => void;
  onTo: (value: string) => void;
}

export function DateInputs({ from, to, onFrom, onTo }: DateProps) {
  const { t } = useTranslation('shared');
  return (
    <div className="grid grid-cols-[auto_1fr] items-center gap-2 text-13 text-text2">
      <label className="contents">
        {t('from')}
        <input
          type="date"
          className="box"
          value={from}
          max={to || undefined}
          onChange={(event) => onFrom(event.target.value)}
        />
      </label>
      <label className="contents">
        {t('to')}
        <input
          type="date"
          className="box"
          value={to}
          min={from || undefined}
          onChange={(event) => onTo(event.target.value)}
        />
      </label>
    </div>
  );
}

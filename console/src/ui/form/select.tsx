import { ChevronDown } from 'lucide-react';
import { useId, useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { cx } from '#ui/basic/cx.ts';
import type { FieldAria } from './field.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { SelectList } from './select-list.tsx';

export interface SelectOption<V extends string | number> {
  value: V;
  label: string;
  /** Before the label: an `OwnerTile` of 20. */
  tile?: ReactNode;
  /** After it, quietly. */
  note?: string | undefined;
  /** Shown, but not to be chosen; say why in the note. */
  disabled?: boolean | undefined;
}

interface Props<V extends string | number> {
  aria: FieldAria | { 'aria-label': string };
  value: V | null;
  options: readonly SelectOption<V>[];
  onChange: (value: V) => void;
  onBlur?: (() => void) | undefined;
  placeholder?: string | undefined;
  /** Puts a search above the list. */
  searchable?: boolean | undefined;
  disabled?: boolean | undefined;
  triggerRef?: ((element: HTMLElement | null) => void) | undefined;
  className?: string | undefined;
}

/** One of several, in a list that opens. */
export function Select<V extends string | number>(props: Props<V>) {
  const { aria, value, options, onChange, onBlur, placeholder, searchable, disabled, triggerRef, className } = props;
  const { t } = useTranslation('shared');
  const [open, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const list = useId();
  const chosen = options.find((option) => option.value === value);
  const close = () => {
    setOpen(false);
    onBlur?.();
  };
  const leave = () => {
    trigger.current?.focus();
    close();
  };
  return (
    <>
      <button
        {...aria}
        ref={(element) => {
          trigger.current = element;
          triggerRef?.(element);
        }}
        type="button"
        role="combobox"
        aria-haspopup="listbox"
        aria-expanded={open}
        aria-controls={open ? list : undefined}
        disabled={disabled}
        {...(open && { 'data-popup-open': true })}
        onClick={() => setOpen((now) => !now)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          setOpen(true);
        }}
        className={cx('box flex items-center gap-2 text-left select-none', className)}
      >
        {chosen?.tile}
        <span className={cx('min-w-0 flex-1 truncate', !chosen && 'text-text3')}>
          {chosen?.label ?? placeholder ?? t('choose')}
        </span>
        <Icon of={ChevronDown} className="text-text3" />
      </button>
      {open && (
        <SelectList
          id={list}
          anchor={trigger}
          value={value}
          options={options}
          searchable={searchable ?? false}
          onChoose={(next) => {
            onChange(next);
            leave();
          }}
          onLeave={leave}
          onOutside={close}
        />
      )}
    </>
  );
}

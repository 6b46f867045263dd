import { Check, ChevronDown } from 'lucide-react';
import { type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import type { FieldAria } from './field.tsx';

export interface SelectOption<V extends string | number> {
  value: V;
  label: string;
  /** Before the label: an `OwnerTile` of 20. */
  tile?: ReactNode;
  /** Quiet text after the label. */
  note?: string | undefined;
  /** Shown, but cannot be chosen; give the reason in the note. */
  disabled?: boolean | undefined;
}

export interface SelectProps<V extends string | number> {
  aria: FieldAria | { 'aria-label': string };
  value: V | null;
  options: readonly SelectOption<V>[];
  onChange: (value: V) => void;
  onBlur?: (() => void) | undefined;
  placeholder?: string | undefined;
  disabled?: boolean | undefined;
  triggerRef?: ((element: HTMLElement | null) => void) | undefined;
  className?: string | undefined;
}

export interface OpenedSelectProps<V extends string | number> extends SelectProps<V> {
  /** The event on the closed select that asked for this one. */
  openedBy: Event;
}

export const triggerLook = (className: string | undefined): string =>
  cx('box flex items-center gap-2 text-left select-none', className);

export const optionLook =
  'flex min-h-8.5 cursor-pointer items-center gap-2 rounded-control px-2.5 text-13 outline-none select-none data-highlighted:bg-hover data-highlighted:shadow-[inset_0_0_0_1px_var(--color-line2)] max-sm:min-h-11 max-sm:text-14 dark:data-highlighted:bg-[#222c40] forced-colors:data-highlighted:outline';

/** Content of the closed select. */
export function ChosenOption({
  option,
  placeholder,
}: {
  option: SelectOption<string | number> | null | undefined;
  placeholder: string | undefined;
}) {
  const { t } = useTranslation('shared');
  return (
    <>
      {option?.tile}
      <span className={cx('min-w-0 flex-1 truncate', !option && 'text-text3')}>
        {option?.label ?? placeholder ?? t('choose')}
      </span>
      <Icon of={ChevronDown} className="text-text3" />
    </>
  );
}

/** Content of one option in the open list. */
export function OptionLine({ option, chosen }: { option: SelectOption<string | number>; chosen: boolean }) {
  return (
    <>
      {option.tile}
      <span className={cx('min-w-0 flex-1 truncate', option.disabled && 'text-text3')}>{option.label}</span>
      {option.note && <span className="text-12 text-text3">{option.note}</span>}
      <span className="size-4 flex-none">{chosen && <Icon of={Check} className="text-accent" />}</span>
    </>
  );
}

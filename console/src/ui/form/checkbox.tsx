import { useEffect, useRef, type ComponentPropsWithoutRef } from 'react';
import { cx } from '#ui/basic/cx.ts';

interface Props extends Omit<ComponentPropsWithoutRef<'input'>, 'type' | 'onChange'> {
  /** Accessible name, if there is no <label>. */
  label?: string | undefined;
  /** Some but not all are checked. */
  indeterminate?: boolean | undefined;
  onChange?: ((checked: boolean) => void) | undefined;
}

const box =
  'touch flex-none cursor-pointer appearance-none border-[1.5px] border-control bg-(--surface,var(--color-card)) transition-colors disabled:cursor-default disabled:opacity-45';

/** A 16 px checkbox. */
export function Checkbox({ label, indeterminate = false, onChange, className, ...rest }: Props) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current) input.current.indeterminate = indeterminate;
  }, [indeterminate]);
  return (
    <input
      {...rest}
      ref={input}
      type="checkbox"
      aria-label={label}
      onChange={(event) => onChange?.(event.target.checked)}
      className={cx(
        box,
        'tick block size-4 rounded-[calc(var(--radius-tile)-2px)] checked:border-accent-fill checked:bg-accent-fill indeterminate:border-accent-fill indeterminate:bg-accent-fill',
        'indeterminate:before:absolute indeterminate:before:top-1/2 indeterminate:before:left-1/2 indeterminate:before:h-0.5 indeterminate:before:w-2 indeterminate:before:-translate-1/2 indeterminate:before:bg-on-accent',
        className,
      )}
    />
  );
}

/** A radio button; belongs in a <label>, in a fieldset whose inputs share `name`. */
export function Radio({
  onChange,
  className,
  ...rest
}: Omit<ComponentPropsWithoutRef<'input'>, 'type' | 'onChange'> & { onChange?: (() => void) | undefined }) {
  return (
    <input
      {...rest}
      type="radio"
      onChange={() => onChange?.()}
      className={cx(box, 'dot block size-4 rounded-full checked:border-[5px] checked:border-accent-fill', className)}
    />
  );
}

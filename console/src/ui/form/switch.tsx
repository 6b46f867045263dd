import { useContext, type ComponentPropsWithRef } from 'react';
import { SavingDisabled } from './saving-disabled.ts';
import { cx } from '#ui/basic/cx.ts';

interface Props extends Omit<ComponentPropsWithRef<'input'>, 'type' | 'role' | 'onChange' | 'aria-label'> {
  /** Accessible name, if there is no <label> or aria-labelledby. */
  label?: string | undefined;
  /** Saves immediately: disabled while offline. */
  saves?: boolean | undefined;
  onChange?: ((checked: boolean) => void) | undefined;
}

/** A switch that applies immediately. */
export function Switch({ label, saves, onChange, className, disabled, ...rest }: Props) {
  const away = useContext(SavingDisabled) && saves;
  return (
    <input
      {...rest}
      disabled={disabled || away}
      type="checkbox"
      role="switch"
      aria-label={label}
      onChange={(event) => onChange?.(event.target.checked)}
      className={cx(
        'touch block h-4.5 w-8 flex-none cursor-pointer appearance-none rounded-full bg-control transition-colors checked:bg-accent-fill disabled:cursor-default disabled:opacity-45',
        'before:absolute before:top-0.5 before:left-0.5 before:size-3.5 before:rounded-full before:bg-on-accent before:transition-[left] checked:before:left-4',
        className,
      )}
    />
  );
}

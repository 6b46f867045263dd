import { useContext, type ComponentPropsWithRef } from 'react';
import { CannotSave } from './cannot-save.ts';
import { cx } from '#ui/basic/cx.ts';

interface Props extends Omit<ComponentPropsWithRef<'input'>, 'type' | 'role' | 'onChange'> {
  /** Accessible name, unless a <label> or aria-labelledby gives one. */
  label?: string | undefined;
  /** Changes something on the server with its press, so it is off while that is away. */
  saves?: boolean | undefined;
  onChange?: ((checked: boolean) => void) | undefined;
}

/** On or off, at once. */
export function Switch({ label, saves, onChange, className, disabled, ...rest }: Props) {
  const away = useContext(CannotSave) && saves;
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

import { useId } from 'react';
import type { FieldPath, FieldValues } from 'react-hook-form';
import { FieldBelow } from './field.tsx';
import { Switch } from './switch.tsx';
import { useFormField, type FormFieldProps } from './use-form-field.ts';

/** A switch with its label at the left. */
export function FormSwitch<T extends FieldValues, N extends FieldPath<T>, Out>(props: FormFieldProps<T, N, Out>) {
  const { value, change, blur, ref, shell } = useFormField(props);
  const id = useId();
  const below = `${id}-below`;
  return (
    <div className={shell.className}>
      <div className="flex min-h-9 items-center gap-4 max-sm:min-h-11">
        <label htmlFor={id} className="min-w-0 flex-1">
          {shell.label}
        </label>
        <Switch
          id={id}
          ref={ref}
          checked={value === true}
          disabled={props.disabled}
          onChange={change}
          onBlur={blur}
          aria-describedby={shell.hint || shell.error ? below : undefined}
          aria-invalid={shell.error ? true : undefined}
        />
      </div>
      <div className="-mt-1.5">
        <FieldBelow id={below} hint={shell.hint} error={shell.error} />
      </div>
    </div>
  );
}

import { useId } from 'react';
import type { FieldPath, FieldValues } from 'react-hook-form';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { useFormField, type FormFieldProps } from '#ui/form/use-form-field.ts';

/** A checkbox with its label at the right and what it means below. */
export function FormCheckbox<T extends FieldValues, N extends FieldPath<T>, Out>(props: FormFieldProps<T, N, Out>) {
  const { value, change, blur, shell } = useFormField(props);
  const id = useId();
  return (
    <div className="flex items-start gap-2.5">
      <Checkbox
        id={id}
        className="mt-0.5"
        checked={value === true}
        disabled={props.disabled}
        aria-describedby={`${id}-hint`}
        onChange={change}
        onBlur={blur}
      />
      <div className="min-w-0 text-13">
        <label htmlFor={id}>{shell.label}</label>
        <p id={`${id}-hint`} className="text-12 text-text2">
          {shell.hint}
        </p>
      </div>
    </div>
  );
}

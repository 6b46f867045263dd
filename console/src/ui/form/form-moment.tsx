import type { FieldPath, FieldValues } from 'react-hook-form';
import { Field } from './field.tsx';
import { localMoment, secondsOf } from './local-moment.ts';
import { useFormField, type FormFieldProps } from './use-form-field.ts';

/** A date and time. Value: Unix seconds; 0 is none. */
export function FormMoment<T extends FieldValues, N extends FieldPath<T>, Out>(props: FormFieldProps<T, N, Out>) {
  const { value, change, blur, ref, shell } = useFormField(props);
  return (
    <Field {...shell}>
      {(aria) => (
        <input
          {...aria}
          ref={ref}
          type="datetime-local"
          className="box"
          value={typeof value === 'number' && value > 0 ? localMoment(value) : ''}
          onChange={(event) => change(secondsOf(event.target.value) ?? 0)}
          onBlur={blur}
        />
      )}
    </Field>
  );
}

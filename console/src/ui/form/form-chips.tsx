import type { FieldPath, FieldValues } from 'react-hook-form';
import { ChipsBox, splitValues, type ChipsChoice } from './chips-box.tsx';
import { Field } from './field.tsx';
import { useFormField, type FormFieldProps } from './use-form-field.ts';

interface Props extends ChipsChoice {
  /** The form holds comma-separated text instead of a list. */
  joined?: boolean | undefined;
}

/** Several values as chips: Enter or a comma adds one, Backspace removes the last; long lists fold. */
export function FormChips<T extends FieldValues, N extends FieldPath<T>, Out>(
  props: FormFieldProps<T, N, Out> & Props,
) {
  const { joined, suggestions, strict, placeholder, markOf, disabled } = props;
  const { value, change, blur, ref, shell } = useFormField(props);
  const values = typeof value === 'string' ? splitValues(value) : Array.isArray(value) ? value.map(String) : [];
  return (
    <Field {...shell}>
      {(aria) => (
        <ChipsBox
          aria={aria}
          inputRef={ref}
          values={values}
          onChange={(next) => change(joined ? next.join(',') : next)}
          onBlur={blur}
          {...{ suggestions, strict, placeholder, markOf, disabled }}
        />
      )}
    </Field>
  );
}

import type { FieldPath, FieldValues } from 'react-hook-form';
import { Field } from './field.tsx';
import { Select, type SelectOption } from './select.tsx';
import { useFormField, type FormFieldProps } from './use-form-field.ts';

interface Props<V extends string | number> {
  options: readonly SelectOption<V>[];
  placeholder?: string | undefined;
  /** Adds a search to the list; for more than a dozen options. */
  searchable?: boolean | undefined;
}

/** A select field. */
export function FormSelect<T extends FieldValues, N extends FieldPath<T>, Out, V extends string | number>(
  props: FormFieldProps<T, N, Out> & Props<V>,
) {
  const { options, placeholder, searchable, disabled } = props;
  const { value, change, blur, ref, shell } = useFormField(props);
  const chosen = options.find((option) => option.value === value)?.value ?? null;
  return (
    <Field {...shell}>
      {(aria) => (
        <Select
          aria={aria}
          triggerRef={ref}
          value={chosen}
          onChange={change}
          onBlur={blur}
          {...{ options, placeholder, searchable, disabled }}
        />
      )}
    </Field>
  );
}

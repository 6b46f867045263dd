import { useId } from 'react';
import { Checkbox } from './checkbox.tsx';

interface ToggleProps<V> {
  options: readonly { value: V; label: string }[];
  values: readonly V[];
  onChange: (values: V[]) => void;
}

/** Several of a few options. */
export function Toggles<V extends string | number>({ options, values, onChange }: ToggleProps<V>) {
  const id = useId();
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-1.5 max-sm:gap-y-0">
      {options.map(({ value, label }) => (
        <label
          key={value}
          htmlFor={`${id}-${value}`}
          className="flex cursor-pointer items-center gap-1.5 text-13 max-sm:min-h-10"
        >
          <Checkbox
            id={`${id}-${value}`}
            checked={values.includes(value)}
            onChange={(on) =>
              onChange(
                options.map((each) => each.value).filter((each) => (each === value ? on : values.includes(each))),
              )
            }
          />
          {label}
        </label>
      ))}
    </div>
  );
}

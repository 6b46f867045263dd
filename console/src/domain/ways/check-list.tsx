import { useId } from 'react';
import { Checkbox } from '#ui/form/checkbox.tsx';

interface Props<V extends string> {
  label: string;
  hint?: string;
  values: readonly { value: V; label: string }[];
  chosen: readonly V[];
  onChange: (chosen: V[]) => void;
}

/** Several of a fixed list, as checkboxes in two columns. */
export function CheckList<V extends string>({ label, hint, values, chosen, onChange }: Props<V>) {
  const id = useId();
  const set = (value: V, checked: boolean) =>
    onChange(
      values.flatMap((each) => ((each.value === value ? checked : chosen.includes(each.value)) ? each.value : [])),
    );
  return (
    <fieldset aria-describedby={hint === undefined ? undefined : id}>
      <legend className="mb-1.5 text-13 text-text2">{label}</legend>
      <div className="grid grid-cols-2 gap-x-4 gap-y-1 max-sm:grid-cols-1">
        {values.map(({ value, label: name }) => (
          <label key={value} className="flex min-h-7 items-center gap-2 text-13 max-sm:min-h-10">
            <Checkbox checked={chosen.includes(value)} onChange={(checked) => set(value, checked)} />
            <span className="min-w-0">{name}</span>
          </label>
        ))}
      </div>
      {hint !== undefined && (
        <p id={id} className="mt-1 text-12 text-text3">
          {hint}
        </p>
      )}
    </fieldset>
  );
}

import { useId, type ReactNode } from 'react';
import { cx } from '#ui/basic/cx.ts';

export interface Segment<V extends string> {
  value: V;
  label: ReactNode;
}

interface Props<V extends string> {
  /** Accessible name of the group. */
  label: string;
  value: V;
  options: readonly Segment<V>[];
  onChange: (value: V) => void;
  className?: string | undefined;
}

/** Two to five alternatives in a row, one selected. */
export function Segmented<V extends string>({ label, value, options, onChange, className }: Props<V>) {
  const name = useId();
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className={cx(
        'inline-flex w-fit max-w-full gap-0.5 overflow-x-auto rounded-control border border-line2 bg-card p-0.5 [scrollbar-width:none]',
        className,
      )}
    >
      {options.map((option) => (
        <label
          key={option.value}
          className={cx(
            'relative flex h-7 cursor-pointer items-center rounded-tile px-2.5 text-13 whitespace-nowrap transition-colors max-sm:h-10',
            'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus',
            option.value === value ? 'bg-fill font-title text-text' : 'text-text2 hover:text-text',
          )}
        >
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="absolute inset-0 cursor-pointer appearance-none outline-none"
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}

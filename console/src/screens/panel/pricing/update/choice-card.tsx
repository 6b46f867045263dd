import { useId, type ReactNode } from 'react';
import { Radio } from '#ui/form/checkbox.tsx';
import { cx } from '#ui/basic/cx.ts';

interface Props {
  /** Name of the radio group. */
  name: string;
  title: string;
  text: ReactNode;
  checked: boolean;
  onChoose: () => void;
}

/** One of a few options with an explanation each. */
export function ChoiceCard({ name, title, text, checked, onChoose }: Props) {
  const id = useId();
  return (
    <label
      htmlFor={id}
      className={cx(
        'flex cursor-pointer gap-3 rounded-card border p-3.5',
        checked ? 'border-accent bg-accent-soft' : 'border-line2 hover:bg-hover',
      )}
    >
      <Radio id={id} name={name} checked={checked} onChange={onChoose} className="mt-0.5" />
      <span className="min-w-0 text-13">
        <span className="block font-title">{title}</span>
        <span className="block text-text2">{text}</span>
      </span>
    </label>
  );
}

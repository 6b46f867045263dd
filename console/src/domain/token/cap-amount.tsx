import type { LimitMeasure } from '@relay-hub/contract';
import type { FieldAria } from '#ui/form/field.tsx';
import { NumberBox } from '#ui/form/number-box.tsx';
import { creditsOf, dollarsOf } from '#ui/format/money.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';

interface Props {
  aria: FieldAria & { 'aria-label'?: string };
  measure: LimitMeasure;
  amount: number | undefined;
  onChange: (amount: number | undefined) => void;
  onBlur?: (() => void) | undefined;
}

/** The amount of a cap; budgets are typed in the site's unit. */
export function CapAmount({ aria, measure, amount, onChange, onBlur = () => {} }: Props) {
  const format = useSiteFormat();
  const inDollars = measure === 'credits' && format.inCurrency;
  const shown = amount === undefined ? null : inDollars ? dollarsOf(amount, format) : amount;
  return (
    <NumberBox
      aria={aria}
      inputRef={() => {}}
      value={shown}
      onChange={(next) => onChange(next === null ? undefined : inDollars ? creditsOf(next, format) : Math.round(next))}
      onBlur={onBlur}
      whole={!inDollars}
      before={inDollars ? '$' : undefined}
      left
    />
  );
}

import { X } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useId } from 'react';
import { IconButton } from '#ui/basic/button.tsx';
import { FieldBelow } from '#ui/form/field.tsx';
import { NumberBox } from '#ui/form/number-box.tsx';
import { useFormField } from '#ui/form/use-form-field.ts';
import type { ExtraRatios } from '@relay-hub/contract';
import { amountOf, ratioOf, type PriceFormMethods } from '#screens/panel/pricing/edit/price-values.ts';
import type { PriceUnit } from './pricing-search.ts';

type RatioName = 'input' | 'output' | `extra_ratios.${keyof ExtraRatios}`;

interface Props {
  control: PriceFormMethods['control'];
  name: RatioName | `rules.${number}.${'input' | 'output'}` | `rules.${number}.kinds.${keyof ExtraRatios}`;
  label: string;
  /** The ratio that this one multiplies; 1 for input and output. */
  base: number;
  /** `minute`: the ratio is per second, amounts are per minute. */
  unit: PriceUnit & { minute?: boolean };
  /** Text after the ratio. */
  times?: string | undefined;
  /** Text after the amount, instead of the unit. */
  suffix?: string | undefined;
  /** Gets the focus when the form opens. */
  first?: boolean | undefined;
  onRemove?: (() => void) | undefined;
}

/** A ratio and its amount, both editable. */
export function RatioField({ control, name, label, base, unit, times = '×', suffix, first, onRemove }: Props) {
  const { t } = useTranslation('pricing');
  const { value, change, blur, ref, shell } = useFormField({ control, name, label });
  const [id, below] = [useId(), useId()];
  const ratio = typeof value === 'number' ? value : null;
  const whole = base * (unit.minute ? 0.06 : 1);
  const aria = {
    id,
    'aria-describedby': shell.error ? below : undefined,
    'aria-invalid': shell.error ? true : undefined,
    ...(first && { 'data-first-focus': true as const }),
  };
  const after = suffix ?? (unit.minute ? t('aMinute') : `/ ${unit.per === 1000 ? '1K' : '1M'}`);
  return (
    <div>
      <div className="grid grid-cols-[minmax(88px,116px)_1fr_auto_1fr_34px] items-center gap-2 max-sm:grid-cols-[1fr_auto_1fr_40px]">
        <label htmlFor={id} className="inline-block text-13 first-letter:uppercase max-sm:col-span-full">
          {label}
        </label>
        <NumberBox aria={aria} inputRef={ref} value={ratio} onChange={change} onBlur={blur} after={times} left />
        <span aria-hidden className="text-text3">
          =
        </span>
        <NumberBox
          aria={{
            id: `${id}-money`,
            'aria-label': t('moneyOf', { name: label }),
            'aria-describedby': undefined,
            'aria-invalid': undefined,
          }}
          inputRef={noRef}
          value={ratio === null ? null : amountOf(ratio * whole, unit)}
          onChange={(amount) => change(amount === null ? null : whole === 0 ? ratio : ratioOf(amount / whole, unit))}
          onBlur={blur}
          disabled={whole === 0}
          before={unit.currency === 'CNY' ? '¥' : '$'}
          after={after}
          left
        />
        {onRemove ? <IconButton label={t('removeExtra', { name: label })} icon={X} onClick={onRemove} /> : <span />}
      </div>
      <div className="pl-31 max-sm:pl-0">
        <FieldBelow id={below} error={shell.error} />
      </div>
    </div>
  );
}

const noRef = () => undefined;

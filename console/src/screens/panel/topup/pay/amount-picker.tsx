import { discountFactor, discountPercent, LARGEST_TOPUP } from '@relay-hub/contract';
import { useId, type RefObject } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { FieldBelow } from '#ui/form/field.tsx';
import { NumberBox } from '#ui/form/number-box.tsx';
import { formatPlain, formatWhole } from '#ui/format/number.ts';
import type { Discounts } from './amount-presets.ts';
import { choiceTile } from './choice-tile.ts';

interface Props {
  /** Whole dollars; null while the field is empty. */
  amount: number | null;
  presets: readonly number[];
  least: number;
  discounts: Discounts;
  error: string | undefined;
  inputRef: RefObject<HTMLInputElement | null>;
  onChange: (amount: number | null) => void;
  onBlur: () => void;
  onEnter: () => void;
}

/** Offered amounts with their discount, and a field for any other. */
export function AmountPicker(props: Props) {
  const { amount, presets, least, discounts, error, inputRef, onChange, onBlur, onEnter } = props;
  const { t } = useTranslation('topup');
  const id = useId();
  const reduced = presets.some((each) => discountFactor(each, discounts) < 1);
  const rule = { least: `$${formatWhole(least)}`, most: `$${formatWhole(LARGEST_TOPUP)}` };
  return (
    <>
      <h2 id={id} className="text-13 font-title">
        {t('pay.amount')}
      </h2>
      <div
        role="radiogroup"
        aria-labelledby={id}
        className="mt-2 grid grid-cols-[repeat(auto-fit,minmax(100px,1fr))] gap-2 max-sm:grid-cols-3"
      >
        {presets.map((each) => (
          <label key={each} className={choiceTile(each === amount, 'flex-col justify-center px-2 text-center')}>
            <input
              type="radio"
              name={id}
              value={each}
              checked={each === amount}
              onChange={() => onChange(each)}
              className="absolute inset-0 cursor-pointer appearance-none outline-none"
            />
            <span className={each === amount ? 'text-15 font-title' : 'text-15'}>${formatWhole(each)}</span>
            {reduced && <Reduction factor={discountFactor(each, discounts)} />}
          </label>
        ))}
      </div>
      <div className="mt-3 flex flex-wrap items-center gap-x-2.5 gap-y-1.5">
        <label htmlFor={`${id}-other`} className="text-13 text-text2">
          {t('pay.otherAmount')}
        </label>
        <div
          className="w-40 max-sm:min-w-32 max-sm:flex-1"
          onKeyDown={({ key, nativeEvent }) => key === 'Enter' && !nativeEvent.isComposing && onEnter()}
        >
          <NumberBox
            aria={{
              id: `${id}-other`,
              'aria-describedby': `${id}-rule`,
              'aria-invalid': error === undefined ? undefined : true,
            }}
            inputRef={(element) => void (inputRef.current = element)}
            value={amount}
            onChange={onChange}
            onBlur={onBlur}
            whole
            before="$"
          />
        </div>
        <div className="*:mt-0 max-sm:w-full">
          <FieldBelow
            id={`${id}-rule`}
            hint={t(reduced ? 'pay.amountRuleReduced' : 'pay.amountRule', rule)}
            error={error}
          />
        </div>
      </div>
    </>
  );
}

function Reduction({ factor }: { factor: number }) {
  const { t, i18n } = useTranslation('topup');
  const percent = discountPercent(factor);
  if (percent === 0) return <span className="text-12 text-text2">{t('pay.fullPrice')}</span>;
  return <span className="text-12 text-ok">{t('pay.off', reductionOf(percent, i18n.language))}</span>;
}

/** A discount for texts: the percentage taken off or, as Chinese says it, the tenths that remain to be paid. */
export const reductionOf = (percent: number, language: string): { off: string } => ({
  off: language.startsWith('zh') ? formatPlain(10 - percent / 10, 3) : formatPlain(percent, 2),
});

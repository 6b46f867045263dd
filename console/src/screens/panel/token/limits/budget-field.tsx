import { periodsOf, type LimitPeriod, type TokenCap } from '@relay-hub/contract';
import { useController, type Control } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { Field } from '#ui/form/field.tsx';
import { Select } from '#ui/form/select.tsx';
import { useFieldMessage } from '#ui/form/use-field-message.ts';
import { CapAmount } from '#domain/token/cap-amount.tsx';
import type { TokenInput, TokenValues } from '../token-rules.ts';

/** The first budget of a token: an amount and its period. Without an amount there is none. */
export function BudgetField({ control }: { control: Control<TokenInput, unknown, TokenValues> }) {
  const { t } = useTranslation('token');
  const { field, fieldState } = useController({ control, name: 'limits.caps' });
  const message = useFieldMessage();
  const caps = field.value ?? [];
  const at = caps.findIndex(({ measure }) => measure === 'credits');
  const budget = caps[at];
  const taken = new Set(caps.filter(({ measure }, i) => measure === 'credits' && i !== at).map(({ period }) => period));
  const period: LimitPeriod = budget?.period ?? 'day';
  const put = (next: TokenCap | undefined) =>
    field.onChange(
      at < 0 ? (next ? [next, ...caps] : caps) : caps.flatMap((cap, i) => (i === at ? (next ? [next] : []) : [cap])),
    );
  return (
    <div className="grid grid-cols-2 items-start gap-4 max-sm:grid-cols-1">
      <Field label={t('budget')} optional hint={t('budgetHint')} error={message(fieldState.error?.message)}>
        {(aria) => (
          <CapAmount
            aria={aria}
            measure="credits"
            amount={budget?.amount}
            onChange={(amount) => put(amount === undefined ? undefined : { measure: 'credits', period, amount })}
            onBlur={field.onBlur}
          />
        )}
      </Field>
      <Field label={t('every')}>
        {(aria) => (
          <Select
            aria={aria}
            value={period}
            disabled={!budget}
            options={periodsOf.credits.map((value) => ({
              value,
              label: t(`periods.${value}`),
              disabled: taken.has(value),
            }))}
            onChange={(next) => budget && put({ ...budget, period: next })}
          />
        )}
      </Field>
    </div>
  );
}

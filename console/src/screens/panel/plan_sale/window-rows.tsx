import { type PlanWindow, subjectMeasures, subjectPeriods } from '@relay-hub/contract';
import { Plus, X } from 'lucide-react';
import { useId } from 'react';
import { useController } from 'react-hook-form';
import { CapAmount } from '#domain/token/cap-amount.tsx';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { FieldBelow } from '#ui/form/field.tsx';
import { Select } from '#ui/form/select.tsx';
import { useFieldMessage } from '#ui/form/use-field-message.ts';
import type { PlanControl } from './plan-api.ts';

const resets = ['anchored', 'rolling', 'calendar'] as const;
const everyWindow = subjectPeriods.flatMap((period) => subjectMeasures.map((measure) => ({ measure, period })));
const firstAmounts: Record<PlanWindow['measure'], number> = { credits: 1_000_000, requests: 500, tokens: 1_000_000 };
const isSame = (a: Pick<PlanWindow, 'measure' | 'period'>, b: typeof a) =>
  a.measure === b.measure && a.period === b.period;

/** Limits within the period of a plan, one a line. */
export function WindowRows({ control }: { control: PlanControl }) {
  const { t } = useTranslation(['planAdmin', 'token']);
  const { field, fieldState } = useController({ control, name: 'terms.windows' });
  const message = useFieldMessage();
  const id = useId();
  const windows = field.value ?? [];
  // Five hours first: a burst is why most plans have a second limit.
  const free = everyWindow
    .toSorted((a, b) => Number(b.period === 'five_hours') - Number(a.period === 'five_hours'))
    .filter((window) => !windows.some((each) => isSame(each, window)));
  const put = (at: number, change: Partial<PlanWindow>) =>
    field.onChange(windows.map((each, index) => (index === at ? { ...each, ...change } : each)));
  const [next] = free;
  return (
    <div role="group" aria-labelledby={id} className="grid grid-cols-1 gap-2">
      <span id={id} className="text-13 font-title">
        {t('windows')}
      </span>
      {windows.map((window, at) => {
        const name = t('windowNumber', { number: at + 1 });
        const isTaken = (change: Partial<PlanWindow>) => {
          const wanted = { ...window, ...change };
          return !isSame(wanted, window) && windows.some((each) => isSame(each, wanted));
        };
        return (
          <div
            key={at}
            className="grid grid-cols-[minmax(0,1fr)_minmax(0,0.9fr)_minmax(0,1.15fr)_minmax(0,1.15fr)_34px] gap-2 max-sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_40px]"
          >
            <Select
              aria={{ 'aria-label': `${name}, ${t('measure')}` }}
              value={window.measure}
              options={subjectMeasures.map((value) => ({
                value,
                label: t(`token:measures.${value}`),
                disabled: isTaken({ measure: value }),
              }))}
              onChange={(measure) => put(at, { measure, amount: firstAmounts[measure] })}
            />
            <CapAmount
              aria={{
                id: `${id}-${at}`,
                'aria-label': `${name}, ${t('amount')}`,
                'aria-describedby': undefined,
                'aria-invalid': undefined,
              }}
              measure={window.measure}
              amount={window.amount}
              onChange={(amount) => put(at, { amount: amount ?? 0 })}
              onBlur={field.onBlur}
            />
            <IconButton
              label={t('removeWindow', { name })}
              icon={X}
              className="order-1 max-sm:order-none"
              onClick={() => field.onChange(windows.filter((_, index) => index !== at))}
            />
            <Select
              aria={{ 'aria-label': `${name}, ${t('length')}` }}
              value={window.period}
              options={subjectPeriods.map((value) => ({
                value,
                label: t(`token:per.${value}`),
                disabled: isTaken({ period: value }),
              }))}
              onChange={(period) => put(at, { period })}
            />
            <Select
              aria={{ 'aria-label': `${name}, ${t('begins')}` }}
              value={window.reset ?? 'anchored'}
              options={resets.map((value) => ({ value, label: t(`resets.${value}`) }))}
              onChange={(reset) => put(at, { reset })}
            />
          </div>
        );
      })}
      <FieldBelow id={`${id}-below`} error={message(fieldState.error?.message ?? fieldState.error?.root?.message)} />
      {next && windows.length < 8 && (
        <div>
          <Button
            icon={Plus}
            size="sm"
            onClick={() =>
              field.onChange([...windows, { ...next, amount: firstAmounts[next.measure], reset: 'anchored' }])
            }
          >
            {t('addWindow')}
          </Button>
        </div>
      )}
    </div>
  );
}

import { useId } from 'react';
import type { FieldPath, FieldValues } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Field } from './field.tsx';
import { Switch } from './switch.tsx';
import { localMoment, secondsOf } from './local-moment.ts';
import { useFormField, type FormFieldProps } from './use-form-field.ts';

const presetDays = [7, 30, 90] as const;
const firstDays = 30;

const daysAhead = (days: number): number => Math.floor(Date.now() / 1000) + days * 86_400;

/** An expiry: never, after some days, or at a time. Value: Unix seconds; -1 is never, null is incomplete input. */
export function FormExpiry<T extends FieldValues, N extends FieldPath<T>, Out>(
  props: Omit<FormFieldProps<T, N, Out>, 'label'>,
) {
  const { t } = useTranslation('shared');
  const { value, change, blur, ref, shell } = useFormField({ ...props, label: t('expiresAt') });
  const never = value === -1;
  const id = useId();
  return (
    <div className="grid grid-cols-1 gap-2">
      <div className="flex min-h-9 items-center gap-4 max-sm:min-h-11">
        <label htmlFor={id} className="min-w-0 flex-1">
          {t('neverExpires')}
        </label>
        <Switch id={id} checked={never} onChange={(on) => change(on ? -1 : daysAhead(firstDays))} />
      </div>
      {!never && (
        <Field {...shell}>
          {(aria) => (
            <div className="flex flex-wrap items-center gap-2">
              <input
                {...aria}
                ref={ref}
                type="datetime-local"
                className="box min-w-56 flex-1 max-sm:basis-full"
                value={typeof value === 'number' ? localMoment(value) : ''}
                onChange={(event) => change(secondsOf(event.target.value))}
                onBlur={blur}
              />
              {presetDays.map((days) => (
                <Button key={days} className="max-sm:flex-1" onClick={() => change(daysAhead(days))}>
                  {t('days', { count: days })}
                </Button>
              ))}
            </div>
          )}
        </Field>
      )}
    </div>
  );
}

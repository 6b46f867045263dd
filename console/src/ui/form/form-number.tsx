import type { FieldPath, FieldValues } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { Field } from './field.tsx';
import { NumberBox } from './number-box.tsx';
import { creditsOf, dollarsOf, formatDollars } from '#ui/format/money.ts';
import { formatWhole } from '#ui/format/number.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { useFormField, type FormFieldProps } from './use-form-field.ts';

interface NumberProps {
  placeholder?: string | undefined;
  /** No decimals. */
  whole?: boolean | undefined;
  /** After the number: "s", "%". */
  suffix?: string | undefined;
}

/** A number; the form holds a number, or null while the field is empty. */
export function FormNumber<T extends FieldValues, N extends FieldPath<T>, Out>(
  props: FormFieldProps<T, N, Out> & NumberProps,
) {
  const { placeholder, whole, suffix, disabled } = props;
  const { value, change, blur, ref, shell } = useFormField(props);
  return (
    <Field {...shell}>
      {(aria) => (
        <NumberBox
          aria={aria}
          inputRef={ref}
          value={typeof value === 'number' ? value : null}
          onChange={change}
          onBlur={blur}
          {...{ placeholder, whole, disabled }}
          after={suffix}
        />
      )}
    </Field>
  );
}

/**
 * An amount of credits, typed in the site's unit (dollars or credits); the other unit is shown after it.
 * Value: credits.
 */
export function FormMoney<T extends FieldValues, N extends FieldPath<T>, Out>(
  props: FormFieldProps<T, N, Out> & { placeholder?: string | undefined },
) {
  const { t } = useTranslation('shared');
  const format = useSiteFormat();
  const { value, change, blur, ref, shell } = useFormField(props);
  const credits = typeof value === 'number' ? value : null;
  const inDollars = format.inCurrency;
  const shown = credits === null ? null : inDollars ? dollarsOf(credits, format) : credits;
  const equivalent = inDollars
    ? t('creditsEquivalent', { amount: formatWhole(credits ?? 0) })
    : t('dollarsEquivalent', { amount: formatDollars(dollarsOf(credits ?? 0, format)) });
  return (
    <Field {...shell} unit={shell.unit ?? (inDollars ? '$' : undefined)}>
      {(aria) => (
        <NumberBox
          aria={aria}
          inputRef={ref}
          value={shown}
          onChange={(next) => change(next === null ? null : inDollars ? creditsOf(next, format) : Math.round(next))}
          onBlur={blur}
          disabled={props.disabled}
          placeholder={props.placeholder}
          whole={!inDollars}
          before={inDollars ? '$' : undefined}
          after={credits === null ? undefined : equivalent}
          left
        />
      )}
    </Field>
  );
}

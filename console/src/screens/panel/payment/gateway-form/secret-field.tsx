import { useEffect, useRef, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Field } from '#ui/form/field.tsx';
import { FormPassword, FormTextarea } from '#ui/form/form-text.tsx';
import { useFormField, type FormFieldProps } from '#ui/form/use-form-field.ts';
import type { GatewayInput, GatewayValues } from './gateway-values.ts';

interface Props extends FormFieldProps<GatewayInput, `config.${string}`, GatewayValues> {
  isStored: boolean;
  /** A key in several lines. */
  isLong: boolean;
}

/** A write-only key: a stored one is masked and can only be replaced. */
export function SecretField({ isStored, isLong, ...props }: Props) {
  const { t } = useTranslation('paymentGateway');
  const { shell, change } = useFormField(props);
  const [replacing, setReplacing] = useState(false);
  // A stored key is never sent to another address, so the server may ask for it again.
  if (shell.error !== undefined && !replacing) setReplacing(true);
  const keep = () => {
    change('');
    setReplacing(false);
  };
  const aside = isStored && (
    <button type="button" onClick={keep} className="touch rounded-tile text-13 text-accent hover:underline">
      {t('keepKey')}
    </button>
  );
  if (!isStored || replacing) return <Entry {...props} isLong={isLong} aside={aside} isReplacement={isStored} />;
  return (
    <Field label={props.label} hint={props.hint}>
      {(aria) => (
        <div className="relative">
          <input {...aria} readOnly value={t('keySet')} className="box pr-20 font-mono text-13 text-text2" />
          <button
            type="button"
            aria-label={t('replaceNamed', { name: props.label })}
            onClick={() => setReplacing(true)}
            className="touch absolute top-1/2 right-1 h-7 -translate-y-1/2 rounded-tile px-2 text-13 text-accent hover:underline"
          >
            {t('replace')}
          </button>
        </div>
      )}
    </Field>
  );
}

function Entry({ isLong, isReplacement, ...props }: Omit<Props, 'isStored'> & { isReplacement: boolean }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isReplacement) frame.current?.querySelector<HTMLElement>('input, textarea')?.focus();
  }, [isReplacement]);
  return (
    <div ref={frame}>
      {isLong ? <FormTextarea {...props} rows={4} mono /> : <FormPassword {...props} autoComplete="off" />}
    </div>
  );
}

import type { GatewayField, GatewayKind } from '@relay-hub/contract';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { FormSelect } from '#ui/form/form-select.tsx';
import { FormPassword, FormText, FormTextarea } from '#ui/form/form-text.tsx';
import { Field } from '#ui/form/field.tsx';
import { type FormFieldProps, useFormField } from '#ui/form/use-form-field.ts';
import type { GatewayControl, GatewayInput, GatewayValues } from './gateway-values.ts';

export interface ConfigFieldProps {
  type: GatewayKind;
  field: GatewayField;
  /** A secret that is set. */
  isStored: boolean;
  control: GatewayControl;
}

/** One field of a gateway's type. */
export function ConfigField(props: ConfigFieldProps) {
  const { field, control, isStored } = props;
  const { label, hint, choice } = useFieldTexts(props);
  const name = `config.${field.name}` as const;
  const shared = { control, name, label, hint, optional: !field.required && !field.secret };
  const isLong = field.kind === 'longtext';
  if (field.secret)
    return (
      <div className={isLong ? 'col-span-full' : undefined}>
        <SecretField {...shared} isStored={isStored} isLong={isLong} />
      </div>
    );
  if (isLong)
    return (
      <div className="col-span-full">
        <FormTextarea {...shared} rows={4} mono />
      </div>
    );
  if (field.kind === 'choice')
    return (
      <FormSelect
        {...shared}
        optional={false}
        options={field.choices.map((value) => ({ value, label: choice(value) }))}
      />
    );
  return (
    <div className={field.kind === 'address' ? 'col-span-full' : undefined}>
      <FormText
        {...shared}
        optional={!field.required || field.fallback !== ''}
        type={field.kind === 'address' ? 'url' : 'text'}
        placeholder={field.fallback}
        suggestions={field.choices.length > 0 ? field.choices.filter((each) => each !== '') : undefined}
      />
    </div>
  );
}

/** Label, help and options of a field; a field without texts shows its name. */
function useFieldTexts({ type, field: { name } }: Pick<ConfigFieldProps, 'type' | 'field'>) {
  const { t, i18n } = useTranslation('paymentGateway');
  // Fields come from the server, so check that a text exists.
  const textOf = (key: string) => (i18n.exists('paymentGateway', key) ? t(key as 'field.epay.key') : undefined);
  return {
    label: textOf(`field.${type}.${name}`) ?? name,
    hint: textOf(`fieldHint.${type}.${name}`),
    choice: (value: string) => textOf(`choice.${type}.${name}.${value}`) ?? value,
  };
}

interface Props extends FormFieldProps<GatewayInput, `config.${string}`, GatewayValues> {
  isStored: boolean;
  /** A key in several lines. */
  isLong: boolean;
}

/** A write-only key: a stored one is masked and can only be replaced. */
function SecretField({ isStored, isLong, ...props }: Props) {
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

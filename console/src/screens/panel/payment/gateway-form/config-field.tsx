import type { GatewayField, GatewayKind } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { FormSelect } from '#ui/form/form-select.tsx';
import { FormText, FormTextarea } from '#ui/form/form-text.tsx';
import type { GatewayControl } from './gateway-values.ts';
import { SecretField } from './secret-field.tsx';

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

import { keptSecret, type GatewayField, type GatewayType, type PaymentGateway } from '@relay-hub/contract';
import { ExternalLink } from 'lucide-react';
import { useWatch } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { ConfigField } from './config-field.tsx';
import { configOf, isShown, type GatewayControl } from './gateway-values.ts';

interface Props {
  type: GatewayType;
  gateway: PaymentGateway | undefined;
  control: GatewayControl;
}

/** An address of the gateway's servers, which hardly ever differs from the default. */
const isAdvanced = ({ kind, fallback }: GatewayField) => kind === 'address' && fallback !== '';

/** Keys of several lines after the short fields, which share lines. */
const longLast = (fields: readonly GatewayField[]) =>
  fields.toSorted((a, b) => Number(a.kind === 'longtext') - Number(b.kind === 'longtext'));

/** The fields of the gateway's type: merchant account and keys. */
export function AccountSection({ type, gateway, control }: Props) {
  const { t } = useTranslation('paymentGateway');
  const config = useWatch({ control, name: 'config' });
  const kept = gateway ? configOf(gateway) : {};
  const shown = type.fields.filter((field) => isShown(field, config));
  const fieldsOf = (fields: readonly GatewayField[]) => (
    <div className="grid grid-cols-2 items-start gap-4 max-sm:grid-cols-1">
      {fields.map((field) => (
        <ConfigField
          key={field.name}
          type={type.type}
          field={field}
          isStored={kept[field.name] === keptSecret}
          control={control}
        />
      ))}
    </div>
  );
  const advanced = shown.filter(isAdvanced);
  const help = type.website !== '' && (
    <a
      href={type.website}
      target="_blank"
      rel="noreferrer"
      className="touch inline-flex items-center gap-1 rounded-tile text-13 text-accent hover:underline"
    >
      {t('whereKeys')}
      <Icon of={ExternalLink} size={14} />
    </a>
  );
  return (
    <>
      <DrawerSection title={t('account')} text={t('accountText')} aside={help}>
        {fieldsOf(longLast(shown.filter((field) => !isAdvanced(field))))}
      </DrawerSection>
      {advanced.length > 0 && (
        <DrawerSection title={t('advanced')} text={t('advancedText')} folded>
          {fieldsOf(advanced)}
        </DrawerSection>
      )}
    </>
  );
}

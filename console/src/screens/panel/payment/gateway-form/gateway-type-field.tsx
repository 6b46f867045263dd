import type { GatewayType } from '@relay-hub/contract';
import { useWatch } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { GatewayTile } from '#domain/payment/gateway-tile.tsx';
import { Field } from '#ui/form/field.tsx';
import { Select } from '#ui/form/select.tsx';
import type { GatewayControl } from './gateway-values.ts';

interface Props {
  types: readonly GatewayType[];
  control: GatewayControl;
  /** The type of a stored gateway cannot change. */
  fixed: boolean;
  onChoose: (type: string) => void;
}

export function GatewayTypeField({ types, control, fixed, onChoose }: Props) {
  const { t } = useTranslation(['paymentGateway', 'payment']);
  const value = useWatch({ control, name: 'type' });
  return (
    <Field label={t('payment:type')} hint={t(fixed ? 'typeFixed' : 'typeHint')}>
      {(aria) => (
        <Select
          aria={aria}
          value={value}
          disabled={fixed}
          onChange={onChoose}
          options={types.map(({ type }) => ({
            value: type,
            label: t(`payment:types.${type}`),
            tile: <GatewayTile name={t(`payment:types.${type}`)} type={type} icon="" size={20} />,
          }))}
        />
      )}
    </Field>
  );
}

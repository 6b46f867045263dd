import type { PublicGateway } from '@relay-hub/contract';
import { useId } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { GatewayTile } from '#domain/payment/gateway-tile.tsx';
import { currencySymbols } from '#domain/payment/minor-money.ts';
import { Radio } from '#ui/form/checkbox.tsx';
import { FieldBelow } from '#ui/form/field.tsx';
import { choiceTile } from './choice-tile.ts';
import { useFeeText } from './use-fee-text.ts';

interface Props {
  gateways: readonly PublicGateway[];
  chosen: PublicGateway | undefined;
  error: string | undefined;
  onChange: (uuid: string) => void;
}

/** The payment methods, with currency and fee. */
export function GatewayPicker({ gateways, chosen, error, onChange }: Props) {
  const { t } = useTranslation('topup');
  const fee = useFeeText();
  const id = useId();
  return (
    <>
      <h2 id={id} className="text-13 font-title">
        {t('pay.payWith')}
      </h2>
      <div
        role="radiogroup"
        aria-labelledby={id}
        aria-describedby={error && `${id}-error`}
        className="mt-2 grid gap-2 sm:grid-cols-[repeat(auto-fill,minmax(200px,1fr))]"
      >
        {gateways.map((gateway) => (
          <label
            key={gateway.uuid}
            htmlFor={`${id}-${gateway.uuid}`}
            className={choiceTile(gateway === chosen, 'items-center gap-3 px-3 py-2 max-sm:min-h-15')}
          >
            <GatewayTile {...gateway} />
            <span className="min-w-0 flex-1">
              <span className="block truncate">{gateway.name}</span>
              <span className="block truncate text-12 text-text2">
                {currencySymbols[gateway.currency]} · {fee(gateway) ?? t('pay.noFee')}
              </span>
            </span>
            <Radio
              id={`${id}-${gateway.uuid}`}
              name={id}
              value={gateway.uuid}
              checked={gateway === chosen}
              onChange={() => onChange(gateway.uuid)}
              className="outline-none"
            />
          </label>
        ))}
      </div>
      <FieldBelow id={`${id}-error`} error={error} />
    </>
  );
}

import type { Price } from '@relay-hub/contract';
import { Combine, Download, Percent, Tag, Trash2 } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { BulkAction } from '#ui/table/bulk-bar.tsx';
import { exportPrices } from '#screens/panel/pricing/export-prices.ts';
import type { PriceActions } from '#screens/panel/pricing/use-price-actions.ts';

/** An action on several prices that needs confirmation or input. */
export interface PriceBulkAct {
  act: 'multiply' | 'owner' | 'merge';
  prices: readonly Price[];
  /** Called after success. */
  onDone: () => void;
}

interface Props {
  prices: readonly Price[];
  onClear: () => void;
  actions: PriceActions;
  onBulk: (act: PriceBulkAct) => void;
}

export function PriceBulk({ prices, onClear, actions, onBulk }: Props) {
  const { t } = useTranslation('pricing');
  const ask = (act: PriceBulkAct['act']) => onBulk({ act, prices, onDone: onClear });
  return (
    <>
      <BulkAction icon={Percent} onClick={() => ask('multiply')}>
        {t('multiply')}
      </BulkAction>
      <BulkAction icon={Tag} onClick={() => ask('owner')}>
        {t('setOwner')}
      </BulkAction>
      {prices.length > 1 && (
        <BulkAction icon={Combine} onClick={() => ask('merge')}>
          {t('merge')}
        </BulkAction>
      )}
      <BulkAction icon={Download} saves={false} onClick={() => exportPrices(prices)}>
        {t('export')}
      </BulkAction>
      <BulkAction
        icon={Trash2}
        danger
        onClick={() => {
          actions.remove(prices);
          onClear();
        }}
      >
        {t('removeMany', { count: prices.length })}
      </BulkAction>
    </>
  );
}

import { modelPrice, type PriceUnit } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import type { PricedModel } from './price-list-rows.ts';

interface Props {
  chain: NonNullable<PricedModel['chain']>;
  groupRatio: number;
  unit: PriceUnit;
}

/** The models that a virtual model can be served by, each with its price. */
export function ChainLine({ chain, groupRatio, unit }: Props) {
  const { t } = useTranslation('price');
  const free = t('free');
  const models = chain.map(({ model, price }) => {
    const shown = modelPrice(price, groupRatio, unit);
    const text = shown.type === 'times' ? (shown.call ?? free) : `${shown.input ?? free} / ${shown.output ?? free}`;
    return `${model} (${text})`;
  });
  return <span className="break-words">{t('chain', { models: models.join(' → ') })}</span>;
}

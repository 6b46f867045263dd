import type { modelPrice } from '@relay-hub/contract';
import { Fragment } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';

type TokenPrice = Extract<ReturnType<typeof modelPrice>, { type: 'tokens' }>;

/** Prices other than input and output; lines break between two prices, never within one. */
export function OtherPrices({ others }: Pick<TokenPrice, 'others'>) {
  const { t } = useTranslation(['price', 'priceRule']);
  return others.map(({ kind, text }) => (
    <Fragment key={kind}>
      <span className="mr-2 whitespace-nowrap">
        {t(`priceRule:kinds.${kind}`)} <span className="text-text">{text ?? t('free')}</span>
      </span>{' '}
    </Fragment>
  ));
}

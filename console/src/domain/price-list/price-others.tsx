import type { modelPrice } from '@relay-hub/contract';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';

type TokenPrice = Extract<ReturnType<typeof modelPrice>, { type: 'tokens' }>;

/** Prices of what is rarer than input and output; a line ends between two of them, never within one. */
export function PriceOthers({ others }: Pick<TokenPrice, 'others'>) {
  const { t } = useTranslation('price');
  return others.map(({ kind, text }) => (
    <Fragment key={kind}>
      <span className="mr-2 whitespace-nowrap">
        {t(`kinds.${kind}`)} <span className="text-text">{text ?? t('free')}</span>
      </span>{' '}
    </Fragment>
  ));
}

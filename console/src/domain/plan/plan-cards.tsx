import type { PlanOffer } from '@relay-hub/contract';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Card } from '#ui/basic/card.tsx';
import { cx } from '#ui/basic/cx.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { planPriceText, PlanTermsList, planText } from './plan-terms.tsx';

interface Props {
  offers: readonly PlanOffer[];
  /** At the bottom of each card. */
  action: (offer: PlanOffer) => ReactNode;
}

/** Plans as cards: name, price and terms. */
export const PlanCards = ({ offers, action }: Props) => (
  <ul
    className={cx(
      'grid gap-4 max-sm:gap-2',
      // One or two do not fill a wide page.
      offers.length > 2
        ? 'grid-cols-[repeat(auto-fit,minmax(min(100%,264px),1fr))]'
        : 'grid-cols-[repeat(auto-fill,minmax(min(100%,264px),1fr))]',
    )}
  >
    {offers.map((offer) => (
      <li key={offer.id} className="grid">
        <PlanCard offer={offer}>{action(offer)}</PlanCard>
      </li>
    ))}
  </ul>
);

function PlanCard({ offer, children }: { offer: PlanOffer; children: ReactNode }) {
  const { t } = useTranslation('plan');
  const { price, per } = planPriceText(offer.terms, t, useSiteFormat());
  const text = planText(offer.descriptions);
  return (
    <Card className="flex min-w-0 flex-col px-5 py-4 max-sm:px-4">
      <h3 className="text-16 break-words">{planText(offer.names)}</h3>
      {text !== '' && <p className="mt-0.5 text-13 break-words whitespace-pre-line text-text2">{text}</p>}
      <p className="mt-2 mb-3 tabular-nums">
        <span className="text-24 font-medium">{price}</span> <span className="text-13 text-text2">{per}</span>
      </p>
      <PlanTermsList terms={offer.terms} />
      <div className="mt-auto flex min-h-12 flex-wrap items-center justify-end gap-x-3 gap-y-1 pt-3">
        {offer.left !== null && (
          <span className="mr-auto text-12 text-text2 tabular-nums">
            {offer.left === 0 ? t('soldOut') : t('left', { count: offer.left })}
          </span>
        )}
        {children}
      </div>
    </Card>
  );
}

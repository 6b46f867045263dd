import type { PlanOffer, PublicGateway } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { offersQuery } from '#domain/plan/plan-api.ts';
import { PlanCards } from '#domain/plan/plan-cards.tsx';
import { planText } from '#domain/plan/plan-terms.tsx';
import { myPlansQuery } from '#screens/panel/topup/topup-api.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card } from '#ui/basic/card.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { BuyDialog } from './buy-dialog.tsx';
import { SubscriptionCard } from './subscription-card.tsx';

/** The own plans with their use; nothing without any. */
export function MyPlans() {
  const { t } = useTranslation('plan');
  const { data: mine, error, isFetching, refetch } = useQuery(myPlansQuery);
  const id = useId();
  if (error && !mine)
    return (
      <Card className="mb-4 max-sm:mb-2">
        <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
      </Card>
    );
  if (!mine?.length) return null;
  return (
    <section aria-labelledby={id} className="mb-6 max-sm:mb-4">
      <h2 id={id} className="mb-2 text-16">
        {t('mine')}
      </h2>
      <div className="grid gap-4 max-sm:gap-2">
        {mine.map((subscription) => (
          <SubscriptionCard key={subscription.id} of={subscription} />
        ))}
      </div>
    </section>
  );
}

interface OffersProps {
  gateways: readonly PublicGateway[];
  /** Gets the number of a started order. */
  onStarted: (tradeNo: string) => void;
}

/** The plans on sale, each with a button that buys it. */
export function PlanOffers({ gateways, onStarted }: OffersProps) {
  const { t } = useTranslation('plan');
  const { data: offers = [], error, isFetching, refetch } = useQuery(offersQuery);
  const mine = useQuery(myPlansQuery).data;
  const [chosen, setChosen] = useState<PlanOffer>();
  const id = useId();
  if (error && offers.length === 0)
    return (
      <Card className="mb-4 max-sm:mb-2">
        <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
      </Card>
    );
  if (offers.length === 0) return null;
  return (
    <section aria-labelledby={id} className="mb-6 max-sm:mt-4 max-sm:mb-4">
      <div className="mb-2">
        <h2 id={id} className="text-16">
          {t('title')}
        </h2>
        <p className="text-13 text-text2">{t(mine?.length === 0 ? 'none' : 'text')}</p>
      </div>
      <PlanCards
        offers={offers}
        action={(offer) => (
          <Button
            aria-label={t('buyOf', { name: planText(offer.names) })}
            disabled={offer.left === 0}
            className="max-sm:w-full"
            onClick={() => setChosen(offer)}
          >
            {t('buy')}
          </Button>
        )}
      />
      {chosen && (
        <BuyDialog offer={chosen} gateways={gateways} onStarted={onStarted} onClose={() => setChosen(undefined)} />
      )}
    </section>
  );
}

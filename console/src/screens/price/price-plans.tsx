import type { PlanOffer } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { PlanCards } from '#domain/plan/plan-cards.tsx';
import { planText } from '#domain/plan/plan-terms.tsx';
import { Button } from '#ui/basic/button.tsx';

/** The plans on sale, for visitors and users. */
export function PricePlans({ offers }: { offers: readonly PlanOffer[] }) {
  const { t } = useTranslation('plan');
  const { user } = useSession();
  const id = useId();
  return (
    <section aria-labelledby={id} className="mb-8 max-sm:mb-5">
      <h2 id={id} className="text-18">
        {t('title')}
      </h2>
      <p className="mb-3 text-13 text-text2">{t('text')}</p>
      <PlanCards
        offers={offers}
        action={({ names }) => (
          <Button
            aria-label={t(user ? 'buyOf' : 'signInOf', { name: planText(names) })}
            className="max-sm:w-full"
            render={user ? <Link to="/panel/topup" /> : <Link to="/login" search={{ redirect: '/panel/topup' }} />}
          >
            {t(user ? 'buy' : 'signIn')}
          </Button>
        )}
      />
    </section>
  );
}

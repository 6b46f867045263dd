import { planApi, type PlanOffer, type Subscription } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { useSelf } from '#api/self.ts';
import { PlanCards } from '#domain/plan/plan-cards.tsx';
import { planAmount, planText } from '#domain/plan/plan-terms.tsx';
import { afterPlans } from '#screens/panel/topup/topup-api.ts';
import { Button } from '#ui/basic/button.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { formatDate } from '#ui/format/time.ts';
import { Dialog } from '#ui/overlay/dialog.tsx';

interface Props {
  of: Subscription;
  offers: readonly PlanOffer[];
  onClose: () => void;
}

/** The other plans, each with the price and begin of a change to it. */
export function ChangeDialog({ of, offers, onClose }: Props) {
  const { t } = useTranslation('plan');
  const format = useSiteFormat();
  const client = useQueryClient();
  const { data: self } = useSelf();
  const change = useMutation({
    mutationFn: async ({ version_id }: PlanOffer) => {
      const params = { id: of.id };
      const changed = await call(planApi.change, { params, body: { version_id } });
      // Without a renewal there is no next period.
      if (changed.next_version_id === null || changed.renew) return changed;
      return call(planApi.set, { params, body: { renew: true } });
    },
    onSuccess: ({ next_version_id: next, ends }, { names }) => {
      const name = planText(names);
      toast.success(next === null ? t('changed', { name }) : t('planned', { name, date: formatDate(ends) }));
    },
    onSettled: () => refresh(client, planApi.offers, ...afterPlans),
    // The dialog shows it.
    meta: { quiet: true },
  });
  return (
    <Dialog
      title={t('changeOf', { name: planText(of.names) })}
      text={t('changeText')}
      width={offers.length > 2 ? 900 : offers.length > 1 ? 600 : 440}
      onClose={onClose}
    >
      {(close) => (
        <div className="grid gap-4">
          {change.error && (
            <Note tone="bad" live>
              {change.error.message}
            </Note>
          )}
          <PlanCards
            offers={offers}
            action={(offer) => {
              const { price } = offer.terms;
              const isNow = price > of.terms.price;
              const missing = isNow && self ? price - self.quota : 0;
              const shown = planAmount(price, t, format);
              return (
                <>
                  <p className="mr-auto text-12 text-text2">
                    {missing > 0
                      ? t('lacks', { amount: planAmount(missing, t, format) })
                      : isNow
                        ? t('changeNow', { price: shown })
                        : t('changeLater', { price: shown, date: formatDate(of.ends) })}
                  </p>
                  <Button
                    aria-label={t('changeTo', { name: planText(offer.names) })}
                    disabled={missing > 0}
                    busy={change.isPending && change.variables.id === offer.id}
                    saves
                    onClick={() => !change.isPending && change.mutate(offer, { onSuccess: close })}
                  >
                    {t('change')}
                  </Button>
                </>
              );
            }}
          />
        </div>
      )}
    </Dialog>
  );
}

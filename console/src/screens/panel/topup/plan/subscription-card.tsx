import { type LimitUse, planApi, type Subscription } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { offersQuery } from '#domain/plan/plan-api.ts';
import { planAmount, planText } from '#domain/plan/plan-terms.tsx';
import { CapUseBar } from '#domain/token/cap-use-bar.tsx';
import { afterPlans } from '#screens/panel/topup/topup-api.ts';
import { Badge } from '#ui/basic/badge.tsx';
import { Button } from '#ui/basic/button.tsx';
import { Card } from '#ui/basic/card.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { Switch } from '#ui/form/switch.tsx';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { formatDate } from '#ui/format/time.ts';
import { Time } from '#ui/format/time.tsx';
import { useNow } from '#ui/format/use-now.ts';
import { ChangeDialog } from './change-dialog.tsx';

interface Wishes {
  renew?: boolean;
  beyond?: boolean;
}

/** An own plan: its use, its end, and its switches. */
export function SubscriptionCard({ of }: { of: Subscription }) {
  const { t } = useTranslation(['plan', 'shared']);
  const format = useSiteFormat();
  const client = useQueryClient();
  const [changing, setChanging] = useState(false);
  const [wishes, setWishes] = useState<Wishes>({});
  const offers = useQuery(offersQuery).data ?? [];
  const hasBegun = useNow(30) >= of.starts;
  const heading = useId();
  const { id, terms, rolled_over: rolled } = of;
  const name = planText(of.names);
  const isGiven = of.source === 'gift' || of.source === 'code';
  // A gift has no next period, in which a plan that costs no more could begin.
  const others = offers.filter(
    ({ version_id: version, terms: { price } }) =>
      version !== of.version_id && version !== of.next_version_id && (!isGiven || price > terms.price),
  );
  const next = offers.find(({ version_id: version }) => version === of.next_version_id);
  const done = () => refresh(client, ...afterPlans);
  const set = useMutation({
    mutationFn: (body: Wishes) => call(planApi.set, { params: { id }, body }),
    onSettled: async () => {
      await done();
      setWishes({});
    },
  });
  /** Shown at once: a switch that waits for the mutation would jump back first. */
  const wish = (body: Wishes, onSuccess?: () => void) => {
    setWishes(body);
    set.mutate(body, { onSuccess: () => onSuccess?.() });
  };
  const renewing = (renew: boolean) =>
    wish({ renew }, () => toast.undo(t(renew ? 'resumed' : 'cancelled', { name }), () => wish({ renew: !renew })));
  const takeBack = useMutation({
    mutationFn: () => call(planApi.change, { params: { id }, body: { version_id: of.version_id } }),
    onSettled: done,
  });
  const shown = { ...of, ...wishes };
  const renewal = planAmount(next?.terms.price ?? terms.price, t, format);
  return (
    <Card aria-labelledby={heading} className="min-w-0 px-5 py-4 max-sm:px-4">
      <div className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
        <h3 id={heading} className="min-w-0 text-14 break-words">
          {name}
        </h3>
        {of.status === 'paused' && <Badge>{t('paused')}</Badge>}
        {isGiven && <Badge>{t('given')}</Badge>}
        {!hasBegun && <Badge>{t('waits')}</Badge>}
        <span className="ml-auto text-13 text-text2">
          {!hasBegun ? (
            <>
              {t('from')} <Time at={of.starts} as="date" />
            </>
          ) : (
            <>
              {t(of.usable_until > of.ends ? 'grown' : 'until')} <Time at={of.usable_until} as="date" />
            </>
          )}
        </span>
      </div>
      {hasBegun && (
        <ul className="mt-3 grid grid-cols-[repeat(auto-fill,minmax(min(100%,248px),1fr))] gap-x-6 gap-y-3 text-13">
          {of.use.map((use) => (
            <li key={`${use.measure}:${use.period}`} className="min-w-0">
              <WindowUse use={use} />
            </li>
          ))}
        </ul>
      )}
      {rolled > 0 && (
        <p className="mt-2 text-12 text-text2">{t('rolledOver', { amount: planAmount(rolled, t, format) })}</p>
      )}
      <div className="mt-3 flex flex-wrap items-center gap-x-6 gap-y-3 border-t border-line pt-3 text-13">
        {isGiven ? (
          <span className="text-text2">{t('noRenew')}</span>
        ) : (
          <SwitchLabel
            label={t('renew')}
            note={shown.renew ? t('renews', { price: renewal }) : t('noRenew')}
            checked={shown.renew}
            onChange={renewing}
          />
        )}
        {terms.beyond === 'choice' && (
          <SwitchLabel label={t('beyondSwitch')} checked={shown.beyond} onChange={(beyond) => wish({ beyond })} />
        )}
        {of.status === 'active' && hasBegun && others.length > 0 && (
          <Button className="ml-auto max-sm:w-full" saves onClick={() => setChanging(true)}>
            {t('change')}
          </Button>
        )}
      </div>
      {of.next_version_id !== null && (
        <p className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-1 text-13">
          {t('planned', {
            name: !next ? t('other') : next.id === of.plan_id ? t('newTerms') : planText(next.names),
            date: formatDate(of.ends),
          })}
          <Button size="sm" saves busy={takeBack.isPending} onClick={() => takeBack.mutate()}>
            {t('takeBack')}
          </Button>
        </p>
      )}
      {changing && <ChangeDialog of={of} offers={others} onClose={() => setChanging(false)} />}
    </Card>
  );
}

/** A limit of a plan with its use; the period of a plan without a limit has no bar. */
function WindowUse({ use }: { use: LimitUse }) {
  const { t } = useTranslation('plan');
  const format = useSiteFormat();
  const { amount, left } = use;
  if (amount !== null && left !== null) return <CapUseBar use={{ ...use, amount, left }} />;
  return <span className="tabular-nums">{t('useUnlimited', { amount: planAmount(use.used, t, format) })}</span>;
}

interface SwitchProps {
  label: string;
  note?: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

const SwitchLabel = ({ label, note, checked, onChange }: SwitchProps) => (
  <label className="flex min-w-0 cursor-pointer items-center gap-2.5">
    <Switch label={label} saves checked={checked} onChange={onChange} />
    <span className="min-w-0">
      {label}
      {note && <span className="ml-2 text-12 text-text2">{note}</span>}
    </span>
  </label>
);

import { type PlanOffer, planApi, type PublicGateway } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { useSelf } from '#api/self.ts';
import { useSite } from '#api/site.ts';
import { planAmount, planPriceText, planText } from '#domain/plan/plan-terms.tsx';
import { newReference } from '#domain/quota/quota-api.ts';
import { usePay } from '#screens/panel/topup/pay/use-pay.ts';
import { afterPlans, myPlansQuery } from '#screens/panel/topup/topup-api.ts';
import { Button } from '#ui/basic/button.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { Field } from '#ui/form/field.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { Select } from '#ui/form/select.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { Money } from '#ui/format/money.tsx';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { Dialog } from '#ui/overlay/dialog.tsx';

interface Props {
  offer: PlanOffer;
  gateways: readonly PublicGateway[];
  onStarted: (tradeNo: string) => void;
  onClose: () => void;
}

/** Buys a plan from the balance, or with a top-up where the balance does not cover it. */
export function BuyDialog({ offer, gateways, onStarted, onClose }: Props) {
  const { t } = useTranslation('plan');
  const client = useQueryClient();
  const format = useSiteFormat();
  const { data: self } = useSelf();
  const { terms, version_id } = offer;
  const name = planText(offer.names);
  const owns = useQuery(myPlansQuery).data?.some(({ plan_id: id }) => id === offer.id) === true;
  const [request_key] = useState(newReference);
  const [start, setStart] = useState<'now' | 'after'>(owns ? 'after' : 'now');
  const [renew, setRenew] = useState(terms.price > 0);
  const [beyond, setBeyond] = useState(true);
  const buy = useMutation({
    mutationFn: () => call(planApi.buy, { body: { version_id, request_key, start, renew, beyond } }),
    onSuccess: () => toast.success(t('bought', { name })),
    onSettled: () => refresh(client, planApi.offers, ...afterPlans),
    // The dialog shows it.
    meta: { quiet: true },
  });
  const balance = self?.quota ?? 0;
  const missing = self ? terms.price - balance : 0;
  const price = planAmount(terms.price, t, format);
  return (
    <Dialog
      title={t('buyOf', { name })}
      text={Object.values(planPriceText(terms, t, format)).join(' ')}
      width={440}
      onClose={onClose}
      footer={(close) =>
        missing > 0 ? (
          <LackingFooter
            missing={missing}
            version={version_id}
            gateways={gateways}
            onStarted={onStarted}
            close={close}
          />
        ) : (
          <Button
            variant="primary"
            busy={buy.isPending}
            onClick={() => buy.mutate(undefined, { onSuccess: close })}
            className="max-sm:w-full"
          >
            {terms.price === 0 ? t('start') : t('pay', { price })}
          </Button>
        )
      }
    >
      <div className="grid gap-4">
        <dl className="grid grid-cols-[1fr_auto] gap-y-1.5 tabular-nums">
          <dt className="text-text2">{t('balance')}</dt>
          <dd>{self && <Money credits={balance} />}</dd>
          <dt className="text-text2">{t('price')}</dt>
          <dd className="text-right">{price}</dd>
          {missing <= 0 && terms.price > 0 && (
            <>
              <dt className="text-text2">{t('after')}</dt>
              <dd className="text-right font-title">
                <Money credits={balance - terms.price} />
              </dd>
            </>
          )}
        </dl>
        {missing > 0 ? (
          <Note tone="warn">{t('lacks', { amount: planAmount(missing, t, format) })}</Note>
        ) : (
          <>
            {owns && (
              <div className="grid gap-1.5">
                {t('begin')}
                <Segmented
                  label={t('begin')}
                  value={start}
                  options={[
                    { value: 'after', label: t('afterLast') },
                    { value: 'now', label: t('now') },
                  ]}
                  onChange={setStart}
                />
              </div>
            )}
            <SwitchLine label={t('renew')} hint={t('renewHint', { price })} checked={renew} onChange={setRenew} />
            {terms.beyond === 'choice' && (
              <SwitchLine label={t('beyondSwitch')} hint={t('beyondHint')} checked={beyond} onChange={setBeyond} />
            )}
          </>
        )}
        {buy.error && (
          <Note tone="bad" live>
            {buy.error.message}
          </Note>
        )}
      </div>
    </Dialog>
  );
}

interface LackingProps {
  missing: number;
  version: number;
  gateways: readonly PublicGateway[];
  onStarted: (tradeNo: string) => void;
  close: () => void;
}

/** Pays the missing credits through a gateway; the plan is bought when they arrive. */
function LackingFooter({ missing, version, gateways, onStarted, close }: LackingProps): ReactNode {
  const { t } = useTranslation('plan');
  const { quotaPerUnit } = useSiteFormat();
  const site = useSite();
  const [uuid, setUuid] = useState('');
  const gateway = gateways.find((each) => each.uuid === uuid) ?? gateways[0];
  const { pay, busy, problem } = usePay((tradeNo) => {
    close();
    onStarted(tradeNo);
  });
  if (!gateway)
    return (
      <Button variant="primary" onClick={close}>
        {t('topUpFirst')}
      </Button>
    );
  const amount = Math.max(site?.PaymentMinAmount ?? 1, Math.ceil(missing / quotaPerUnit));
  const dollars = `$${formatWhole(amount)}`;
  return (
    <div className="grid w-full gap-3">
      <p className="text-13 text-text2">{t('payGatewayText', { amount: dollars })}</p>
      {gateways.length > 1 && (
        <Field label={t('payWith')}>
          {(aria) => (
            <Select
              aria={aria}
              value={gateway.uuid}
              options={gateways.map((each) => ({ value: each.uuid, label: each.name }))}
              onChange={setUuid}
            />
          )}
        </Field>
      )}
      {problem && (
        <Note tone="bad" live>
          {problem.text}
        </Note>
      )}
      <Button variant="primary" busy={busy} onClick={() => void pay(gateway, amount, version)}>
        {t('payGateway', { amount: dollars, gateway: gateway.name })}
      </Button>
    </div>
  );
}

interface SwitchProps {
  label: string;
  hint: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

function SwitchLine({ label, hint, checked, onChange }: SwitchProps) {
  const id = useId();
  return (
    <div className="flex items-start gap-3">
      <label htmlFor={id} className="min-w-0 flex-1 cursor-pointer">
        {label}
        <span id={`${id}-hint`} className="block text-12 text-text2">
          {hint}
        </span>
      </label>
      <Switch id={id} label={label} aria-describedby={`${id}-hint`} checked={checked} onChange={onChange} />
    </div>
  );
}

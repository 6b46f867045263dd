import { isOrderable, LARGEST_TOPUP, type PublicGateway, type SiteInfo } from '@relay-hub/contract';
import { useRef, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Card } from '#ui/basic/card.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { AmountPicker } from './amount-picker.tsx';
import { GatewayPicker } from './gateway-picker.tsx';
import { PayCard } from './pay-card.tsx';
import { usePay } from './use-pay.ts';
import { usePaymentForm } from './use-payment-form.ts';

interface Props {
  site: SiteInfo;
  /** At least one. */
  gateways: readonly PublicGateway[];
  /** Gets the number of the created order. */
  onStarted: (tradeNo: string) => void;
}

/** Two cards of a grid: the choice of amount and payment method, and the price with the pay button. */
export function PaymentForm({ site, gateways, onStarted }: Props) {
  const { t } = useTranslation('topup');
  const form = usePaymentForm(site, gateways);
  const { pay, busy, problem, setProblem } = usePay(onStarted);
  const [touched, setTouched] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const { amount, gateway, least } = form;
  const wrong =
    touched && (amount === null || !isOrderable(amount, least))
      ? t('pay.amountWrong', { least: `$${formatWhole(least)}`, most: `$${formatWhole(LARGEST_TOPUP)}` })
      : undefined;
  const refused = (place: 'amount' | 'gateway') => (problem?.place === place ? problem.text : undefined);

  const submit = () => {
    if (busy || !gateway) return;
    setTouched(true);
    if (!form.amounts || amount === null) return input.current?.focus();
    void pay(gateway, amount);
  };
  return (
    <>
      <Card aria-label={t('pay.title')} className="min-w-0 px-6 py-5 max-sm:px-4 max-sm:py-3.5">
        <AmountPicker
          {...form}
          inputRef={input}
          error={refused('amount') ?? wrong}
          onChange={(next) => {
            form.setAmount(next);
            setProblem(undefined);
          }}
          onBlur={() => setTouched(true)}
          onEnter={submit}
        />
        <div className="mt-5">
          <GatewayPicker
            gateways={gateways}
            chosen={gateway}
            error={refused('gateway')}
            onChange={(uuid) => {
              form.setUuid(uuid);
              setProblem(undefined);
            }}
          />
        </div>
      </Card>
      <PayCard form={form} busy={busy} problem={problem?.place === 'order' ? problem : undefined} onPay={submit} />
    </>
  );
}

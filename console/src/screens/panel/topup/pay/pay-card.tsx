import { useTranslation } from '#i18n/use-translation.ts';
import { preloadOn } from '#list/preload-on.ts';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { loadOrderDialog } from '#screens/panel/topup/order/load-order-dialog.ts';
import { BalanceFigure } from '#screens/panel/topup/balance-figure.tsx';
import { Button } from '#ui/basic/button.tsx';
import { Card } from '#ui/basic/card.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { Note } from '#ui/feedback/note.tsx';
import { PriceSummary } from './price-summary.tsx';
import type { PaymentFormState } from './use-payment-form.ts';
import type { PayProblem } from './use-pay.ts';

interface Props {
  form: PaymentFormState;
  busy: boolean;
  problem: PayProblem | undefined;
  onPay: () => void;
}

/** Balance, price and the pay button; at the bottom of the screen on phones. */
export function PayCard({ form, busy, problem, onPay }: Props) {
  const { t } = useTranslation('topup');
  const phone = useIsPhone();
  const { amounts, gateway } = form;
  const sum = amounts && formatMinor(amounts.order_minor, amounts.currency);
  return (
    <Card
      aria-label={t('pay.summary')}
      className="flex min-w-0 flex-col px-6 py-5 max-sm:sticky max-sm:bottom-0 max-sm:z-10 max-sm:-mx-4 max-sm:rounded-none max-sm:border-x-0 max-sm:border-b-0 max-sm:px-4 max-sm:pt-3 max-sm:pb-[max(12px,env(safe-area-inset-bottom))] lg:col-start-2 lg:row-span-2 lg:row-start-1"
    >
      {!phone && (
        <div className="-mx-6 mb-4 border-b border-line px-6 pb-4">
          <BalanceFigure />
        </div>
      )}
      <PriceSummary form={form} />
      {!phone && (
        <div className="mt-auto pt-3.5">
          <div className="flex items-baseline justify-between gap-4 border-t border-line pt-3.5">
            <span className="font-title">{t('pay.youPay')}</span>
            <output className="text-26 font-medium tracking-[-0.01em] tabular-nums">{sum ?? '—'}</output>
          </div>
        </div>
      )}
      {problem && (
        <div className="mt-3">
          <Note tone="bad" live>
            <span className="flex flex-wrap items-center justify-between gap-2">
              {problem.text}
              {problem.retry && (
                <Button size="sm" busy={busy} saves onClick={onPay}>
                  {t('shared:retry')}
                </Button>
              )}
            </span>
          </Note>
        </div>
      )}
      <Button
        variant="primary"
        size="lg"
        busy={busy}
        onClick={onPay}
        {...preloadOn(loadOrderDialog)}
        className="mt-3 w-full min-w-0 max-sm:mt-2.5"
      >
        <span className="truncate">
          {sum ? t('pay.pay', { amount: sum, gateway: gateway?.name }) : t('pay.payAny', { gateway: gateway?.name })}
        </span>
      </Button>
    </Card>
  );
}

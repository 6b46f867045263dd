import { discountFactor, discountPercent } from '@relay-hub/contract';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { cx } from '#ui/basic/cx.ts';
import { creditsOf, formatMoney } from '#ui/format/money.ts';
import { formatPlain, minus } from '#ui/format/number.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { reductionOf } from './amount-picker.tsx';
import { useFeeText } from './use-fee-text.ts';
import type { PaymentFormState } from './use-payment-form.ts';

const none = '—';

/**
 * How the sum to pay is computed. A row is always shown if any choice can fill it, so that the button below stays in
 * place.
 */
export function PriceSummary({ form }: { form: PaymentFormState }) {
  const phone = useIsPhone();
  return phone ? <ShortSummary form={form} /> : <FullSummary form={form} />;
}

function FullSummary({ form }: { form: PaymentFormState }) {
  const { t } = useTranslation('topup');
  const format = useSiteFormat();
  const { amounts, amount, gateway } = form;
  const reduction = useReduction(form);
  const hasDiscounts = Object.values(form.discounts).some((factor) => factor < 1);
  const hasFees = form.gateways.some(({ fixed_fee: fixed, percent_fee: share }) => fixed > 0 || share > 0);
  const usd = (minor: number | undefined) => (minor === undefined ? none : formatMinor(minor, 'USD'));
  const credits = amounts && amount !== null ? formatMoney(creditsOf(amount, format), format) : none;
  return (
    <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-2 text-text2 tabular-nums">
      <Row name={t('pay.get')} strong>
        {credits}
      </Row>
      <Row name={t('pay.price')}>{usd(amounts?.price_minor)}</Row>
      {hasDiscounts && (
        <Row
          name={
            <>
              {t('pay.discount')} {reduction && <span className="text-ok">{t('pay.discountRate', reduction)}</span>}
            </>
          }
          good={reduction !== undefined}
        >
          {amounts && reduction ? `${minus}${usd(amounts.discount_minor)}` : none}
        </Row>
      )}
      {hasFees && <FeeRow form={form} />}
      {(hasDiscounts || hasFees) && <Row name={t('pay.subtotal')}>{usd(amounts?.total_minor)}</Row>}
      {form.gateways.some(({ currency }) => currency !== 'USD') && (
        <Row name={t('pay.rate')} quiet>
          {gateway && gateway.currency !== 'USD' ? `× ${formatPlain(form.rate)}` : none}
        </Row>
      )}
    </dl>
  );
}

/** Three lines, because the button stays at the bottom of a small screen. */
function ShortSummary({ form }: { form: PaymentFormState }) {
  const { t } = useTranslation('topup');
  const format = useSiteFormat();
  const { amounts, amount, gateway } = form;
  const reduction = useReduction(form);
  if (!amounts || amount === null) return null;
  const credits = formatMoney(creditsOf(amount, format), format);
  return (
    <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 text-13 text-text2 tabular-nums">
      <Row
        name={reduction ? t('pay.creditOff', { amount: credits, ...reduction }) : t('pay.credit', { amount: credits })}
      >
        {formatMinor(amounts.price_minor - amounts.discount_minor, 'USD')}
      </Row>
      {amounts.fee_minor > 0 && <FeeRow form={form} />}
      {gateway && gateway.currency !== 'USD' && (
        <Row name={t('pay.rate')} quiet>
          × {formatPlain(form.rate)}
        </Row>
      )}
    </dl>
  );
}

function FeeRow({ form: { gateway, amounts } }: { form: PaymentFormState }) {
  const { t } = useTranslation('topup');
  const fee = useFeeText();
  const rate = gateway?.percent_fee ?? 0;
  return (
    <Row
      name={
        rate > 0
          ? t('pay.feeOfRate', { gateway: gateway?.name, percent: formatPlain(rate * 100, 4) })
          : t('pay.feeOf', { gateway: gateway?.name })
      }
    >
      {amounts && gateway && fee(gateway) ? `+${formatMinor(amounts.fee_minor, 'USD')}` : none}
    </Row>
  );
}

function useReduction({ amount, discounts, amounts }: PaymentFormState) {
  const { i18n } = useTranslation('topup');
  if (!amounts || amounts.discount_minor === 0 || amount === null) return undefined;
  return reductionOf(discountPercent(discountFactor(amount, discounts)), i18n.language);
}

interface RowProps {
  name: ReactNode;
  strong?: boolean;
  good?: boolean;
  quiet?: boolean;
  children: ReactNode;
}

function Row({ name, strong, good, quiet, children }: RowProps) {
  return (
    <>
      <dt className="min-w-0 truncate">{name}</dt>
      <dd className={cx('text-right', good ? 'text-ok' : !quiet && 'text-text', strong && 'font-title')}>{children}</dd>
    </>
  );
}

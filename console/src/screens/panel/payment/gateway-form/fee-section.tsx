import { type GatewayType, orderAmounts } from '@relay-hub/contract';
import { useWatch } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { discountsIn } from '#api/discounts.ts';
import { useSite } from '#api/site.ts';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { Note } from '#ui/feedback/note.tsx';
import { FormNumber } from '#ui/form/form-number.tsx';
import { FormSelect } from '#ui/form/form-select.tsx';
import { formatPlain } from '#ui/format/number.ts';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { DrawerSection, FieldRow } from '#ui/overlay/drawer-section.tsx';
import type { GatewayControl } from './gateway-values.ts';

interface Props {
  type: GatewayType | undefined;
  control: GatewayControl;
}

/** Fees and currency, with an example. */
export function FeeSection({ type, control }: Props) {
  const { t } = useTranslation(['paymentGateway', 'payment']);
  const names = { CNY: t('payment:yuan'), USD: t('payment:dollar') };
  return (
    <DrawerSection title={t('fees')} text={t('feesText')}>
      <FieldRow>
        <FormNumber control={control} name="percent_fee" label={t('percentFee')} suffix="%" />
        <FormNumber control={control} name="fixed_fee" label={t('fixedFee')} suffix="$" />
        <FormSelect
          control={control}
          name="currency"
          label={t('payment:currency')}
          options={(type?.currencies ?? []).map((value) => ({ value, label: `${names[value]} ${value}` }))}
        />
      </FieldRow>
      <FeeExample control={control} />
    </DrawerSection>
  );
}

const exampleAmount = 100;

/** Cost of a top-up of $100 with the typed fees. */
function FeeExample({ control }: Pick<Props, 'control'>) {
  const { t } = useTranslation('paymentGateway');
  const site = useSite();
  const [fixed, percent, currency] = useWatch({ control, name: ['fixed_fee', 'percent_fee', 'currency'] });
  if (!site) return null;
  const { PaymentUSDRate: rate } = site;
  const parts = amountsOf({ fixed, percent, currency, rate, discounts: discountsIn(site.RechargeDiscount) });
  if (!parts) return null;
  const { price_minor, discount_minor, fee_minor, order_minor } = parts;
  const dollars = (minor: number) => formatMinor(minor, 'USD');
  const terms = [
    dollars(price_minor),
    discount_minor > 0 && `− ${dollars(discount_minor)} ${t('discountWord')}`,
    fee_minor > 0 && `+ ${dollars(fee_minor)} ${t('feeWord')}`,
  ].filter((term) => term !== false);
  const sum = terms.join(' ');
  const converted = terms.length > 1 ? `(${sum}) × ${formatPlain(rate)}` : `${sum} × ${formatPlain(rate)}`;
  return (
    <Note>
      <TextWithElements
        text={t('example', { amount: dollars(price_minor), formula: currency === 'USD' ? sum : converted })}
        parts={{ paid: <b className="font-title text-text">{formatMinor(order_minor, currency)}</b> }}
      />{' '}
      {fixed > 0 && percent > 0 && t('percentApplies')}
    </Note>
  );
}

interface Terms {
  fixed: number | null;
  percent: number | null;
  currency: 'USD' | 'CNY';
  rate: number;
  discounts: Record<string, number>;
}

/** Undefined while a fee is not a number or out of range. */
function amountsOf({ fixed, percent, currency, rate, discounts }: Terms) {
  if (fixed === null || percent === null || fixed < 0 || percent < 0 || fixed > 1e6 || percent > 100) return undefined;
  const percent_fee = Number((percent / 100).toFixed(6));
  return orderAmounts(exampleAmount, { fixed_fee: fixed, percent_fee, currency, rate, discounts });
}

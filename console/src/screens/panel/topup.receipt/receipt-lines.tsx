import type { Receipt } from '@relay-hub/contract';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { cx } from '#ui/basic/cx.ts';
import { formatPlain } from '#ui/format/number.ts';

/** How the sum was computed, line by line. */
export function ReceiptLines({ receipt }: { receipt: Receipt }) {
  const { t } = useTranslation('receipt');
  const {
    amount,
    discount_minor: discount,
    fee_minor: fee,
    rate,
    order_minor: sum,
    order_currency: currency,
  } = receipt;
  const usd = (minor: number) => formatMinor(minor, 'USD');
  const total = amount * 100 - discount + fee;
  return (
    <table className="mt-6 w-full border-collapse text-13 tabular-nums">
      <thead>
        <tr className="text-12 text-text2">
          <th scope="col" className="py-2 text-left font-normal">
            {t('description')}
          </th>
          <th scope="col" className="px-3 py-2 text-right font-normal">
            {t('calculation')}
          </th>
          <th scope="col" className="py-2 text-right font-normal">
            {t('amount')}
          </th>
        </tr>
      </thead>
      <tbody>
        <Line name={t('credit')} value={usd(amount * 100)} />
        {discount > 0 && (
          <Line
            name={t('discount')}
            calculation={t('share', { percent: formatPlain(discount / amount, 2), of: usd(amount * 100) })}
            value={usd(-discount)}
          />
        )}
        {fee > 0 && <Line name={t('fee', { gateway: receipt.gateway_name })} value={usd(fee)} />}
        {(discount > 0 || fee > 0) && <Line name={t('total')} value={usd(total)} strong />}
        {currency !== 'USD' && (
          <Line
            name={t('converted', { currency })}
            calculation={`${usd(total)} × ${rate}`}
            value={formatMinor(sum, currency)}
          />
        )}
      </tbody>
      <tfoot>
        <tr className="border-t-2 border-text">
          <th scope="row" colSpan={2} className="pt-4 text-left text-14 font-title">
            {t('paid')}
          </th>
          <td className="pt-4 text-right text-24 font-title whitespace-nowrap">{formatMinor(sum, currency)}</td>
        </tr>
      </tfoot>
    </table>
  );
}

interface LineProps {
  name: string;
  calculation?: ReactNode;
  value: string;
  strong?: boolean;
}

function Line({ name, calculation, value, strong }: LineProps) {
  return (
    <tr className={cx('border-t border-line', strong && 'font-title')}>
      <th scope="row" className={cx('py-2.5 text-left', strong ? 'font-title' : 'font-normal')}>
        {name}
      </th>
      <td className="px-3 py-2.5 text-right whitespace-nowrap text-text2">{calculation}</td>
      <td className="py-2.5 text-right whitespace-nowrap">{value}</td>
    </tr>
  );
}

import type { Receipt } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { formatDate } from '#ui/format/time.ts';

/** Refunds of the receipt, each with its credit note, and the sum that remains. */
export function CreditNotes({ receipt }: { receipt: Receipt }) {
  const { t } = useTranslation('receipt');
  const { refunds, order_minor: sum, order_currency: currency } = receipt;
  const left = refunds.reduce((rest, { minor }) => rest - minor, sum);
  return (
    <section className="mt-8" aria-labelledby="receipt-refunds">
      <h3 id="receipt-refunds" className="text-14">
        {t('refunds')}
      </h3>
      <ul className="mt-2 text-13 tabular-nums">
        {refunds.map(({ credit_note_no: no, minor, reason, refunded_at: at }) => (
          <li key={no} className="flex gap-4 border-t border-line py-2.5">
            <span className="min-w-0 flex-1 break-words">
              {t('creditNote', { number: no })}
              <span className="block text-12 text-text2">
                {formatDate(at)}
                {reason && ` · ${reason}`}
              </span>
            </span>
            <span>{formatMinor(-minor, currency)}</span>
          </li>
        ))}
        <li className="flex gap-4 border-t border-line py-2.5 font-title">
          <span className="flex-1">{t('left')}</span>
          <span>{formatMinor(left, currency)}</span>
        </li>
      </ul>
    </section>
  );
}

import type { Receipt } from '@relay-hub/contract';
import { CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { atBase } from '#base-path.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { useServerAddress, useSite } from '#api/site.ts';
import { Logo } from '#app/logo.tsx';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { formatDate, formatDateTime } from '#ui/format/time.ts';
import { ReceiptLines } from './receipt-lines.tsx';

/** The printed part: seller, buyer, payment, how the sum was computed, and credit notes. */
export function ReceiptSheet({ receipt }: { receipt: Receipt }) {
  const { t } = useTranslation('receipt');
  const { order_minor: sum, order_currency: currency, refunds } = receipt;
  const refunded = refunds.reduce((total, { minor }) => total + minor, 0);
  return (
    <article
      aria-labelledby="receipt-title"
      className="paper mx-auto max-w-180 rounded-[2px] border border-line bg-card px-14 pt-12 pb-16 text-text max-sm:px-5 max-sm:py-7 print:max-w-none print:border-0 print:p-0"
    >
      <header className="flex flex-wrap items-start justify-between gap-4">
        <Seller name={receipt.seller} />
        <div className="text-right">
          <h2 id="receipt-title" className="text-20">
            {t('receipt')}
          </h2>
          <p className="text-text2 tabular-nums">{t('number', { number: receipt.receipt_no })}</p>
        </div>
      </header>
      <div className="mt-9 grid grid-cols-3 gap-x-6 gap-y-4 text-13 max-sm:grid-cols-1 print:grid-cols-3">
        <dl>
          <Party name={t('from')}>
            <span className="block">{receipt.seller}</span>
            <Host />
          </Party>
        </dl>
        <dl>
          <Party name={t('to')}>{receipt.buyer}</Party>
        </dl>
        <dl className="grid gap-2">
          <Party name={t('paidOn')}>
            <span className="tabular-nums">{formatDateTime(receipt.paid_at)}</span>
          </Party>
          <Party name={t('paidWith')}>
            {receipt.gateway_name}
            {receipt.gateway_no && (
              <span className="block text-12 break-all text-text2 tabular-nums">{receipt.gateway_no}</span>
            )}
          </Party>
        </dl>
      </div>
      <p className="mt-8 flex items-center gap-2 rounded-control bg-ok-soft px-4 py-3.5 text-13 text-ok print:border print:border-line">
        <Icon of={CircleCheck} />
        <span className="font-title">
          {refunded === 0 ? t('paidInFull') : t(refunded >= sum ? 'refundedInFull' : 'refundedPartly')}
        </span>
        <span className="ml-auto text-18 font-title text-text tabular-nums">{formatMinor(sum, currency)}</span>
      </p>
      <ReceiptLines receipt={receipt} />
      {refunds.length > 0 && <CreditNotes receipt={receipt} />}
      <footer className="mt-8 text-12 text-text2">
        <p className="tabular-nums">
          {t('orderLine', { order: receipt.trade_no, date: formatDate(receipt.issued_at) })}
        </p>
        <p>{t('notice')}</p>
      </footer>
    </article>
  );
}

function Seller({ name }: { name: string }) {
  const logo = useSite()?.logo;
  return (
    <p className="flex min-w-0 items-center gap-2.5 text-18 font-title">
      {logo ? (
        <img src={atBase(logo)} alt="" className="h-7.5 max-w-32 flex-none object-contain" />
      ) : (
        <Logo size={30} />
      )}
      <span className="min-w-0 break-words">{name}</span>
    </p>
  );
}

function Host() {
  return useServerAddress().replace(/^https?:\/\//, '');
}

function Party({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-12 text-text2">{name}</dt>
      <dd className="break-words">{children}</dd>
    </div>
  );
}

/** Refunds of the receipt, each with its credit note, and the sum that remains. */
function CreditNotes({ receipt }: { receipt: Receipt }) {
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

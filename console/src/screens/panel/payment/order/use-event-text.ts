import { minorOf, type OrderCurrency, orderCurrencies, type OrderDetail, type OrderEvent } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { formatMoney } from '#ui/format/money.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { formatTimeOfDay } from '#ui/format/time.ts';
import { useStateText } from './use-state-text.ts';

interface EventText {
  title: string;
  lines: string[];
}

/** Facts in credits. */
const credits = ['quota', 'taken', 'balance_before', 'balance_after', 'held', 'loss', 'credits', 'short'] as const;

/** An event in words: a title, and quiet facts below it. */
export function useEventText(): (event: OrderEvent, order: OrderDetail | undefined) => EventText {
  const { t } = useTranslation('paymentOrder');
  const money = useSiteFormat();
  const stateText = useStateText();
  return ({ kind, facts }, order) => {
    const fact = (name: string) => facts[name] ?? '';
    const currency = orderCurrencies.find((each) => each === fact('currency')) ?? order?.order_currency;
    const sums = Object.fromEntries(credits.map((name) => [name, formatMoney(Number(fact(name)), money)]));
    const values = {
      ...sums,
      gateway: order?.gateway_name ?? '',
      payer: order?.username ?? '',
      user: fact('user'),
      actor: fact('actor'),
      amount: amountText(fact('amount'), currency),
      state: stateText(fact('state')),
      until: formatTimeOfDay(Number(fact('expires_at'))),
    };
    const key = kind === 'started' ? (fact('show') === 'qr' ? 'started_qr' : 'started_form') : kind;
    return { title: t(`events.${key}`, values), lines: lines() };

    function lines(): string[] {
      const has = (name: string) => fact(name) !== '' && fact(name) !== '0';
      const spoken: (string | false)[] = [
        kind === 'created' && has('ip') && t('lines.ip', { ip: fact('ip') }),
        kind === 'second_payment' && t('lines.notCredited', { number: fact('gateway_no') }),
        kind === 'notice_repeated' && t('lines.unchanged'),
        has('receipt_no') && t('lines.receipt', { number: fact('receipt_no') }),
        kind === 'refund_started' && t('lines.taken', values),
        has('credit_note_no') && t('lines.creditNote', { number: fact('credit_note_no') }),
        kind === 'dispute_opened' && t('lines.held', values),
        has('short') && t('lines.short', values),
        ...['reason', 'remark'].map((name) => has(name) && fact(name)),
        has('detail') && stateText(fact('detail')),
        kind === 'notice_refused' && !order && has('trade_no') && t('lines.order', { number: fact('trade_no') }),
      ];
      return spoken.filter((line) => line !== false);
    }
  };
}

/** A decimal text of the order's currency as money. */
function amountText(text: string, currency: OrderCurrency | undefined): string {
  const minor = minorOf(text);
  return minor === undefined || currency === undefined ? text : formatMinor(minor, currency);
}

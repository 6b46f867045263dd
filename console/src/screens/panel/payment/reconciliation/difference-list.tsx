import type { Difference, OrderCurrency, Reconciliation } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { Time } from '#ui/format/time.tsx';

const cell = 'border-b border-line px-4 py-2 text-left align-top font-normal';

/** Each difference: its kind in words, and both sides. */
export function DifferenceList({ result }: { result: Reconciliation }) {
  const { t } = useTranslation('reconciliation');
  const heads = [t('order'), t('time'), t('here'), t('there'), t('what')];
  return (
    <Card aria-labelledby="reconciliation-differences">
      <CardHead id="reconciliation-differences" title={t('differences')} />
      <div
        role="region"
        aria-labelledby="reconciliation-differences"
        tabIndex={0}
        className="overflow-x-auto rounded-b-card border-t border-line -outline-offset-2"
      >
        <table className="w-full min-w-180 border-separate border-spacing-0 text-13 tabular-nums">
          <thead className="bg-sunk text-12 text-text2">
            <tr>
              {heads.map((head) => (
                <th key={head} scope="col" className={cell}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="[&>tr:last-child>*]:border-b-0">
            {result.differences.map((difference) => (
              <Row
                key={`${difference.kind} ${difference.trade_no} ${difference.gateway_no}`}
                difference={difference}
                currency={result.currency}
              />
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

interface RowProps {
  difference: Difference;
  currency: OrderCurrency;
}

function Row({ difference, currency }: RowProps) {
  const { t } = useTranslation('reconciliation');
  const { kind, order_id: id, trade_no, gateway_no, at } = difference;
  const number = trade_no || gateway_no;
  return (
    <tr>
      <th scope="row" className={cell}>
        {id > 0 ? (
          <Link
            to="/panel/payment"
            search={{ tab: 'reconciliation', id }}
            replace
            resetScroll={false}
            className="touch rounded-tile font-mono text-12 text-accent hover:underline"
          >
            {number}
          </Link>
        ) : (
          <span className="font-mono text-12">{number}</span>
        )}
        {gateway_no !== '' && gateway_no !== number && (
          <span className="block font-mono text-12 text-text2">{gateway_no}</span>
        )}
      </th>
      <td className={cell}>
        <Time at={at} none="–" className="text-text2" />
      </td>
      <td className={cell}>
        <Side side={difference.here} currency={currency} />
      </td>
      <td className={cell}>
        <Side side={difference.there} currency={currency} />
      </td>
      <td className={cell}>
        <Status kind="failed" text={t(`kinds.${kind}`)} />
        <p className="text-12 text-text2">{t(`kindTexts.${kind}`)}</p>
      </td>
    </tr>
  );
}

/** Sum, refunded sum and state on one side. */
function Side({ side, currency }: { side: Difference['here']; currency: OrderCurrency }) {
  const { t, i18n } = useTranslation(['reconciliation', 'payment']);
  if (!side) return <span className="text-text3">{t('absent')}</span>;
  // A gateway's state is its own word; states of orders have texts.
  const isKnown = i18n.exists('payment', `states.${side.state}`);
  const state = isKnown ? t(`payment:states.${side.state}` as 'payment:states.success') : side.state;
  return (
    <>
      <span className="block">{formatMinor(side.minor, currency)}</span>
      <span className="block text-12 text-text2">
        {state}
        {side.refunded_minor > 0 &&
          ` · ${t('payment:returned', { amount: formatMinor(side.refunded_minor, currency) })}`}
      </span>
    </>
  );
}

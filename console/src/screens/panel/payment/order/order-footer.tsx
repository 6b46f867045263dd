import { isPaid, type OrderDetail } from '@relay-hub/contract';
import { Hand, ReceiptText, RefreshCw, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { atBase } from '#base-path.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { Button } from '#ui/basic/button.tsx';
import { formatMoney } from '#ui/format/money.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { RemarkDialog } from './remark-dialog.tsx';
import { refundFormId } from './refund-form.tsx';
import { canRefund } from './refund-rules.ts';
import { useOrderActions } from './use-order-actions.ts';
import type { RefundState } from './use-refund-form.ts';

interface Props {
  order: OrderDetail;
  /** The open refund form. */
  refund: RefundState | undefined;
  onRefund: () => void;
  onCancel: () => void;
}

/** Actions on the order. */
export function OrderFooter({ order, refund, onRefund, onCancel }: Props) {
  const { t } = useTranslation(['paymentOrder', 'shared']);
  if (refund)
    return (
      <>
        <Button variant="ghost" onClick={onCancel}>
          {t('shared:cancel')}
        </Button>
        <Button type="submit" form={refundFormId} variant="danger" icon={Undo2} busy={refund.busy}>
          {refund.minor === undefined
            ? t('refund')
            : t('refundSum', { amount: formatMinor(refund.minor, order.order_currency) })}
        </Button>
      </>
    );
  return <Actions order={order} onRefund={onRefund} />;
}

function Actions({ order, onRefund }: Pick<Props, 'order' | 'onRefund'>) {
  const { t } = useTranslation('paymentOrder');
  const { isRoot } = useSession();
  const money = useSiteFormat();
  const { ask, complete } = useOrderActions(order);
  const [completing, setCompleting] = useState(false);
  const paid = isPaid(order.status);
  const credit = formatMoney(order.quota, money);
  return (
    <>
      <span className="mr-auto flex flex-wrap gap-2 max-sm:mr-0 max-sm:*:flex-1">
        {!paid && (
          <Button variant="ghost" icon={RefreshCw} saves busy={ask.isPending} onClick={() => ask.mutate()}>
            {t('ask', { gateway: order.gateway_name })}
          </Button>
        )}
        {order.receipt_no !== '' && (
          <Button
            variant="ghost"
            icon={ReceiptText}
            render={<a href={atBase(`/panel/topup/receipt?id=${order.id}`)} target="_blank" rel="noreferrer" />}
          >
            {t('receipt')}
          </Button>
        )}
      </span>
      {!paid && isRoot && (
        <Button icon={Hand} onClick={() => setCompleting(true)}>
          {t('complete')}
        </Button>
      )}
      {canRefund(order) && (
        <Button icon={Undo2} onClick={onRefund}>
          {t('refundOpen')}
        </Button>
      )}
      {completing && (
        <RemarkDialog
          title={t('completeTitle', { credit, user: order.username })}
          text={t('completeText')}
          action={t('completeAction', { credit })}
          danger
          onConfirm={(remark) => complete.mutateAsync(remark)}
          onClose={() => setCompleting(false)}
        />
      )}
    </>
  );
}

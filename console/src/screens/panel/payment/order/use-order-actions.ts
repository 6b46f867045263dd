import { isPaid, orderApi, type OrderDetail } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { toast } from '#ui/feedback/toast.ts';
import { putOrder, refreshOrder } from '#screens/panel/payment/payment-api.ts';
import { useStateText } from './use-state-text.ts';

/** Actions on an order besides its refund, with their toasts. */
export function useOrderActions({ id, status, gateway_name: gateway }: OrderDetail) {
  const { t } = useTranslation('paymentOrder');
  const client = useQueryClient();
  const stateText = useStateText();
  const params = { id };
  const onError = () => void refreshOrder(client);
  const ask = useMutation({
    mutationFn: () => call(orderApi.ask, { params, body: {} }),
    onSuccess: (order) => {
      void putOrder(client, order);
      if (isPaid(order.status) && !isPaid(status)) return toast.success(t('askedPaid', { gateway }));
      const newest = order.events.toSorted((a, b) => b.last_at - a.last_at || b.id - a.id)[0];
      if (newest?.kind === 'query_failed')
        return toast.error(t('askFailed', { gateway, reason: newest.facts['reason'] }));
      const found = order.events.findLast(({ kind }) => kind === 'queried');
      toast.info(t('asked', { gateway, state: stateText(found?.facts['state'] ?? '') }));
    },
    onError,
  });
  const complete = useMutation({
    mutationFn: (remark: string) => call(orderApi.complete, { params, body: { remark } }),
    onSuccess: (order) => {
      void putOrder(client, order);
      toast.success(t('completed'));
    },
    onError,
  });
  const dismiss = useMutation({
    mutationFn: (remark: string) => call(orderApi.dismiss, { params, body: { remark } }),
    onSuccess: (order) => {
      void putOrder(client, order);
      toast.success(t('dismissed'));
    },
    onError,
  });
  return { ask, complete, dismiss };
}

/** Actions on a refund whose result is not known. */
export function useRefundActions(refundId: number) {
  const { t } = useTranslation('paymentOrder');
  const client = useQueryClient();
  const params = { id: refundId };
  const onError = () => void refreshOrder(client);
  const report = (order: OrderDetail) => {
    void putOrder(client, order);
    const found = order.refunds.find(({ id }) => id === refundId);
    if (found?.status === 'success') toast.success(t('refundConfirmed'));
    else if (found?.status === 'refused') toast.warning(t('refundRefused'));
    else toast.info(t('refundStillRunning'));
  };
  const ask = useMutation({
    mutationFn: () => call(orderApi.askRefund, { params, body: {} }),
    onSuccess: report,
    onError,
  });
  const settle = useMutation({
    mutationFn: (body: { outcome: 'success' | 'refused'; remark: string }) =>
      call(orderApi.settleRefund, { params, body }),
    onSuccess: report,
    onError,
  });
  return { ask, settle };
}

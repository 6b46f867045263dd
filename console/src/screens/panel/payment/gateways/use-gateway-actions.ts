import { paymentApi, type PaymentGateway } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { formatSeconds } from '#ui/format/number.ts';
import { toast } from '#ui/feedback/toast.ts';
import { refreshGateways } from '#screens/panel/payment/payment-api.ts';

/** Switches, tests and deletes gateways, with toasts and Undo. */
export function useGatewayActions() {
  const { t } = useTranslation('payment');
  const client = useQueryClient();
  const onSettled = () => refreshGateways(client);
  const restore = useMutation({
    mutationFn: ({ id }: PaymentGateway) => call(paymentApi.restore, { params: { id } }),
    onSuccess: (_, { name }) => toast.success(t('restored', { name })),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: ({ id }: PaymentGateway) => call(paymentApi.remove, { params: { id } }),
    onSuccess: (_, gateway) => toast.undo(t('removed', { name: gateway.name }), () => restore.mutate(gateway)),
    onSettled,
  });
  const enable = useMutation({
    mutationFn: ({ gateway: { id }, on }: { gateway: PaymentGateway; on: boolean; isUndo?: boolean }) =>
      call(paymentApi.update, { body: { id, enable: on } }),
    onSuccess: (gateway, { on, isUndo }) => {
      const text = t(on ? 'turnedOn' : 'turnedOff', { name: gateway.name });
      if (isUndo) toast.success(text);
      else toast.undo(text, () => enable.mutate({ gateway, on: !on, isUndo: true }));
    },
    onSettled,
  });
  const test = useMutation({
    mutationFn: ({ id }: PaymentGateway) => call(paymentApi.test, { params: { id } }),
    onMutate: ({ name }) => toast.info(t('testing', { name })),
    onSuccess: ({ ok, message, milliseconds }, { name }) => {
      if (ok) toast.success(t('testOk', { name, time: formatSeconds(milliseconds) }));
      else toast.error(t('testFailed', { name, reason: message }));
    },
  });
  return { remove, enable, test };
}

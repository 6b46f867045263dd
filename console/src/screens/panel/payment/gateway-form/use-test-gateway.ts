import { paymentApi, type PaymentGateway } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '#api/call.ts';
import { refreshGateways } from '#screens/panel/payment/payment-api.ts';

/** Tests a stored gateway with its saved keys. */
export function useTestGateway(gateway: PaymentGateway | undefined) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call(paymentApi.test, { params: { id: gateway?.id ?? 0 } }),
    onSettled: () => refreshGateways(client),
  });
}

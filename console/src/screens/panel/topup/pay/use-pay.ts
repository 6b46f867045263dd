import { ownOrderApi, type PaymentStart, type PublicGateway } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { ApiError } from '#api/api-error.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { expectsPage, openTab, rememberStart, showPayment } from './payment-page.ts';

/** Why an order was refused; `place` is the part of the form that it concerns. */
export interface PayProblem {
  place: 'amount' | 'gateway' | 'order';
  text: string;
  /** Whether the same order may succeed when sent again. */
  retry: boolean;
}

/** Creates orders and opens the payment page; `onStarted` gets the order's number. */
export function usePay(onStarted: (tradeNo: string) => void) {
  const { t } = useTranslation('topup');
  const client = useQueryClient();
  const [problem, setProblem] = useState<PayProblem>();
  const { mutateAsync, isPending: busy } = useMutation({
    mutationFn: (body: { uuid: string; amount: number; plan_version_id?: number }) =>
      call(ownOrderApi.create, { body }),
    // Each refusal is shown in the form.
    meta: { quiet: true },
  });

  /** Call it directly in the click handler, which may open a tab. `planVersion`: the plan that the credits buy. */
  async function pay(gateway: PublicGateway, amount: number, planVersion?: number): Promise<void> {
    setProblem(undefined);
    const text = t('pay.opening', { gateway: gateway.name });
    const tab = expectsPage(gateway) ? openTab(text) : null;
    try {
      const start = await mutateAsync({
        uuid: gateway.uuid,
        amount,
        ...(planVersion !== undefined && { plan_version_id: planVersion }),
      });
      rememberStart(gateway.uuid, start);
      show(start, tab, text);
      void refresh(client, ownOrderApi.list);
      onStarted(start.trade_no);
    } catch (error) {
      tab?.close();
      setProblem(problemOf(error));
      if (error instanceof ApiError && error.code === 'gateway.off') void refresh(client, ownOrderApi.gateways);
    }
  }

  return { pay, busy, problem, setProblem };
}

function show(start: PaymentStart, tab: Window | null, text: string): void {
  if (start.type === 2) return tab?.close();
  // Browsers allow a tab for a few seconds after the click; the order's dialog has a button for all other cases.
  const page = tab ?? (navigator.userActivation.isActive ? openTab(text) : null);
  if (page) showPayment(page, start.data);
}

function problemOf(error: unknown): PayProblem {
  const text = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ApiError)) return { place: 'order', text, retry: true };
  const { code, field } = error;
  if (code === 'gateway.off' || field === 'uuid') return { place: 'gateway', text, retry: false };
  if (code === 'order.amount' || code === 'order.too_small' || field === 'amount')
    return { place: 'amount', text, retry: false };
  return { place: 'order', text, retry: code !== 'order.too_many' };
}

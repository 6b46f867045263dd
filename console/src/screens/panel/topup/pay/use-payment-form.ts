import { isOrderable, orderAmounts, type PublicGateway, type SiteInfo } from '@relay-hub/contract';
import { useState } from 'react';
import { discountsOf, presetsOf } from './amount-presets.ts';

/** The chosen amount and gateway, and the price of the order; `amounts` is undefined while the amount is invalid. */
export function usePaymentForm(site: SiteInfo, gateways: readonly PublicGateway[]) {
  const least = site.PaymentMinAmount;
  const discounts = discountsOf(site.RechargeDiscount);
  const presets = presetsOf(discounts, least);
  const [amount, setAmount] = useState<number | null>(presets[0] ?? null);
  const [uuid, setUuid] = useState('');
  const gateway = gateways.find((each) => each.uuid === uuid) ?? gateways[0];
  const orderable = amount !== null && isOrderable(amount, least);
  const amounts =
    gateway && orderable ? orderAmounts(amount, { ...gateway, rate: site.PaymentUSDRate, discounts }) : undefined;
  return {
    least,
    discounts,
    presets,
    amount,
    setAmount,
    gateway,
    setUuid,
    amounts,
    rate: site.PaymentUSDRate,
    gateways,
  };
}

export type PaymentFormState = ReturnType<typeof usePaymentForm>;

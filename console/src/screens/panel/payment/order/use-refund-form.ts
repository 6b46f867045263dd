import { orderApi, refundMinor, type OrderDetail } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useForm, useWatch, type UseFormReturn } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { savedOrRefused } from '#domain/save/form-error.ts';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { formatMoney } from '#ui/format/money.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { toast } from '#ui/feedback/toast.ts';
import { putOrder, refreshOrder } from '#screens/panel/payment/payment-api.ts';
import { leftQuota, refundRules, refundsBy, type RefundInput, type RefundValues } from './refund-rules.ts';

export interface RefundState {
  form: UseFormReturn<RefundInput, unknown, RefundValues>;
  /** Money that the typed credits return; undefined while they are not valid. */
  minor: number | undefined;
  busy: boolean;
  submit: () => unknown;
}

const start: RefundInput = { part: 'part', quota: null, reason: '', write_off: false, by_hand: false, remark: '' };

/** The form of a refund. `reference` stays the same while the form is open, so that a repeated press refunds once. */
export function useRefundForm(order: OrderDetail | undefined, reference: string, onDone: () => void): RefundState {
  const { t } = useTranslation('paymentOrder');
  const client = useQueryClient();
  const money = useSiteFormat();
  const left = order ? leftQuota(order) : 0;
  const unspent = order?.unspent_quota ?? 0;
  const resolver = useMemo(() => {
    const words = {
      left: t('mostLeft', { credit: formatMoney(left, money) }),
      spent: t('mostUnspent', { credit: formatMoney(unspent, money) }),
    };
    return contractResolver(refundRules(order, words));
  }, [order, left, unspent, money, t]);
  const by = order ? refundsBy(order) : 'part';
  const opened = useMemo(
    (): RefundInput => (by === 'part' ? start : { ...start, part: 'whole', quota: left, by_hand: by === 'none' }),
    [by, left],
  );
  const form = useForm<RefundInput, unknown, RefundValues>({ resolver, defaultValues: opened, mode: 'onBlur' });
  useEffect(() => form.reset(opened), [form, opened]);
  const quota = useWatch({ control: form.control, name: 'quota' });
  const send = useMutation({
    mutationFn: ({ part: _part, quota: typed, ...values }: RefundValues) =>
      savedOrRefused(form, () =>
        call(orderApi.refund, {
          params: { id: order?.id ?? 0 },
          body: { ...values, quota: typed ?? 0, reference },
        }),
      ),
    onSuccess: (after) => {
      if (!after) return;
      void putOrder(client, after);
      report(after);
      onDone();
    },
    onError: () => void refreshOrder(client),
  });
  const report = (after: OrderDetail) => {
    const refund = after.refunds.at(-1);
    if (!refund) return;
    const words = {
      amount: formatMinor(refund.minor, refund.currency),
      user: after.username,
      gateway: after.gateway_name,
    };
    if (refund.status === 'success') toast.success(t('refundDone', words));
    else if (refund.status === 'processing') toast.info(t('refundRunning', words));
    else toast.error(t('refundFailed', words));
  };
  const isSum = order !== undefined && quota !== null && quota > 0 && quota <= left;
  return {
    form,
    minor: isSum ? refundMinor(order, quota) : undefined,
    busy: send.isPending,
    submit: form.handleSubmit((values) => send.mutate(values)),
  };
}

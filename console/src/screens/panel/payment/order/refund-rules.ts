import { newRefund, type OrderDetail } from '@relay-hub/contract';
import type { Control } from 'react-hook-form';
import * as z from 'zod/mini';

/** Whether a refund can be started now: paid, not disputed, something left, none running. */
export const canRefund = ({ status, quota, refunded_quota, refunds }: OrderDetail): boolean =>
  (status === 'success' || status === 'part_refunded') &&
  quota > refunded_quota &&
  refunds.every((refund) => refund.status !== 'processing');

/** Credits of an order that were not refunded. */
export const leftQuota = ({ quota, refunded_quota }: OrderDetail): number => quota - refunded_quota;

/** How the gateway can return money; `none` without a payment at the gateway. */
export const refundsBy = ({ refunds_by_gateway: by, gateway_no: number }: OrderDetail): 'part' | 'whole' | 'none' =>
  number === '' ? 'none' : by;

export const refundParts = ['part', 'whole'] as const;

const fields = z.object({
  part: z.enum(refundParts),
  quota: z.nullable(z.int().check(z.gte(1))),
  reason: newRefund.shape.reason,
  write_off: z.boolean(),
  by_hand: z.boolean(),
  remark: z.string().check(z.trim(), z.maxLength(255)),
});
export type RefundInput = z.input<typeof fields>;
export type RefundValues = z.output<typeof fields>;
export type RefundControl = Control<RefundInput, unknown, RefundValues>;

interface LimitTexts {
  /** For more than is left of the order. */
  left: string;
  /** For more than is unspent. */
  spent: string;
}

/** The contract's rules with the limits of the order. */
export function refundRules(order: OrderDetail | undefined, { left, spent }: LimitTexts) {
  const ofQuota = (holds: (values: RefundValues & { quota: number }) => boolean, error: string) =>
    z.refine<RefundValues>((values) => values.quota === null || holds({ ...values, quota: values.quota }), {
      error,
      path: ['quota'],
    });
  return fields.check(
    z.refine(({ quota }) => quota !== null, { error: 'required', path: ['quota'] }),
    ofQuota(({ quota }) => !order || quota <= leftQuota(order), left),
    ofQuota(({ quota, write_off }) => !order || write_off || quota <= order.unspent_quota, spent),
    z.refine(({ write_off, by_hand, remark }) => !(write_off || by_hand) || remark !== '', {
      error: 'required',
      path: ['remark'],
    }),
  );
}

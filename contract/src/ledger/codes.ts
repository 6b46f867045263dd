/**
 * Why credits moved. `gift`: given at registration or by an administrator at creation; `reward`: for an invitation;
 * `topup`: paid for; `redemption`: of a code; `settle`: what a call cost; `refund`: of a paid order, taken back or, if the
 * gateway refused, returned; `dispute`: held while a payment is disputed, or released; `correction`: by an administrator. `reserve` and `release` are for what is set aside; calls need no entry for that.
 */
export const entryKinds = [
  'gift',
  'reward',
  'topup',
  'redemption',
  'reserve',
  'settle',
  'release',
  'refund',
  'dispute',
  'correction',
] as const;

export type LedgerKind = (typeof entryKinds)[number];

/** Remark of root's initial gift, which the console translates. */
export const firstStartRemark = 'first start';

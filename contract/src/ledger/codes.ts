/**
 * Why credits moved. `opening`: balance of an imported account, or what changed at the old side since; `gift`: granted at registration or by an administrator at creation; `reward`: for an invitation;
 * `topup`: paid for; `redemption`: of a code; `settle`: cost of a call; `refund`: deducted for the refund of an order, or
 * credited again if the gateway refuses it, or the charge of a failed task (`task:<id>`), credited again; `dispute`:
 * deducted while a payment is disputed, or credited again; `plan`: paid for a plan; `transfer`: between a person and their team; `correction`: by an administrator; `reserve` and `release`:
 * reservations, which calls make without an entry.
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
  'plan',
  'correction',
  'transfer',
  'opening',
] as const;

export type LedgerKind = (typeof entryKinds)[number];

/** Remark of root's initial gift, which the console translates. */
export const firstStartRemark = 'first start';

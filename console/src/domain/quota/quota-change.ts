/** Ways to change a balance: add, take, or set to an amount. */
export const quotaModes = ['add', 'take', 'set'] as const;
export type QuotaMode = (typeof quotaModes)[number];

export interface QuotaAim {
  mode: QuotaMode;
  /** The typed credits; null while the field is empty. */
  quota: number | null;
}

/** Change of the balance in credits; 0 while the field is empty. */
export function changeOf({ mode, quota }: QuotaAim, balance: number): number {
  if (quota === null) return 0;
  if (mode === 'set') return quota - balance;
  // Avoid -0, which is shown with a sign.
  return mode === 'add' || quota === 0 ? quota : -quota;
}

/** Whole days that a balance lasts at a daily spend; undefined if that is meaningless. */
export function daysLeft(balance: number, spentADay: number): number | undefined {
  if (spentADay <= 0 || balance < 0) return undefined;
  const days = Math.floor(balance / spentADay);
  return days > 3650 ? undefined : days;
}

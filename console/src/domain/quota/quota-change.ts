/** How a balance is changed: by more, by less, or to an amount. */
export const quotaModes = ['add', 'take', 'set'] as const;
export type QuotaMode = (typeof quotaModes)[number];

export interface QuotaAim {
  mode: QuotaMode;
  /** Credits as they were typed; null while the field is empty. */
  quota: number | null;
}

/** By how many credits the balance changes; 0 while nothing is typed. */
export function changeOf({ mode, quota }: QuotaAim, balance: number): number {
  if (quota === null) return 0;
  if (mode === 'set') return quota - balance;
  // Not -0, which would be shown with a sign.
  return mode === 'add' || quota === 0 ? quota : -quota;
}

/** How many whole days a balance lasts when so much is spent a day; undefined where that tells nothing. */
export function daysLeft(balance: number, spentADay: number): number | undefined {
  if (spentADay <= 0 || balance < 0) return undefined;
  const days = Math.floor(balance / spentADay);
  return days > 3650 ? undefined : days;
}

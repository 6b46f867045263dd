/**
 * Days that a balance lasts at the average spending since the first day with any; undefined without spending or
 * balance.
 */
export function daysLeft(balance: number, spent: readonly number[]): number | undefined {
  const first = spent.findIndex((value) => value > 0);
  if (first < 0 || balance <= 0) return undefined;
  return balance / (spent.reduce((sum, value) => sum + value, 0) / (spent.length - first));
}

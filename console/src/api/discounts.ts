/** Discounts of the setting `RechargeDiscount`: price factors by amount in dollars; empty if it is not such a map. */
export function discountsIn(text: string): Record<string, number> {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return {};
    return Object.fromEntries(
      Object.entries(parsed).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
    );
  } catch {
    // An empty or malformed setting has no discounts.
    return {};
  }
}

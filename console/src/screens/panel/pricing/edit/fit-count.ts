/** Width in pixels of the extra prices' cell. */
export const extraWidth = 216;
const signWidth = 36;
/** Rough widths of the table's font; too wide rather than too narrow. */
const wide = 13;
const narrow = 6.4;

const widthOf = (text: string): number =>
  text.length * narrow + (text.match(/[\u2e80-\uffff]/g)?.length ?? 0) * (wide - narrow);

/** How many texts, separated by dots, fit in a line, at least one; leaves room for the "+n" chip unless all fit. */
export function fitCount(parts: readonly string[]): number {
  if (widthOf(parts.join(' · ')) <= extraWidth) return parts.length;
  const fits = (count: number) => widthOf(parts.slice(0, count).join(' · ')) <= extraWidth - signWidth;
  let count = 1;
  while (count + 1 < parts.length && fits(count + 1)) count++;
  return count;
}

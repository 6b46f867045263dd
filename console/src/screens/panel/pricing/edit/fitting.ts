/** Pixels of a cell of extra prices, and of the sign that says how many more there are. */
export const extraWidth = 296;
const signWidth = 36;
/** Of the type in tables, rather more than less. */
const wide = 13;
const narrow = 6.4;

const widthOf = (text: string): number =>
  text.length * narrow + (text.match(/[\u2e80-\uffff]/g)?.length ?? 0) * (wide - narrow);

/** How many of these, with a dot between them, fit in a line, at least one; all, or some and the sign of the others. */
export function fitting(parts: readonly string[]): number {
  if (widthOf(parts.join(' · ')) <= extraWidth) return parts.length;
  const fits = (count: number) => widthOf(parts.slice(0, count).join(' · ')) <= extraWidth - signWidth;
  let count = 1;
  while (count + 1 < parts.length && fits(count + 1)) count++;
  return count;
}

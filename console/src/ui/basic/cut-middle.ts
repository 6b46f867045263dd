const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * Shortens a text in its middle to fit a width, with one ellipsis. At the end up to `tail` characters stay. `measure`
 * returns the width of a text in the unit of `width`.
 */
export function cutMiddle(text: string, width: number, tail: number, measure: (text: string) => number): string {
  const letters = Array.from(characters.segment(text), ({ segment }) => segment);
  const end = letters.slice(Math.max(0, letters.length - tail)).join('');
  const withHead = (count: number): string => `${letters.slice(0, count).join('').trimEnd()}…${end}`;
  let [fits, tooMany] = [0, Math.max(1, letters.length - tail)];
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (measure(withHead(middle)) <= width) fits = middle;
    else tooMany = middle;
  }
  return withHead(fits);
}

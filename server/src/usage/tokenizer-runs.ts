/** The tokenizer is quadratic in a run's length; no word of any language is this long. */
const LONGEST_RUN = 256;

/** Runs of letters, of white space, and of anything else: a token never spans more than two of them. */
const runs = /[\p{L}\p{M}]+|\s+|[^\p{L}\p{M}\s]+/gu;

/** Splits a text so that all runs are short; one piece if nothing was cut. Linear in the text. */
export function cutLongRuns(text: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  for (const { 0: run, index } of text.matchAll(runs)) {
    const end = index + run.length;
    let at = index;
    while (end - at > LONGEST_RUN) {
      at += LONGEST_RUN;
      if (isHighSurrogate(text.charCodeAt(at - 1))) at--; // never through the middle of a character
      pieces.push(text.slice(start, at));
      start = at;
    }
  }
  pieces.push(text.slice(start));
  return pieces;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** Private-use sign around a formula in what Markdown takes for inline code, so that it changes nothing in it. */
const MARK = '\uE000';

/** Code, which stays unchanged, or a formula. A single `$` is a price more often than a formula. */
const codeOrFormula = /(`+)(?!`)[^]*?(?<!`)\1(?!`)|\\\((.+?)\\\)|\$\$(.+?)\$\$|\\\[(.+?)\\\]/gs;

/** Marks formulas in a piece of Markdown for `formulaIn`. */
export const markFormulas = (text: string): string =>
  text.replace(codeOrFormula, (whole: string, code?: string, round?: string, dollars?: string, square?: string) => {
    const formula = round ?? dollars ?? square;
    if (code !== undefined || formula === undefined || formula.includes('`')) return whole;
    return `\`${MARK}${formula.trim()}${MARK}\``;
  });

/** The formula in inline code that `markFormulas` made; undefined: it is code. */
export const formulaIn = (code: string): string | undefined =>
  code.startsWith(MARK) && code.endsWith(MARK) ? code.slice(1, -1) : undefined;

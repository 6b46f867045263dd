/** Codes as a text file: one to a line. */
export const linesOf = (codes: readonly string[]): string => codes.map((code) => `${code}\n`).join('');

/** The same as a table, as spreadsheets read it. `heads` and `values` are what stands beside every code. */
export function tableOf(
  codes: readonly string[],
  heads: readonly string[],
  values: readonly (string | number)[],
): string {
  const rows = [heads, ...codes.map((code) => [code, ...values])];
  return `\uFEFF${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  // What somebody typed is text, never a formula.
  const text = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A name that every file system takes. */
export const fileName = (name: string): string => name.replaceAll(/[\\/:*?"<>|\p{Cc}]/gu, '_').replace(/^\.+/, '_');

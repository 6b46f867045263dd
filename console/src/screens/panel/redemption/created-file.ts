/** Codes as a text file, one per line. */
export const linesOf = (codes: readonly string[]): string => codes.map((code) => `${code}\n`).join('');

/** Codes as CSV; `heads` and `values` are columns repeated on every line. */
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
  // A leading apostrophe keeps spreadsheets from reading user input as a formula.
  const text = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A file name valid on every file system. */
export const fileName = (name: string): string => name.replaceAll(/[\\/:*?"<>|\p{Cc}]/gu, '_').replace(/^\.+/, '_');

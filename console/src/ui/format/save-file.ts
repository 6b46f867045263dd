type FileType = 'text/plain' | 'text/csv' | 'application/json' | 'image/png';

/** Downloads text, or the parts of a file, through the browser. */
export function saveFile(name: string, content: string | BlobPart[], type: FileType): void {
  const parts = typeof content === 'string' ? [content] : content;
  const address = URL.createObjectURL(
    new Blob(parts, { type: type.startsWith('text/') ? `${type};charset=utf-8` : type }),
  );
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // Revoke after the browser has started to read it.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A file name valid on every file system. */
export const fileName = (name: string): string => name.replaceAll(/[\\/:*?"<>|\p{Cc}]/gu, '_').replace(/^\.+/, '_');

/** Rows as CSV for spreadsheets. */
export const csvText = (rows: readonly (readonly (string | number)[])[]): string =>
  `\uFEFF${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  // A leading apostrophe keeps spreadsheets from reading user input as a formula.
  const text = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

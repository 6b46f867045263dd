/** Downloads text, or the parts of a file, through the browser. */
export function saveFile(name: string, content: string | BlobPart[], type: 'text/plain' | 'text/csv'): void {
  const parts = typeof content === 'string' ? [content] : content;
  const address = URL.createObjectURL(new Blob(parts, { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // Revoke after the browser has started to read it.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

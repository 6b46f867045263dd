/** A caught value as an `Error`: `throw` and rejections may carry any value. */
export const asError = (caught: unknown): Error => (caught instanceof Error ? caught : new Error(String(caught)));

/** The `code` of an error of Node.js, a driver or a library; undefined if it has none. */
export function codeOf(caught: unknown): string | undefined {
  if (typeof caught !== 'object' || caught === null || !('code' in caught)) return undefined;
  return typeof caught.code === 'string' ? caught.code : undefined;
}

/** The result code of SQLite; undefined for other errors. */
export function sqliteCodeOf(caught: unknown): number | undefined {
  if (typeof caught !== 'object' || caught === null || !('errcode' in caught)) return undefined;
  return typeof caught.errcode === 'number' ? caught.errcode : undefined;
}

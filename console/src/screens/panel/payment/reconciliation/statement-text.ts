/** The text of a statement file: UTF-8, or else GBK, in which Chinese gateways write theirs. */
export function statementText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Not UTF-8.
    return new TextDecoder('gbk').decode(bytes);
  }
}

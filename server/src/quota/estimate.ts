/**
 * Estimated tokens of a text: within an eighth of a tokenizer's count for English, Chinese and code, in time
 * independent of the content. Used for reservations and for usage that an upstream did not report.
 */
export function estimateTokens(text: string): number {
  const units = text.length;
  // UTF-8: ASCII takes one byte; most other characters two or three, of which the larger ones dominate.
  const beyondAscii = Math.min(units, (Buffer.byteLength(text) - units) / 2);
  return tokensOf(units - beyondAscii, beyondAscii);
}

/** The estimate from character counts. */
export function tokensOf(ascii: number, other: number): number {
  return Math.ceil(ascii / 3.9 + other * 0.75);
}

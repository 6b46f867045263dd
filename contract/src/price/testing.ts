const SCALE = 60;

/** Decimal texts added up exactly, in units of 10^-60. Throws on more decimals than that. */
export function sumOf(texts: string[]): bigint {
  return texts.reduce((sum, text) => {
    const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
    if (fraction.length > SCALE) throw new RangeError(`too many decimals: ${text}`);
    const units = BigInt(whole + fraction.padEnd(SCALE, '0'));
    return text.startsWith('-') ? sum - units : sum + units;
  }, 0n);
}

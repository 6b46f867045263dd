/** digits × 10^-scale */
export interface Decimal {
  digits: bigint;
  scale: number;
}

/** Converts a JSON number exactly, from its shortest decimal text. */
export function decimal(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

/** The product, exact. */
export function times(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, scale: a.scale + b.scale };
}

/** The difference, exact. */
export function minus(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  const at = (d: Decimal) => d.digits * 10n ** BigInt(scale - d.scale);
  return { digits: at(a) - at(b), scale };
}

/** Plain decimal text, without exponent and trailing zeros. */
export function format({ digits, scale }: Decimal): string {
  const negative = digits < 0n;
  const text = (negative ? -digits : digits).toString().padStart(scale + 1, '0');
  const fraction = scale === 0 ? '' : text.slice(-scale).replace(/0+$/, '');
  const whole = scale === 0 ? text : text.slice(0, -scale);
  return (negative ? '-' : '') + whole + (fraction === '' ? '' : `.${fraction}`);
}

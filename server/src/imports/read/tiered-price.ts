import type { ExtraRatios, PriceInput } from '@relay-hub/contract';

type Terms = Pick<PriceInput, 'type' | 'input' | 'output'> & { extra_ratios: ExtraRatios };

/** Coefficients of new-api's price expressions: counts without a coefficient are charged as prompt (`p`) or completion (`c`). */
const parts = { p: 0, c: 0, cr: 0, cc: 0, cc1h: 0, img: 0, img_o: 0, ai: 0, ao: 0 };

/**
 * The price of an expression such as `tier("base", p*2.5 + c*15)`, in USD per million tokens. Only a single tier without
 * conditions is exact; of others it is the first tier.
 */
export function tieredPrice(expression: string, unit: number): { price: Terms | undefined; isExact: boolean } {
  const [, sum] = /tier\(\s*"[^"]*"\s*,\s*([^()]*)\)/.exec(expression) ?? [];
  if (sum === undefined) return { price: undefined, isExact: false };
  const found: Partial<typeof parts> = {};
  let isExact = /^\s*tier\(\s*"[^"]*"\s*,[^()]*\)\s*$/.test(expression);
  for (const term of sum.split('+')) {
    const [, name = '', factor] = /^\s*(\w+)\s*\*\s*(\d+(?:\.\d+)?)\s*$/.exec(term) ?? [];
    if (name in parts) found[name as keyof typeof parts] = Number(factor);
    else isExact = false;
  }
  const { p = 0, c = 0 } = found;
  const credits = (usd: number): number => Number(((usd * unit) / 1_000_000).toPrecision(12));
  const of = (value: number | undefined, base: number): number =>
    value === undefined || base === 0 ? 1 : Number((value / base).toPrecision(12));
  const price: Terms = {
    type: 'tokens',
    input: credits(p),
    output: credits(c),
    extra_ratios: {
      cached_tokens_ratio: of(found.cr, p),
      cached_read_ratio: of(found.cr, p),
      cached_write_ratio: of(found.cc, p),
      cached_write_1h_ratio: of(found.cc1h ?? found.cc, p),
      input_image_tokens_ratio: of(found.img, p),
      output_image_tokens_ratio: of(found.img_o, c),
      input_audio_tokens_ratio: of(found.ai, p),
      output_audio_tokens_ratio: of(found.ao, c),
      reasoning_tokens_ratio: 1,
    },
  };
  return { price, isExact };
}

import type { ExtraRatios, PriceInput, PriceRule, RuleConditions, ServiceMode } from '@relay-hub/contract';

type Terms = Pick<PriceInput, 'type' | 'input' | 'output'> & { extra_ratios: ExtraRatios; rules: PriceRule[] };

/** Variables of new-api's price expressions: counts without one are charged as prompt (`p`) or completion (`c`). */
const variables = new Set(['p', 'c', 'cr', 'cc', 'cc1h', 'img', 'img_o', 'ai', 'ao']);

/** Dollars per million by variable, and the lengths of the prompt that they hold for. */
interface Step {
  when: Pick<RuleConditions, 'over' | 'up_to'>;
  rates: ReadonlyMap<string, number>;
}

/**
 * The price of an expression in USD per million tokens: `tier("base", p*2.5 + c*15)`, tiers by length
 * (`len <= 200000 ? tier(…) : tier(…)`), and factors by service tier and hour behind it
 * (`(…) * (param("service_tier") == "priority" ? 2 : 1)`). Of others it is the first tier, which is not exact.
 */
export function tieredPrice(expression: string, unit: number): { price: Terms | undefined; isExact: boolean } {
  const [main = '', ...behind] = split(expression.replace(/^\s*v\d+:/, ''), '|||').flatMap((part, at) =>
    at === 0 && !part.includes('?') ? [part] : split(part, '*'),
  );
  const steps = stepsOf(main, {});
  const factors = behind.map(factorOf);
  const known = factors.filter((rule) => rule !== undefined);
  // Two names of one tier, such as priority and fast, are one rule.
  const rules = known.filter((rule, at) => known.findIndex((each) => isSame(each, rule)) === at);
  const [base, ...longer] = steps ?? firstTier(expression);
  if (!base) return { price: undefined, isExact: false };
  const terms = termsOf(base.rates, unit);
  return {
    price: {
      type: 'tokens',
      ...terms,
      rules: [
        ...longer.map(({ when, rates }): PriceRule => {
          const { input, output, extra_ratios: kinds } = termsOf(rates, unit);
          return { ...when, effect: 'replace', input, output, kinds };
        }),
        ...rules,
      ],
    },
    isExact: steps !== undefined && known.length === factors.length,
  };
}

const isSame = (a: PriceRule, b: PriceRule): boolean => JSON.stringify(a) === JSON.stringify(b);

function termsOf(rates: ReadonlyMap<string, number>, unit: number): Omit<Terms, 'type' | 'rules'> {
  const [p, c] = [rates.get('p') ?? 0, rates.get('c') ?? 0];
  const credits = (usd: number): number => Number(((usd * unit) / 1_000_000).toPrecision(12));
  const of = (names: readonly string[], base: number): number => {
    const value = names.map((name) => rates.get(name)).find((rate) => rate !== undefined);
    return value === undefined || base === 0 ? 1 : Number((value / base).toPrecision(12));
  };
  return {
    input: credits(p),
    output: credits(c),
    extra_ratios: {
      cached_tokens_ratio: of(['cr'], p),
      cached_read_ratio: of(['cr'], p),
      cached_write_ratio: of(['cc'], p),
      cached_write_1h_ratio: of(['cc1h', 'cc'], p),
      input_image_tokens_ratio: of(['img'], p),
      output_image_tokens_ratio: of(['img_o'], c),
      input_audio_tokens_ratio: of(['ai'], p),
      output_audio_tokens_ratio: of(['ao'], c),
      reasoning_tokens_ratio: 1,
    },
  };
}

/** The tiers of a chain of conditions on the length, the shortest first; undefined if it is anything else. */
function stepsOf(text: string, within: Step['when'], depth = 0): Step[] | undefined {
  const bare = unwrapped(text);
  const [, sum] = /^tier\(\s*"[^"]*"\s*,([^"?]*)\)$/.exec(bare) ?? [];
  if (sum !== undefined) {
    const rates = ratesOf(sum);
    return rates && [{ when: within, rates }];
  }
  const [condition = '', ...rest] = split(bare, '?');
  const [yes = '', ...no] = split(rest.join('?'), ':');
  const [, sign = '', digits] = /^len\s*(<=|<|>=|>)\s*(\d{1,9})$/.exec(unwrapped(condition)) ?? [];
  if (digits === undefined || no.length === 0 || depth > MOST_STEPS) return undefined;
  const bound = Number(digits) - (sign === '<' || sign === '>=' ? 1 : 0);
  const [short, long] = sign.startsWith('<') ? [yes, no.join(':')] : [no.join(':'), yes];
  const below = stepsOf(short, { ...within, up_to: bound }, depth + 1);
  const above = stepsOf(long, { ...within, over: bound }, depth + 1);
  if (!below || !above) return undefined;
  // The price is that of the shortest prompts, which need no condition.
  return within.over === undefined && below[0]
    ? [{ ...below[0], when: {} }, ...below.slice(1), ...above]
    : [...below, ...above];
}

const MOST_STEPS = 20;

/** The first tier of an expression that is not understood as a whole. */
function firstTier(expression: string): Step[] {
  const [, sum] = /tier\(\s*"[^"]*"\s*,\s*([^()]*)\)/.exec(expression) ?? [];
  const terms = (sum ?? '').split('+').map((term) => ratesOf(term));
  const rates = new Map(terms.flatMap((each) => [...(each ?? [])]));
  return sum === undefined ? [] : [{ when: {}, rates }];
}

/** `p*2.5 + c*15`; a variable alone counts once. */
function ratesOf(sum: string): Map<string, number> | undefined {
  const rates = new Map<string, number>();
  for (const term of sum.split('+')) {
    const [, name = '', factor = '1'] = /^\s*\(?(\w+)\)?\s*(?:\*\s*(\d+(?:\.\d+)?))?\s*$/.exec(term) ?? [];
    if (!variables.has(name) || rates.has(name)) return undefined;
    rates.set(name, Number(factor));
  }
  return rates;
}

const tiers: Readonly<Record<string, ServiceMode>> = {
  flex: 'flex',
  priority: 'priority',
  fast: 'priority',
  ultrafast: 'ultrafast',
};

/** A factor as a rule: by service tier or speed, or between two hours of a time zone. */
function factorOf(text: string): PriceRule | undefined {
  const [, condition = '', factor] = /^(.+)\?\s*(\d+(?:\.\d+)?)\s*:\s*1(?:\.0)?$/s.exec(unwrapped(text)) ?? [];
  const by = Number(factor);
  const multiply = (when: RuleConditions): PriceRule => ({ ...when, effect: 'multiply', input: by, output: by });
  const when = unwrapped(condition);
  const [, field, value = ''] = /^param\("(service_tier|speed)"\)\s*==\s*"(\w+)"$/.exec(when) ?? [];
  if (field === 'speed' && value === 'fast') return multiply({ modes: ['fast'] });
  const mode = field === 'service_tier' && Object.hasOwn(tiers, value) ? tiers[value] : undefined;
  if (mode) return multiply({ modes: [mode] });
  const hours = /^hour\("([\w/+-]+)"\)\s*>=\s*(\d{1,2})\s*&&\s*hour\("([\w/+-]+)"\)\s*<\s*(\d{1,2})$/.exec(when);
  const [, zone, from = '', other, to = ''] = hours ?? [];
  if (zone === undefined || zone !== other) return undefined;
  return multiply({ zone, from: `${from.padStart(2, '0')}:00`, to: `${to.padStart(2, '0')}:00` });
}

/** Without spaces and without parentheses around the whole. */
function unwrapped(text: string): string {
  const bare = text.trim();
  if (!bare.startsWith('(')) return bare;
  let depth = 0;
  for (let at = 0; at < bare.length; at++) {
    if (bare[at] === '(') depth++;
    if (bare[at] === ')' && --depth === 0) return at === bare.length - 1 ? unwrapped(bare.slice(1, -1)) : bare;
  }
  return bare;
}

/** Parts between a separator outside of parentheses and texts. */
function split(text: string, separator: string): string[] {
  const parts: string[] = [];
  let [depth, start, isText] = [0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') isText = !isText;
    else if (isText) continue;
    else if (sign === '(') depth++;
    else if (sign === ')') depth--;
    else if (depth === 0 && text.startsWith(separator, at)) {
      parts.push(text.slice(start, at));
      start = at + separator.length;
      at = start - 1;
    }
  }
  return [...parts, text.slice(start)];
}

import type { CapUse, LimitUse, ProviderWishes, TokenCap, TokenLimits } from '@relay-hub/contract';
import { formatMoney } from '#ui/format/money.ts';
import { abbreviate, formatWhole } from '#ui/format/number.ts';
import type { MoneyFormat } from '#ui/format/site-format.ts';
import { formatDate } from '#ui/format/time.ts';
import type { Translate } from '#i18n/t.ts';

type T = Translate<'token'>;

/** Items named in a list before the rest is counted. */
const NAMED = 2;

/** An amount of a measure: "$5" or "60". */
export const amountText = (measure: TokenCap['measure'], amount: number, money: MoneyFormat): string =>
  measure === 'credits'
    ? formatMoney(amount, money).replace(/\.00$/, '')
    : measure === 'tokens'
      ? abbreviate(amount)
      : formatWhole(amount);

/** A cap in words: "$5 a day", "60 requests a minute", "8 calls at once". */
export const capText = (
  { measure, period, amount }: Omit<TokenCap, 'period'> & Pick<LimitUse, 'period'>,
  t: T,
  money: MoneyFormat,
): string => t(`capOf.${measure}`, { amount: amountText(measure, amount, money), per: t(`per.${period}`) });

/** A few items, and how many more there are. */
export function listText(items: readonly string[], t: T): string {
  const named = items.slice(0, NAMED).join(t('comma'));
  return items.length > NAMED ? t('andMore', { names: named, count: items.length - NAMED }) : named;
}

export interface WordsOf {
  limits: TokenLimits;
  /** Credits of the total quota; undefined: unlimited. */
  total: number | undefined;
  /** Unix seconds; -1: never. */
  expires: number;
}

/** All limits of a token in one sentence; empty: it has none. */
export function limitsInWords({ limits, total, expires }: WordsOf, t: T, money: MoneyFormat): string {
  const caps = limits.caps.map((cap) => capText(cap, t, money));
  if (total !== undefined) caps.push(t('inTotal', { amount: amountText('credits', total, money) }));
  const parts = [
    caps.join(t('comma')),
    limits.models.length > 0 ? listText(limits.models, t) : '',
    limits.endpoints.length > 0
      ? listText(
          limits.endpoints.map((name) => t(`endpointNames.${name}`)),
          t,
        )
      : '',
    limits.addresses.length > 0 ? t('fromAddresses', { addresses: listText(limits.addresses, t) }) : '',
    providerWords(limits.provider ?? {}, t),
    expires > 0 ? t('untilDate', { date: formatDate(expires) }) : '',
  ];
  return parts.filter((part) => part !== '').join(t('semicolon'));
}

/** Limits on providers in words; empty: there are none. */
export function providerWords(provider: ProviderWishes, t: T): string {
  const {
    order,
    only,
    ignore,
    region,
    quantizations,
    data_collection,
    sort,
    max_price: most,
    require_parameters,
  } = provider;
  const named = (key: 'only' | 'ignore' | 'region' | 'quantizations' | 'order', list: readonly string[] | undefined) =>
    list && list.length > 0 ? t(`providerWords.${key}`, { names: listText(list, t) }) : '';
  const parts = [
    named('only', only),
    named('ignore', ignore),
    named('region', region),
    named('quantizations', quantizations),
    data_collection === 'deny' ? t('providerWords.deny') : '',
    most?.prompt === undefined ? '' : t('providerWords.prompt', { price: `$${most.prompt}` }),
    most?.completion === undefined ? '' : t('providerWords.completion', { price: `$${most.completion}` }),
    named('order', order),
    sort ? t(`providerWords.${sort}`) : '',
    require_parameters ? t('providerWords.require') : '',
  ];
  return parts.filter((part) => part !== '').join(t('semicolon'));
}

/** The cap of which the largest share is used; undefined: there are none. */
export const tightest = <Use extends Pick<CapUse, 'used' | 'amount'>>(uses: readonly Use[]): Use | undefined =>
  uses.toSorted((a, b) => shareOf(b) - shareOf(a) || a.amount - b.amount)[0];

export const shareOf = ({ used, amount }: Pick<CapUse, 'used' | 'amount'>): number => (amount > 0 ? used / amount : 1);

/** A cap of which this share is used is shown as a warning. */
export const NEAR = 0.8;

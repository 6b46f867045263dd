import {
  callPriceText,
  extraKinds,
  priceText,
  type FeeEvent,
  type PriceFee,
  type PriceRule,
  type PriceUnit,
  type RuleConditions,
} from '@relay-hub/contract';
import type { Translate } from '#i18n/t.ts';
import { formatPlain, formatWhole } from '#ui/format/number.ts';

/** How own prices and fees are written: as amounts for a group, or as ratios, where amounts are next to them. */
export type RuleStyle =
  | { unit: PriceUnit; groupRatio: number; perCall?: boolean | undefined }
  | { unit: undefined; perCall?: boolean | undefined };

export interface RuleWords {
  /** "priority, over 272K tokens" */
  when: (rule: RuleConditions) => string;
  /** "input 2×, output 1.5×" */
  effect: (rule: PriceRule, style: RuleStyle) => string;
  /** "priority: 2×" */
  rule: (rule: PriceRule, style: RuleStyle) => string;
  /** "web search $10.00 per 1,000" */
  fee: (fee: Pick<PriceFee, 'event' | 'fee'>, style: { unit: PriceUnit; groupRatio: number }) => string;
  event: (event: FeeEvent) => string;
}

/** Rules and fees of a price in words of the current language; `language` is its tag. */
export function ruleWords(t: Translate<'priceRule'>, language: string): RuleWords {
  const list = (parts: (string | false | undefined)[]) => parts.filter(Boolean).join(t('separator'));
  const when = (rule: RuleConditions): string =>
    list([
      rule.modes?.map((mode) => t(`modes.${mode}`)).join(' / '),
      lengthText(rule, t),
      regionsText(rule.regions, t),
      rule.reasoning !== undefined && t(rule.reasoning ? 'reasoning' : 'noReasoning'),
      windowText(rule, t, language),
      rule.except && t('except', { count: rule.except.length }),
      rule.valid_from !== undefined && t('since', { date: dateText(rule.valid_from, rule.zone, language) }),
      rule.valid_to !== undefined && t('before', { date: dateText(rule.valid_to, rule.zone, language) }),
    ]) || t('always');
  const effect = (rule: PriceRule, style: RuleStyle): string => {
    const { input, output, kinds = {} } = rule;
    const own = extraKinds.filter(({ key }) => kinds[key] !== undefined);
    const multiple = (by: number) => (by === 0 ? t('free') : t('times', { multiple: formatPlain(by, 6) }));
    if (rule.effect === 'multiply') {
      const others = own.map(({ kind, key }) =>
        t('kind', { kind: t(`kinds.${kind}`), value: multiple(kinds[key] ?? 1) }),
      );
      if (style.perCall || (input === output && others.length === 0)) return multiple(input);
      return list([t('input', { value: multiple(input) }), t('output', { value: multiple(output) }), ...others]);
    }
    if (style.perCall) {
      const price = style.unit ? callPriceText([input, style.groupRatio], style.unit.currency) : undefined;
      return style.unit ? (price ? t('perCall', { price }) : t('free')) : t('ratio', { value: formatPlain(input, 10) });
    }
    const amount = (...ratios: number[]) =>
      style.unit
        ? (priceText([...ratios, style.groupRatio], style.unit) ?? t('free'))
        : formatPlain(
            ratios.reduce((a, b) => a * b),
            10,
          );
    const prices = list([
      t('input', { value: amount(input) }),
      t('output', { value: amount(output) }),
      ...own.map(({ kind, key, side }) =>
        t('kind', { kind: t(`kinds.${kind}`), value: amount(rule[side], kinds[key] ?? 1) }),
      ),
    ]);
    return style.unit
      ? t('per', { prices, per: style.unit.per === 1000 ? '1K' : '1M' })
      : t('ratio', { value: prices });
  };
  const event = (name: FeeEvent) => t(`events.${name}`);
  return {
    when,
    effect,
    rule: (rule, style) => t('line', { when: when(rule), effect: effect(rule, style) }),
    fee: ({ event: name, fee }, { unit, groupRatio }) =>
      t('fee', { event: event(name), price: callPriceText([fee, groupRatio, 1000], unit.currency) ?? t('free') }),
    event,
  };
}

/** `272000` → `272K`, `1000000` → `1M`, `32768` → `32,768`. */
export function tokensText(tokens: number): string {
  if (tokens > 0 && tokens % 1_000_000 === 0) return `${formatWhole(tokens / 1_000_000)}M`;
  return tokens > 0 && tokens % 1000 === 0 ? `${formatWhole(tokens / 1000)}K` : formatWhole(tokens);
}

/** `regional` is any region, as opposed to the provider's global endpoint. */
function regionsText(regions: readonly string[] | undefined, t: Translate<'priceRule'>): string | undefined {
  if (!regions) return undefined;
  const named = regions.filter((region) => region !== 'regional');
  const parts = [
    ...(named.length < regions.length ? [t('regional')] : []),
    ...(named.length > 0 ? [t('regions', { regions: named.join(' / ') })] : []),
  ];
  return parts.join(' / ');
}

/** Thresholds that include a round number, as in "200K tokens or more", are one below it in a rule. */
function lengthText({ over, up_to: most }: RuleConditions, t: Translate<'priceRule'>): string | undefined {
  if (over === undefined) return most === undefined ? undefined : t('upTo', { tokens: tokensText(most) });
  const includes = over % 1000 === 999;
  const from = tokensText(includes ? over + 1 : over);
  if (most === undefined) return t(includes ? 'atLeast' : 'over', { tokens: from });
  return t(includes ? 'betweenAtLeast' : 'between', { from, to: tokensText(most) });
}

function windowText(rule: RuleConditions, t: Translate<'priceRule'>, language: string): string | undefined {
  const { zone, days, from, to } = rule;
  if (zone === undefined || (!days && from === undefined)) return undefined;
  const hours = from === undefined || to === undefined ? t('allDay') : `${from}–${to}`;
  return t('window', { days: daysText(days, t, language), hours, zone: zoneText(zone, t, language) });
}

function daysText(days: readonly number[] | undefined, t: Translate<'priceRule'>, language: string): string {
  const sorted = [...new Set(days ?? [])].toSorted((a, b) => a - b);
  const key = sorted.join('');
  if (key === '' || key === '1234567') return t('everyDay');
  if (key === '12345') return t('weekdays');
  if (key === '67') return t('weekends');
  return sorted.map((day) => dayText(day, language)).join(' / ');
}

/** Short name of a weekday, 1 = Monday. */
export const dayText = (day: number, language: string): string =>
  new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' }).format(Date.UTC(2024, 0, day)); // 1 January 2024 was a Monday

const chinese = ['Asia/Shanghai', 'Asia/Chongqing', 'PRC'];

function zoneText(zone: string, t: Translate<'priceRule'>, language: string): string {
  if (/^(?:etc\/)?(?:utc|gmt)$/i.test(zone)) return 'UTC';
  if (chinese.includes(zone)) return t('beijing');
  const parts = new Intl.DateTimeFormat(language, { timeZone: zone, timeZoneName: 'longGeneric' }).formatToParts();
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone;
}

/** The date in the rule's zone, or else the reader's; with the time unless it is midnight. */
function dateText(seconds: number, zone: string | undefined, language: string): string {
  const of = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { ...options, timeZone: zone }).format(seconds * 1000);
  const time = of({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return of({ dateStyle: 'medium' }) + (time === '00:00' ? '' : ` ${time}`);
}

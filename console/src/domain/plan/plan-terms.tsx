import type { PlanNames, PlanTerms, PlanWindow } from '@relay-hub/contract';
import { Check } from 'lucide-react';
import { useUserGroups } from '#api/user-groups.ts';
import { languageTag } from '#i18n/i18n.ts';
import { i18n, type Translate } from '#i18n/t.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { formatMoney } from '#ui/format/money.ts';
import { abbreviate, formatWhole } from '#ui/format/number.ts';
import { useSiteFormat, type MoneyFormat } from '#ui/format/site-format.ts';
import { formatUnits } from '#ui/format/time.ts';

/** Items named in a list before the rest is counted. */
const NAMED = 5;

/** A text of a plan in the reader's language, or in the first that has one. */
export const planText = (texts: PlanNames): string =>
  texts[i18n.language as keyof PlanNames] || // an unknown language has none
  texts.en_US ||
  Object.values(texts).find((text) => text !== '') ||
  '';

type Span = Pick<PlanTerms, 'unit' | 'count'>;

/** A period as "a month" or "every 3 months". */
const perText = ({ unit, count }: Span, t: Translate<'plan'>): string =>
  count === 1 ? t(`per.${unit}`) : t('every', { span: formatUnits(count, unit, languageTag()) });

/** The price of a plan as "$10 a month" or "Free for 7 days". */
export function planPriceText(terms: Span & Pick<PlanTerms, 'price'>, t: Translate<'plan'>, money: MoneyFormat) {
  const { price, unit, count } = terms;
  if (price === 0) return { price: t('free'), per: t('freeSpan', { span: formatUnits(count, unit, languageTag()) }) };
  return { price: planAmount(price, t, money), per: perText(terms, t) };
}

/** Credits as "$10" or "40M credits". */
export const planAmount = (credits: number, t: Translate<'plan'>, money: MoneyFormat): string =>
  money.inCurrency
    ? formatMoney(credits, money).replace(/\.00$/, '')
    : t('amountCredits', { amount: formatMoney(credits, money) });

function windowText({ measure, period, amount }: PlanWindow, t: Translate<'plan'>, money: MoneyFormat): string {
  const shown =
    measure === 'credits'
      ? planAmount(amount, t, money)
      : measure === 'tokens'
        ? abbreviate(amount)
        : formatWhole(amount);
  return t('window', { amount: t(`amountOf.${measure}`, { amount: shown }), within: t(`within.${period}`) });
}

function listed(names: readonly string[], t: Translate<'plan'>): string {
  const named = names.slice(0, NAMED).join(t('comma'));
  return names.length > NAMED ? t('more', { names: named, count: names.length }) : named;
}

/** The terms of a plan, line by line. */
export function PlanTermsList({ terms }: { terms: PlanTerms }) {
  const { t } = useTranslation('plan');
  const money = useSiteFormat();
  const groups = useUserGroups();
  const { allowance, windows, models, beyond, grace_days: grace } = terms;
  const amount = allowance !== null && planAmount(allowance, t, money);
  const lines = [
    amount !== false && t('allowance', { amount, per: perText(terms, t) }),
    ...windows.map((window) => windowText(window, t, money)),
    allowance === null && windows.length === 0 && t('unlimited'),
    models.length > 0 ? t('models', { names: listed(models, t) }) : t('allModels'),
    terms.groups.length > 0 &&
      t('groups', {
        names: listed(
          terms.groups.map((symbol) => groups[symbol]?.name ?? symbol),
          t,
        ),
      }),
    t(`beyond.${beyond}`),
    grace > 0 && t('grace', { span: formatUnits(grace, 'day', languageTag()) }),
  ].filter((line) => line !== false);
  return (
    <ul className="grid gap-1.5 text-13">
      {lines.map((line) => (
        <li key={line} className="flex min-w-0 gap-2">
          <Icon of={Check} size={14} className="mt-[3px] flex-none text-ok" />
          <span className="min-w-0 break-words">{line}</span>
        </li>
      ))}
    </ul>
  );
}

/** The price of a plan on one line. */
export function PlanPrice({ terms }: { terms: PlanTerms }) {
  const { t } = useTranslation('plan');
  const { price, per } = planPriceText(terms, t, useSiteFormat());
  return (
    <span className="block truncate tabular-nums">
      {price} <span className="text-text2">{per}</span>
    </span>
  );
}

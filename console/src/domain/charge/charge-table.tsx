import { feeEvents, ratiosUnder, type ChargePart, type PriceRule, type PriceTerms } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { moneyInFull } from '#ui/format/money.ts';
import { formatPlain, formatWhole } from '#ui/format/number.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { useRuleWords } from '#domain/price-rules/rule-summary.tsx';
import { fractionDigits, groupDigits, type Charge } from './charge-of.ts';

interface Props {
  charge: Charge;
  /** Credits that were, or would be, charged. */
  charged: number;
  /** The price, and its rules that held. */
  terms: PriceTerms;
  rules: readonly PriceRule[];
}

/** Every line of a charge: how the rates come about if rules hold, then counts × rates, fees, rounding and the sum. */
export function ChargeItems(props: Props) {
  const phone = useIsPhone();
  return (
    <>
      {props.rules.length > 0 && <RateSteps terms={props.terms} rules={props.rules} />}
      {phone ? <ChargeLines {...props} /> : <ChargeTable {...props} />}
    </>
  );
}

/** The base price, each rule that held, and the ratios that result. */
function RateSteps({ terms, rules }: Pick<Props, 'terms' | 'rules'>) {
  const { t } = useTranslation(['charge', 'priceRule']);
  const words = useRuleWords();
  const perCall = terms.type === 'times';
  // The last own price is the base of all that multiply; earlier ones have no effect.
  const own = rules.findLast(({ effect }) => effect === 'replace');
  const steps = [...(own ? [own] : []), ...rules.filter(({ effect }) => effect === 'multiply')];
  const result = ratiosUnder(terms, rules);
  const sides = perCall ? (['input'] as const) : (['input', 'output'] as const);
  const sign = { multiply: '×', replace: '=' };
  return (
    <div className="overflow-hidden rounded-card border border-line">
      <table className="w-full border-separate border-spacing-0 text-13 tabular-nums [&_tr>*:first-child]:pl-4 [&_tr>*:first-child]:text-left [&_tr>*:last-child]:pr-4">
        <thead>
          <tr>
            <th scope="col" className={head}>
              {t('ruleHead')}
            </th>
            {sides.map((side) => (
              <th key={side} scope="col" className={cx(head, 'w-24 max-sm:w-18')}>
                {t(perCall ? 'perCallRate' : `part_${side}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr className="group">
            <th scope="row" className={cx(cell, 'font-normal')}>
              {t('base')}
            </th>
            {sides.map((side) => (
              <td key={side} className={cell}>
                {formatPlain(terms[side], 10)}
              </td>
            ))}
          </tr>
          {steps.map((rule) => (
            <tr key={JSON.stringify(rule)} className="group">
              <th scope="row" className={cx(cell, 'py-1.5 font-normal')}>
                {words.when(rule)}
                {!perCall && rule.kinds && (
                  <span className="block text-12 text-text2">{words.effect(rule, { unit: undefined, perCall })}</span>
                )}
              </th>
              {sides.map((side) => (
                <td key={side} className={cx(cell, 'whitespace-nowrap')}>
                  <span className="text-text2">{sign[rule.effect]}</span> {formatPlain(rule[side], 10)}
                </td>
              ))}
            </tr>
          ))}
          <tr className="group font-title">
            <th scope="row" className={cell}>
              {t('rate')}
            </th>
            {sides.map((side) => (
              <td key={side} className={cell}>
                {groupDigits(result[side])}
              </td>
            ))}
          </tr>
        </tbody>
      </table>
    </div>
  );
}

const isFee = (kind: string): boolean => feeEvents.some((event) => event === kind);

const head = 'h-9 border-b border-line bg-sunk px-2 text-right text-12 font-normal text-text2';
const cell = 'h-9 border-b border-line px-2 text-right group-last:border-b-0';

/** One model may have parts under several rules. */
const keyOf = ({ kind, model = '', ratio }: ChargePart): string => `${model} ${kind} ${ratio}`;

/** The model of a part, if it is not that of the call. */
const OtherModel = ({ part }: { part: ChargePart }) =>
  part.model !== undefined && <span className="block text-12 break-all text-text2">{part.model}</span>;

function ChargeTable({ charge, charged }: Props) {
  const { t } = useTranslation('charge');
  const counted = charge.parts.some(({ kind }) => isFee(kind))
    ? 'countBoth'
    : charge.perCall
      ? 'countTimes'
      : 'countTokens';
  const amounts = useAmounts(charge);
  return (
    <div className="overflow-hidden rounded-card border border-line">
      <table className="w-full border-separate border-spacing-0 text-13 tabular-nums [&_tr>*:first-child]:pl-4 [&_tr>*:first-child]:text-left [&_tr>*:last-child]:pr-4">
        <thead>
          <tr>
            {(['item', counted, 'ratio', 'groupRatio', 'inCredits'] as const).map((name) => (
              <th key={name} scope="col" className={head}>
                {t(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {charge.parts.map((part) => (
            <tr key={keyOf(part)} className="group">
              <th scope="row" className={cx(cell, 'font-normal')}>
                {t(`part_${part.kind}`)}
                <OtherModel part={part} />
              </th>
              <td className={cell}>{formatWhole(part.count)}</td>
              <td className={cell}>{groupDigits(part.ratio)}</td>
              <td className={cx(cell, 'text-text2')}>{charge.groupRatio}</td>
              <td className={cell}>{amounts.text(part.credits)}</td>
            </tr>
          ))}
          {amounts.sums.map(({ name, amount }) => (
            <tr key={name} className="group text-text2">
              <th scope="row" colSpan={4} className={cx(cell, 'font-normal')}>
                {name}
              </th>
              <td className={cell}>{amount}</td>
            </tr>
          ))}
          <tr className="group font-title">
            <th scope="row" colSpan={2} className={cell}>
              {t('charged')}
            </th>
            <td colSpan={3} className={cx(cell, 'text-14')}>
              <Charged credits={charged} />
            </td>
          </tr>
        </tbody>
      </table>
    </div>
  );
}

/** The same on phones, one line per item. */
function ChargeLines({ charge, charged }: Props) {
  const { t } = useTranslation('charge');
  const amounts = useAmounts(charge);
  const line = 'flex min-h-11 flex-wrap items-center gap-x-3 py-2';
  return (
    <dl className="divide-y divide-line rounded-card border border-line bg-card px-4 tabular-nums">
      {charge.parts.map((part) => (
        <div key={keyOf(part)} className={line}>
          <dt className="min-w-17">
            {t(`part_${part.kind}`)}
            <OtherModel part={part} />
          </dt>
          <dd className="flex flex-1 flex-wrap items-center gap-x-3">
            <span className="text-13 text-text2">
              {formatWhole(part.count)} × {groupDigits(part.ratio)} × {charge.groupRatio}
            </span>
            <span className="ml-auto">{amounts.text(part.credits)}</span>
          </dd>
        </div>
      ))}
      {amounts.sums.map(({ name, amount }) => (
        <div key={name} className={cx(line, 'text-13 text-text2')}>
          <dt className="flex-1">{name}</dt>
          <dd>{amount}</dd>
        </div>
      ))}
      <div className={cx(line, 'font-title')}>
        <dt className="flex-1">{t('charged')}</dt>
        <dd>
          <Charged credits={charged} />
        </dd>
      </div>
    </dl>
  );
}

/** Credits, with dollars where the site shows them. */
function Charged({ credits }: { credits: number }) {
  const format = useSiteFormat();
  return (
    <>
      {formatWhole(credits)}
      {format.inCurrency && (
        <>
          <span className="font-normal text-text2"> = </span>
          {moneyInFull(credits, format).dollars}
        </>
      )}
    </>
  );
}

/** Credits with as many decimals as the longest has, and the difference between items and charge. */
function useAmounts(charge: Charge) {
  const { t } = useTranslation('charge');
  const { parts, subtotal, rounding, shortfall, perCall, credits, whole = credits, percent } = charge;
  const digits = fractionDigits([...parts.map((part) => part.credits), subtotal, rounding]);
  const text = (decimal: string) => groupDigits(decimal, digits);
  const isMinimum = whole === 1 && (perCall ? subtotal.startsWith('0') : subtotal === '0');
  const rounded = isMinimum ? 'minimum' : rounding.startsWith('-') ? 'roundingDown' : 'roundingUp';
  const sums = [
    ...(rounding !== '0' || shortfall > 0 || percent !== undefined
      ? [{ name: t('subtotal'), amount: text(subtotal) }]
      : []),
    ...(rounding !== '0'
      ? [
          {
            name: t(rounded),
            amount: rounding.startsWith('-') ? text(rounding) : `+${text(rounding)}`,
          },
        ]
      : []),
    ...(percent === undefined
      ? []
      : [{ name: t('fromReplyCache', { percent: formatWhole(percent) }), amount: formatWhole(credits - whole) }]),
    ...(shortfall > 0 ? [{ name: t('shortfall'), amount: formatWhole(-shortfall) }] : []),
  ];
  return { text, sums };
}

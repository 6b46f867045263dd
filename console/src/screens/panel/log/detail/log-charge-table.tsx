import type { Log } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { moneyInFull } from '#ui/format/money.ts';
import { formatWhole } from '#ui/format/number.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { fractionDigits, groupDigits, type Charge } from './charge-of.ts';

interface Props {
  row: Log;
  charge: Charge;
}

const head = 'h-9 border-b border-line bg-sunk px-2 text-right text-12 font-normal text-text2';
const cell = 'h-9 border-b border-line px-2 text-right group-last:border-b-0';

export function ChargeTable({ row, charge }: Props) {
  const { t } = useTranslation('log');
  const amounts = useAmounts(charge);
  return (
    <div className="overflow-hidden rounded-card border border-line">
      <table className="w-full border-separate border-spacing-0 text-13 tabular-nums [&_tr>*:first-child]:pl-4 [&_tr>*:first-child]:text-left [&_tr>*:last-child]:pr-4">
        <thead>
          <tr>
            {(['item', charge.perCall ? 'countTimes' : 'countTokens', 'ratio', 'groupRatio', 'inCredits'] as const).map(
              (name) => (
                <th key={name} scope="col" className={head}>
                  {t(name)}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {charge.parts.map((part) => (
            <tr key={part.kind} className="group">
              <th scope="row" className={cx(cell, 'font-normal')}>
                {t(`part_${part.kind}`)}
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
              <Charged credits={row.quota} />
            </td>
          </tr>
        </tbody>
      </table>
    </div>
  );
}

/** The same on phones, one line per item. */
export function ChargeLines({ row, charge }: Props) {
  const { t } = useTranslation('log');
  const amounts = useAmounts(charge);
  const line = 'flex min-h-11 flex-wrap items-center gap-x-3 py-2';
  return (
    <dl className="divide-y divide-line rounded-card border border-line bg-card px-4 tabular-nums">
      {charge.parts.map((part) => (
        <div key={part.kind} className={line}>
          <dt className="min-w-17">{t(`part_${part.kind}`)}</dt>
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
          <Charged credits={row.quota} />
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
  const { t } = useTranslation('log');
  const { parts, subtotal, rounding, shortfall, perCall, credits } = charge;
  const digits = fractionDigits([...parts.map((part) => part.credits), subtotal, rounding]);
  const text = (decimal: string) => groupDigits(decimal, digits);
  const isMinimum = credits === 1 && (perCall ? subtotal.startsWith('0') : subtotal === '0');
  const rounded = isMinimum ? 'minimum' : rounding.startsWith('-') ? 'roundingDown' : 'roundingUp';
  const sums = [
    ...(rounding !== '0' || shortfall > 0 ? [{ name: t('subtotal'), amount: text(subtotal) }] : []),
    ...(rounding !== '0'
      ? [
          {
            name: t(rounded),
            amount: rounding.startsWith('-') ? text(rounding) : `+${text(rounding)}`,
          },
        ]
      : []),
    ...(shortfall > 0 ? [{ name: t('shortfall'), amount: formatWhole(-shortfall) }] : []),
  ];
  return { text, sums };
}

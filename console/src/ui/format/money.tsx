import { useTranslation } from '#i18n/use-translation.ts';
import { formatMoney, moneyInFull, type MoneyStyle } from './money.ts';
import { useSiteFormat } from './site-format.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';

interface Props extends MoneyStyle {
  credits: number;
  className?: string | undefined;
}

/** An amount of credits as this site shows money; the tooltip has the exact value. */
export function Money({ credits, exact, fixed, signed, className }: Props) {
  const { t } = useTranslation('shared');
  const format = useSiteFormat();
  const shown = formatMoney(credits, format, { exact, fixed, signed });
  const full = moneyInFull(credits, format);
  const inCredits = t('credits', { amount: full.credits });
  const roundedAway =
    format.inCurrency &&
    !exact &&
    !fixed &&
    full.dollars.replace(/0+$/, '') !== shown.replace(/^\+/, '').replace(/0+$/, '');
  return (
    <Tooltip text={roundedAway ? `${full.dollars} = ${inCredits}` : inCredits}>
      <data value={credits} className={`tabular-nums ${className ?? ''}`}>
        {fixed ? <QuietZeros text={shown} /> : shown}
      </data>
    </Tooltip>
  );
}

/** Zeros at the end of an amount, after the cents, are there for the alignment only. */
function QuietZeros({ text }: { text: string }) {
  const [zeros = ''] = /(?<=\.\d\d\d*?)0+$/.exec(text) ?? [];
  if (zeros === '') return text;
  return (
    <>
      {text.slice(0, -zeros.length)}
      <span className="text-text3">{zeros}</span>
    </>
  );
}

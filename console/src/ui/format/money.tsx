import { useTranslation } from '#i18n/use-translation.ts';
import { formatMoney, moneyInFull, type MoneyStyle } from './money.ts';
import { useSiteFormat } from './site-format.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';

interface Props extends MoneyStyle {
  credits: number;
  className?: string | undefined;
}

/** An amount of credits as this site shows money; the tooltip has the exact value. */
export function Money({ credits, exact, signed, className }: Props) {
  const { t } = useTranslation('shared');
  const format = useSiteFormat();
  const shown = formatMoney(credits, format, { exact, signed });
  const full = moneyInFull(credits, format);
  const inCredits = t('credits', { amount: full.credits });
  const roundedAway =
    format.inCurrency && !exact && full.dollars.replace(/0+$/, '') !== shown.replace(/^\+/, '').replace(/0+$/, '');
  return (
    <Tooltip text={roundedAway ? `${full.dollars} = ${inCredits}` : inCredits}>
      <data value={credits} className={`tabular-nums ${className ?? ''}`}>
        {shown}
      </data>
    </Tooltip>
  );
}

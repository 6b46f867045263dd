import { ArrowDown, ArrowUp } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Icon } from '#shared/icon.tsx';
import { formatPercent } from '#shared/number.ts';

/** How today stands against the whole of yesterday. */
export function Change({ values }: { values: readonly number[] }) {
  const { t } = useTranslation('dashboard');
  const [before = 0, now = 0] = values.slice(-2);
  if (before === 0)
    return now > 0 && <span className="text-12 whitespace-nowrap text-text2">{t('noneYesterday')}</span>;
  const share = (now - before) / before;
  const shown = formatPercent(Math.abs(share), 1);
  const turn = share > 0 ? 'up' : share < 0 ? 'down' : 'same';
  return (
    <span className="inline-flex items-center gap-1 text-12 whitespace-nowrap text-text2 tabular-nums">
      {t('vsYesterday')}
      {turn === 'same' ? (
        t('same')
      ) : (
        <>
          <span className="sr-only">{t(turn, { share: shown })}</span>
          <span aria-hidden className="inline-flex items-center gap-0.5">
            <Icon of={turn === 'up' ? ArrowUp : ArrowDown} size={12} />
            {shown}
          </span>
        </>
      )}
    </span>
  );
}

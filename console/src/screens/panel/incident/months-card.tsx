import { useQuery } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { formatDuration } from '#ui/format/time.ts';
import { incidentMonths } from './incident-api.ts';

/** How fast troubles were noticed and repaired, by month; nothing before the first one. */
export function MonthsCard() {
  const { t, i18n } = useTranslation('incident');
  const months = useQuery(incidentMonths).data ?? [];
  if (months.length === 0) return null;
  const span = (seconds: number | null) =>
    seconds === null ? '–' : formatDuration(seconds, i18n.language.replace('_', '-'));
  return (
    <Card>
      <CardHead title={t('months')} />
      <table className="w-full border-t border-line text-13 tabular-nums">
        <thead>
          <tr className="text-left text-12 text-text3 *:px-4 *:py-2 *:font-normal">
            <th scope="col">{t('month')}</th>
            <th scope="col" className="text-right">
              {t('title')}
            </th>
            <th scope="col" className="text-right">
              {t('toNotice')}
            </th>
            <th scope="col" className="text-right">
              {t('toRepair')}
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line border-t border-line">
          {months.map(({ month, incidents, to_notice: notice, to_repair: repair }) => (
            <tr key={month} className="*:px-4 *:py-2">
              <td>{month}</td>
              <td className="text-right">{formatWhole(incidents)}</td>
              <td className="text-right">{span(notice)}</td>
              <td className="text-right">{span(repair)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

import type { Log } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatWhole } from '#ui/format/number.ts';
import { Cost } from '#screens/panel/log/log-cells.tsx';
import { FactList } from './log-request.tsx';

/** A row that is not a call: its remark and the change of the balance. */
export function LogNote({ row, admin }: { row: Log; admin: boolean }) {
  const { t } = useTranslation('log');
  const facts = [
    ...(row.quota === 0 ? [] : [{ name: t('inCredits'), value: formatWhole(row.quota) }]),
    ...(admin ? [{ name: t('user'), value: row.username }] : []),
    ...(row.source_ip === '' ? [] : [{ name: t('ip'), value: row.source_ip }]),
  ];
  return (
    <div className="grid grid-cols-1 gap-4">
      {row.quota !== 0 && <Cost row={row} className="text-26 font-medium" />}
      <p className="break-words whitespace-pre-wrap">{row.content === '' ? t('noContent') : row.content}</p>
      {facts.length > 0 && <FactList facts={facts} />}
    </div>
  );
}

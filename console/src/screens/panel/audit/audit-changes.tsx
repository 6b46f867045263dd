import type { AuditDetail } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { cx } from '#ui/basic/cx.ts';
import { useAuditTexts } from '#domain/audit/audit-texts.ts';
import { differencesOf, type Difference } from './differences.ts';

export function AuditChanges({ before, after }: Pick<AuditDetail, 'before' | 'after'>) {
  const { t } = useTranslation('audit');
  const { kind, rows, same } = differencesOf(before, after);
  const title = kind === 'made' || kind === 'gone' ? t(kind) : t('changes');
  return (
    <DrawerSection
      title={title}
      aside={rows.length > 0 && same > 0 && <span className="text-12 text-text3">{t('same', { count: same })}</span>}
    >
      {rows.length === 0 ? (
        <p className="text-13 text-text2">{t(kind === 'none' ? 'changesNone' : 'changesSame')}</p>
      ) : (
        <div className="overflow-x-auto rounded-card border border-line">
          <table className="w-full table-fixed text-13">
            <thead className="text-left text-12 text-text2">
              <tr className="*:px-3 *:py-2 *:font-normal">
                <th scope="col" className="w-34">
                  {t('field')}
                </th>
                {kind !== 'made' && <th scope="col">{t('before')}</th>}
                {kind !== 'gone' && <th scope="col">{t('after')}</th>}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <Row key={row.field} row={row} kind={kind} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </DrawerSection>
  );
}

function Row({ row, kind }: { row: Difference; kind: string }) {
  const { fieldOf } = useAuditTexts();
  const name = fieldOf(row.field);
  return (
    <tr className="border-t border-line align-top *:px-3 *:py-2">
      <th
        scope="row"
        title={row.field}
        className={cx('text-left text-12 font-normal break-words text-text2', name === row.field && 'font-mono')}
      >
        {name}
      </th>
      {kind !== 'made' && (
        <td className="break-words whitespace-pre-wrap">
          <del className={kind === 'changed' ? 'text-bad decoration-1' : 'no-underline'}>{row.before}</del>
        </td>
      )}
      {kind !== 'gone' && (
        <td className="break-words whitespace-pre-wrap">
          <ins className={kind === 'changed' ? 'text-ok no-underline' : 'no-underline'}>{row.after}</ins>
        </td>
      )}
    </tr>
  );
}

import type { BookChecked, BooksReport } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { formatDateTime } from '#ui/format/time.ts';
import { Status } from '#ui/feedback/status.tsx';

/** Every check in order, with its result and differences. */
export function BooksChecks({ report }: { report: BooksReport }) {
  const { t } = useTranslation('books');
  return (
    <Card aria-labelledby="books-checks">
      <CardHead id="books-checks" title={t('checksTitle')} />
      <ul>
        {report.checks.map((each) => (
          <Check key={each.check} checked={each} />
        ))}
      </ul>
    </Card>
  );
}

function Check({ checked: { check, compared, differing, differences } }: { checked: BookChecked }) {
  const { t } = useTranslation('books');
  return (
    <li className="border-t border-line px-4 py-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <div className="min-w-0 flex-1 basis-72">
          <h3 className="text-14 font-title">{t(`checks.${check}`)}</h3>
          <p className="text-13 text-text2">{t(`checkTexts.${check}`)}</p>
        </div>
        <p className="text-13 text-text2 tabular-nums sm:w-40 sm:text-right">
          {t('compared')} {formatWhole(compared)}
        </p>
        <div className="ml-auto sm:w-36">
          {differing > 0 ? (
            <Status kind="failed" text={t('differs', { count: differing, total: formatWhole(differing) })} />
          ) : compared > 0 ? (
            <Status kind="done" text={t('agrees')} />
          ) : (
            <Status kind="closed" text={t('nothing')} />
          )}
        </div>
      </div>
      {differences.length > 0 && <Differences check={check} rows={differences} differing={differing} />}
    </li>
  );
}

const cell = 'border-b border-line px-2.5 py-1.5 align-top';

interface Props {
  check: BookChecked['check'];
  rows: BookChecked['differences'];
  differing: number;
}

function Differences({ check, rows, differing }: Props) {
  const { t } = useTranslation('books');
  const rest = differing - rows.length;
  const label = t('differencesOf', { check: t(`checks.${check}`) });
  return (
    <div
      role="region"
      aria-label={label}
      tabIndex={0}
      className="mt-2.5 overflow-x-auto rounded-control border border-line"
    >
      <table className="w-full border-separate border-spacing-0 text-13 tabular-nums">
        <caption className="sr-only">{label}</caption>
        <thead className="bg-sunk text-12 text-text2">
          <tr>
            <th scope="col" className={`${cell} text-left font-normal`}>
              {t('whom')}
            </th>
            <th scope="col" className={`${cell} text-right font-normal`}>
              {t('expected')}
            </th>
            <th scope="col" className={`${cell} text-right font-normal`}>
              {t('found')}
            </th>
          </tr>
        </thead>
        <tbody className={rest > 0 ? '' : '[&>tr:last-child>*]:border-b-0'}>
          {rows.map((row) => (
            <tr key={row.of}>
              <th scope="row" className={`${cell} text-left font-normal break-all`}>
                {withHours(row.of)}
              </th>
              <td className={`${cell} text-right`}>{grouped(row.expected)}</td>
              <td className={`${cell} text-right text-bad`}>{grouped(row.found)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rest > 0 && (
        <p className="px-2.5 py-1.5 text-12 text-text2">{t('more', { count: rest, total: formatWhole(rest) })}</p>
      )}
    </div>
  );
}

/** Replaces hours, identified by their first second, with times. */
const withHours = (of: string): string =>
  of.replace(/\bhour (\d{9,11})\b/, (_, seconds: string) => formatDateTime(Number(seconds)));

/** `-12345` as `−12,345`; other text unchanged. */
const grouped = (text: string): string => (/^-?\d{1,15}$/.test(text) ? formatWhole(Number(text)) : text);

import type { BooksReport } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { Money } from '#ui/format/money.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { Time } from '#ui/format/time.tsx';

const cell = 'border-b border-line px-4 py-1.5 align-top';

/** The last calls that cost more than could be charged, with the cause; each leads to its log row. */
export function BooksShortfalls({ report }: { report: BooksReport }) {
  const { t } = useTranslation('books');
  const { shortfalls: rows, shortfall_calls: total } = report;
  if (rows.length === 0) return null;
  return (
    <Card aria-labelledby="books-shortfalls">
      <CardHead id="books-shortfalls" title={t('shortfalls.title')} />
      <p className="px-4 pb-3 text-13 text-text2">{t('shortfalls.text')}</p>
      <div role="region" aria-labelledby="books-shortfalls" tabIndex={0} className="overflow-x-auto">
        <table className="w-full border-separate border-spacing-0 text-13 tabular-nums">
          <thead className="bg-sunk text-12 text-text2">
            <tr>
              {(['call', 'user', 'model', 'cause'] as const).map((name) => (
                <th key={name} scope="col" className={`${cell} text-left font-normal`}>
                  {t(`shortfalls.${name}`)}
                </th>
              ))}
              {(['charged', 'uncollected'] as const).map((name) => (
                <th key={name} scope="col" className={`${cell} text-right font-normal whitespace-nowrap`}>
                  {t(`shortfalls.${name}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ request_id: request, log_id: id, created_at: at, username, model, cause, ...row }) => (
              <tr key={request}>
                <th scope="row" className={`${cell} text-left font-normal whitespace-nowrap`}>
                  <Link to="/panel/log" search={{ id }} className="underline underline-offset-3">
                    <Time at={at} />
                  </Link>
                </th>
                <td className={cell}>{username}</td>
                <td className={`${cell} break-all`}>{model}</td>
                <td className={cell}>{t(`shortfalls.${cause}`)}</td>
                <td className={`${cell} text-right whitespace-nowrap`}>
                  <Money credits={row.charged} />
                </td>
                <td className={`${cell} text-right whitespace-nowrap`}>
                  <Money credits={row.uncollected} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {total > rows.length && (
        <p className="px-4 py-2 text-12 text-text2">
          {t('shortfalls.last', { shown: formatWhole(rows.length), total: formatWhole(total) })}
        </p>
      )}
    </Card>
  );
}

import type { Statement } from '@relay-hub/contract';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSite } from '#api/site.ts';
import { cx } from '#ui/basic/cx.ts';
import { formatMoney } from '#ui/format/money.ts';
import { formatWhole } from '#ui/format/number.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { formatDate, formatDateTime } from '#ui/format/time.ts';
import { useNow } from '#ui/format/use-now.ts';

/** The printed part: balances, movements, and usage by token and model. */
export function StatementSheet({ statement }: { statement: Statement }) {
  const { t } = useTranslation(['statement', 'ledger']);
  const site = useSite();
  const now = useNow(60);
  const { opening, closing, entries, spent, usage, unlisted, from, until, closed } = statement;
  const { members, cost_centres: centres } = statement;
  return (
    <article
      aria-labelledby="statement-title"
      className="paper mx-auto max-w-180 rounded-[2px] border border-line bg-card px-14 pt-12 pb-16 text-text max-sm:px-5 max-sm:py-7 print:max-w-none print:border-0 print:p-0"
    >
      <header className="flex flex-wrap items-start justify-between gap-4">
        <div>
          <p className="text-18 font-title break-words">{site?.system_name}</p>
          <p className="text-13 text-text2">{t('account', { name: statement.username })}</p>
        </div>
        <div className="text-right">
          <h2 id="statement-title" className="text-20">
            {t('heading', { month: statement.month })}
          </h2>
          <p className="text-13 text-text2 tabular-nums">
            {t('period', { from: formatDate(from), to: formatDate(until - 1), zone: statement.time_zone })}
          </p>
        </div>
      </header>
      {!closed && <p className="mt-6 text-13 text-text2">{t('open')}</p>}
      <Table head={[t('movement'), t('count'), t('credits'), t('amount')]}>
        <Line name={t('opening')} credits={opening} strong />
        {entries.map(({ kind, credits, count }) => (
          <Line key={kind} name={t(`ledger:kinds.${kind}`)} count={count} credits={credits} />
        ))}
        <Line name={t('calls')} count={usage.reduce((sum, { requests }) => sum + requests, 0)} credits={0 - spent} />
        <Line name={t('closing')} credits={closing} strong />
      </Table>
      <h3 className="mt-9 text-14">{t('usage')}</h3>
      {usage.length === 0 && unlisted === 0 ? (
        <p className="mt-2 text-13 text-text2">{t('noUsage')}</p>
      ) : (
        <Table head={[t('tokenAndModel'), t('requests'), t('credits'), t('amount')]}>
          {usage.map((row) => (
            <Line
              key={`${row.token_id} ${row.model}`}
              name={
                <>
                  {row.model}
                  <span className="block text-12 text-text2">
                    {row.token_name || (row.token_id === 0 ? t('noToken') : `#${row.token_id}`)} ·{' '}
                    {t('tokens', {
                      input: formatWhole(row.prompt_tokens),
                      output: formatWhole(row.completion_tokens),
                    })}
                  </span>
                </>
              }
              count={row.requests}
              credits={row.quota}
            />
          ))}
          {unlisted !== 0 && <Line name={t('unlisted')} credits={unlisted} />}
          <Line name={t('sum')} credits={spent} strong />
        </Table>
      )}
      {members.length > 0 && (
        <>
          <h3 className="mt-9 text-14">{t('byMember')}</h3>
          <Table head={[t('member'), t('requests'), t('credits'), t('amount')]}>
            {members.map(({ user_id: id, username, requests, quota }) => (
              <Line key={id} name={username || t('noMember')} count={requests} credits={quota} />
            ))}
          </Table>
        </>
      )}
      {centres.length > 0 && (
        <>
          <h3 className="mt-9 text-14">{t('byCostCentre')}</h3>
          <Table head={[t('costCentre'), t('requests'), t('credits'), t('amount')]}>
            {centres.map(({ name, requests, quota }) => (
              <Line key={name} name={name || t('noCostCentre')} count={requests} credits={quota} />
            ))}
          </Table>
        </>
      )}
      <footer className="mt-8 text-12 text-text2 tabular-nums">{t('madeAt', { time: formatDateTime(now) })}</footer>
    </article>
  );
}

function Table({ head, children }: { head: readonly string[]; children: ReactNode }) {
  return (
    <table className="mt-4 w-full border-collapse text-13 tabular-nums">
      <thead>
        <tr className="text-12 text-text2">
          {head.map((text, at) => (
            <th
              key={text}
              scope="col"
              className={cx(
                'py-2 font-normal',
                at === 0 ? 'text-left' : 'pl-3 text-right',
                at === 1 && 'max-sm:hidden',
              )}
            >
              {text}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

interface LineProps {
  name: ReactNode;
  count?: number;
  credits: number;
  strong?: boolean;
}

function Line({ name, count, credits, strong }: LineProps) {
  const format = useSiteFormat();
  return (
    <tr className={cx('break-inside-avoid border-t border-line align-top', strong && 'font-title')}>
      <th scope="row" className={cx('py-2.5 text-left break-words', strong ? 'font-title' : 'font-normal')}>
        {name}
      </th>
      <td className="py-2.5 pl-3 text-right text-text2 max-sm:hidden">
        {count === undefined ? '' : formatWhole(count)}
      </td>
      <td className="py-2.5 pl-3 text-right whitespace-nowrap">{formatWhole(credits)}</td>
      <td className="py-2.5 pl-3 text-right whitespace-nowrap">
        {formatMoney(credits, { ...format, inCurrency: true }, { fixed: true })}
      </td>
    </tr>
  );
}

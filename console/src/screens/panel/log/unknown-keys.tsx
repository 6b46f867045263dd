import { logApi, type UnknownKeys } from '@relay-hub/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery } from '#api/api-query.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { cx } from '#ui/basic/cx.ts';
import { rangeSeconds } from '#ui/table/filter.ts';
import { formatWhole } from '#ui/format/number.ts';
import { Time } from '#ui/format/time.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { BlockLink } from './block-link.tsx';
import type { LogFilters } from './log-defaults.ts';

const fewRows = 10;
const mostRows = 100;
const againMs = 10_000;

const head = 'h-9 border-y border-line bg-sunk px-2 text-left text-12 font-normal text-text2';
const cell = 'h-9 border-b border-line px-2';

/** Calls with unknown keys, by address. They belong to no user, so only administrators see them. */
export function UnknownKeysCard({ filters }: { filters: LogFilters }) {
  const { t } = useTranslation('log');
  const phone = useIsPhone();
  const [size, setSize] = useState(fewRows);
  const { start, end } = rangeSeconds(filters.time);
  const query = { size, source_ip: filters.source_ip, start_timestamp: start, end_timestamp: end };
  const found = useQuery({
    ...apiQuery(logApi.unknownKeys, { query }),
    placeholderData: keepPreviousData,
    refetchInterval: againMs,
    meta: { quiet: true },
  }).data;
  if (!found) return null;
  const { data: rows, total_count: total } = found;
  return (
    <Card aria-labelledby="unknown-keys" className="mt-4 overflow-hidden max-sm:mt-2">
      <CardHead
        id="unknown-keys"
        title={t('unknownTitle')}
        aside={<span className="text-13 text-text3">{t(rows.length === 0 ? 'unknownNone' : 'unknownText')}</span>}
      />
      {rows.length > 0 && (phone ? <List rows={rows} /> : <Rows rows={rows} />)}
      {total > rows.length && size < mostRows && (
        <div className="px-4 py-2">
          <Button size="sm" variant="ghost" onClick={() => setSize(mostRows)}>
            {t('more')}
          </Button>
        </div>
      )}
    </Card>
  );
}

function Rows({ rows }: { rows: readonly UnknownKeys[] }) {
  const { t } = useTranslation('log');
  return (
    <table className="w-full border-separate border-spacing-0 text-13 tabular-nums [&_tr:last-child>td]:border-b-0 [&_tr>*:first-child]:pl-4 [&_tr>*:last-child]:pr-4">
      <thead>
        <tr>
          <th scope="col" className={head}>
            {t('address')}
          </th>
          <th scope="col" className={cx(head, 'text-right')}>
            {t('unknownKey')}
          </th>
          <th scope="col" className={cx(head, 'text-right')}>
            {t('missingKey')}
          </th>
          <th scope="col" className={cx(head, 'pl-8')}>
            {t('lastTime')}
          </th>
          <th scope="col" className={head}>
            {t('path')}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.address}>
            <td className={cell}>
              {row.address || t('otherAddresses')}
              {row.address !== '' && <BlockLink network={row.address} reason={t('unknownKey')} />}
            </td>
            <td className={cx(cell, 'text-right')}>{formatWhole(row.unknown)}</td>
            <td className={cx(cell, 'text-right')}>{formatWhole(row.missing)}</td>
            <td className={cx(cell, 'pl-8 text-text2')}>
              <Time at={row.last_time} as="relative" />
            </td>
            <td className={cx(cell, 'max-w-0 truncate text-text2')}>{row.endpoint}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function List({ rows }: { rows: readonly UnknownKeys[] }) {
  const { t } = useTranslation('log');
  return (
    <ul className="text-13 tabular-nums">
      {rows.map((row) => (
        <li key={row.address} className="border-t border-line px-4 py-2.5">
          <div className="flex gap-3 text-14">
            <span className="min-w-0 flex-1 break-words">
              {row.address || t('otherAddresses')}
              {row.address !== '' && <BlockLink network={row.address} reason={t('unknownKey')} />}
            </span>
            <span className="flex-none font-title">{formatWhole(row.unknown + row.missing)}</span>
          </div>
          <div className="mt-0.5 flex gap-3 text-text2">
            <span className="min-w-0 flex-1 truncate">{row.endpoint}</span>
            <Time at={row.last_time} as="relative" className="flex-none" />
          </div>
        </li>
      ))}
    </ul>
  );
}

import type { Log } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { Ban } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useUserGroups } from '#api/user-groups.ts';
import { Button } from '#ui/basic/button.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { Money } from '#ui/format/money.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { useRefusalAdvice } from '#domain/refusal/refusal-advice.tsx';
import { refusalOf, useRefusalText } from '#domain/refusal/refusal-text.ts';
import { formatDateTime, formatTimeOfDay } from '#ui/format/time.ts';
import { Time } from '#ui/format/time.tsx';
import { DetailSection } from '#ui/overlay/detail-section.tsx';
import { FactList, LogToken, SourceAddress } from './log-request.tsx';

/** Refused calls: count, reason, advice, and the last of them. */
export function LogRefusal({ row, admin }: { row: Log; admin: boolean }) {
  const { t } = useTranslation('log');
  const { text, link, label } = useRefusalAdvice(row);
  return (
    <>
      <Facts row={row} />
      <DetailSection title={t('whatToDo')}>
        <div className="flex items-center gap-3 rounded-card border border-line px-3.5 py-3 text-13 max-sm:flex-wrap max-sm:text-14">
          <p className="min-w-0 flex-1 break-words max-sm:basis-full">{text}</p>
          {link && (
            <Button variant="primary" render={link}>
              {label}
            </Button>
          )}
        </div>
      </DetailSection>
      <DetailSection title={t('told')}>
        <p className="rounded-control border border-line bg-sunk px-3.5 py-2.5 font-mono text-12 break-words">
          {row.content}
        </p>
      </DetailSection>
      <Request row={row} admin={admin} />
    </>
  );
}

function Facts({ row }: { row: Log }) {
  const { t } = useTranslation('log');
  const { count = 1, first_time: first = row.created_at, needed = 0 } = refusalOf(row) ?? {};
  const facts: { name: string; value: ReactNode; note?: string }[] = [
    {
      name: t('refusalCalls'),
      value: formatWhole(count),
      note: spanOf(first, row.created_at, (from, to) => t('fromTo', { from, to })),
    },
    ...(needed > 0 ? [{ name: t('needed'), value: <Money credits={needed} exact /> }] : []),
    { name: t('charged'), value: <Money credits={0} />, note: t('nothingSent') },
  ];
  return (
    <dl className="grid auto-cols-fr rounded-card border border-line tabular-nums sm:grid-flow-col">
      {facts.map(({ name, value, note }) => (
        <div
          key={name}
          className="min-w-0 border-line px-3.5 py-2.5 max-sm:border-t max-sm:first:border-t-0 sm:border-l sm:first:border-l-0"
        >
          <dt className="text-12 text-text2">{name}</dt>
          <dd>
            <span className="block text-18 font-medium">{value}</span>
            <span className="block truncate text-12 text-text3">{note}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Request({ row, admin }: { row: Log; admin: boolean }) {
  const { t } = useTranslation('log');
  const groups = useUserGroups();
  const { count = 1, first_request_id: firstId = '', many_models: many = false } = refusalOf(row) ?? {};
  const { endpoint = '', group_name: group = '', status = 0, error = '' } = row.metadata ?? {};
  const id = (text: string) => <span className="font-mono text-12">{text}</span>;
  const user = (
    <Link to="/panel/user" search={{ show: row.user_id }} className="text-accent hover:underline">
      {row.username}
    </Link>
  );
  const facts = [
    ...(admin ? [{ name: t('user'), value: user }] : []),
    { name: t('token'), value: <LogToken row={row} /> },
    ...(row.model_name !== '' || many ? [{ name: t('model'), value: many ? t('manyModels') : row.model_name }] : []),
    { name: t('group'), value: groups[group]?.name ?? group },
    { name: t('endpoint'), value: endpoint },
    { name: t('ip'), value: <SourceAddress row={row} admin={admin} /> },
    { name: t('answerStatus'), value: `${status} · ${error}` },
    { name: t('requestId'), value: id(row.request_id), wide: true },
    ...(count > 1 ? [{ name: t('firstId'), value: id(firstId), wide: true }] : []),
  ];
  return (
    <DetailSection title={t('requestTitle')} aside={count > 1 ? t('ofLast') : undefined}>
      <FactList facts={facts} />
    </DetailSection>
  );
}

/** Subtitle of the detail: refused, count, time. */
export function RefusalStatus({ row }: { row: Log }) {
  const { t } = useTranslation('log');
  const { count = 1 } = refusalOf(row) ?? {};
  return (
    <>
      <span className="inline-flex items-center gap-1.5 text-warn">
        <Icon of={Ban} size={14} />
        {t('refused')} {count > 1 && <span className="tabular-nums">×{formatWhole(count)}</span>}
      </span>
      <Time at={row.created_at} />
    </>
  );
}

export function useRefusalTitle() {
  const { reason } = useRefusalText();
  return (row: Log): string => {
    const text = reason(row);
    return text.charAt(0).toUpperCase() + text.slice(1);
  };
}

/** The time range, with dates only where they differ; empty for a single moment. */
function spanOf(first: number, last: number, words: (from: string, to: string) => string): string {
  if (first === last) return formatDateTime(last);
  const [from, to] = [formatDateTime(first), formatDateTime(last)];
  return words(from.slice(0, 10) === to.slice(0, 10) ? formatTimeOfDay(first) : from, formatTimeOfDay(last));
}

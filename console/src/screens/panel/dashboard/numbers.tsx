import type { Self, UsageDay } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useUserGroups } from '#api/user-groups.ts';
import { Chip } from '#shared/chip.tsx';
import { formatMoney } from '#shared/money.ts';
import { Money } from '#shared/money.tsx';
import { NumberCard } from '#shared/number-card.tsx';
import { abbreviate, formatPlain, formatWhole } from '#shared/number.ts';
import { useSiteFormat } from '#shared/site-format.ts';
import { Sparkline } from '#shared/sparkline.tsx';
import { Tooltip } from '#shared/tooltip.tsx';
import { useIsPhone } from '#shared/use-media.ts';
import { CardFailure } from './card-failure.tsx';
import { accountQuery, usageQuery } from './dashboard-api.ts';
import { Change } from './change.tsx';
import { daysLeft, sumsOf, total, valuesOf } from './usage-days.ts';

interface Props {
  /** The last seven, oldest first. */
  days: readonly string[];
}

interface NumbersProps extends Props {
  /** What this page is for, where phones have it. */
  phoneAction: ReactNode;
}

/** What is left, and what happened today. */
export function Numbers({ days, phoneAction }: NumbersProps) {
  return (
    <div className="grid grid-cols-2 gap-4 max-sm:gap-2 lg:grid-cols-4">
      <Balance days={days} phoneAction={phoneAction} />
      <Requests days={days} />
      <Spent days={days} />
      <Tokens days={days} />
    </div>
  );
}

function Balance({ days, phoneAction }: NumbersProps) {
  const { t } = useTranslation('dashboard');
  const account = useQuery(accountQuery);
  const { data: rows } = useQuery(usageQuery);
  const group = useGroupText(account.data);
  const left = account.data && rows && daysLeft(account.data.quota, valuesOf(rows, days, 'quota'));
  const failed = account.error && !account.data;
  // Years ahead nobody can tell.
  const lasts = left !== undefined && left < 1000 && t('lasts', { count: left, days: daysText(left) });
  return (
    <NumberCard
      name={t('balance')}
      className="max-sm:col-span-2"
      aside={group && <Chip>{group}</Chip>}
      beside={lasts && <span className="text-12 text-text2 tabular-nums max-sm:hidden">{lasts}</span>}
      phoneNote={lasts}
      phoneAction={phoneAction}
      note={failed ? '' : account.data && <BalanceNote self={account.data} group={group} />}
    >
      {failed ? (
        <CardFailure asked={account} />
      ) : (
        account.data && <Money credits={account.data.quota} className="max-sm:text-26" />
      )}
    </NumberCard>
  );
}

const daysText = (days: number) => formatPlain(days, days < 100 ? 1 : 0);

function useGroupText(self: Self | undefined): string | undefined {
  const { t } = useTranslation('dashboard');
  const group = useUserGroups()[self?.group ?? ''];
  return group && t('groupRatio', { name: group.name, ratio: formatPlain(group.ratio) });
}

function BalanceNote({ self, group }: { self: Self; group: string | undefined }) {
  const { t } = useTranslation('dashboard');
  const format = useSiteFormat();
  const count = self.request_count;
  const facts =
    self.used_quota === 0 && count === 0
      ? [t('unused')]
      : [t('used', { amount: formatMoney(self.used_quota, format) }), t('calls', { count, total: formatWhole(count) })];
  return (
    <>
      {facts.join(' · ')}
      {group && <span className="sm:hidden"> · {group}</span>}
    </>
  );
}

function Requests({ days }: Props) {
  const { t } = useTranslation('dashboard');
  const usage = useUsage(days, 'requests');
  const tokens = useUsage(days, 'tokens').values?.at(-1) ?? 0;
  return (
    <TodayCard name={t('requestsToday')} usage={usage} format={formatWhole} className="max-sm:order-2">
      {usage.values && (
        <>
          <span className="max-sm:hidden">{t('week', { amount: formatWhole(total(usage.values)) })}</span>
          <span className="sm:hidden">{t('tokensShort', { amount: abbreviate(tokens) })}</span>
        </>
      )}
    </TodayCard>
  );
}

function Spent({ days }: Props) {
  const { t } = useTranslation('dashboard');
  const format = useSiteFormat();
  const usage = useUsage(days, 'quota');
  return (
    <TodayCard
      name={t('quotaToday')}
      usage={usage}
      format={(credits) => formatMoney(credits, format)}
      money
      className="max-sm:order-1"
    >
      {usage.values && (
        <>
          <span className="max-sm:hidden">{t('week', { amount: formatMoney(total(usage.values), format) })}</span>
          <span className="sm:hidden">
            <Change values={usage.values} />
          </span>
        </>
      )}
    </TodayCard>
  );
}

/** On phones its number stands with the requests. */
function Tokens({ days }: Props) {
  const { t } = useTranslation('dashboard');
  const usage = useUsage(days, 'tokens');
  const today = (value: (row: UsageDay) => number) => abbreviate(sumsOf(usage.rows ?? [], days, value).at(-1) ?? 0);
  return (
    <TodayCard name={t('tokensToday')} usage={usage} format={formatWhole} className="max-sm:hidden">
      {usage.rows &&
        t('inAndOut', { input: today((row) => row.PromptTokens), output: today((row) => row.CompletionTokens) })}
    </TodayCard>
  );
}

function useUsage(days: readonly string[], measure: 'quota' | 'requests' | 'tokens') {
  const query = useQuery(usageQuery);
  return { query, rows: query.data, values: query.data && valuesOf(query.data, days, measure) };
}

interface TodayProps {
  name: string;
  usage: ReturnType<typeof useUsage>;
  /** A value in full. */
  format: (value: number) => string;
  /** Whether the values are credits. */
  money?: boolean;
  className: string;
  /** The line below; nothing while it is on its way. */
  children: ReactNode;
}

function TodayCard({ name, usage: { query, values }, format, money = false, className, children }: TodayProps) {
  const { t } = useTranslation('dashboard');
  const phone = useIsPhone();
  const today = values?.at(-1) ?? 0;
  const failed = query.error && !values;
  const trend = values && { from: format(values[0] ?? 0), to: format(today) };
  return (
    <NumberCard
      name={name}
      className={className}
      aside={values && <Change values={values} />}
      beside={
        values && trend && <Sparkline values={values} width={phone ? 56 : 88} label={t('trend', { name, ...trend })} />
      }
      note={failed ? '' : children}
    >
      {failed ? <CardFailure asked={query} /> : values && (money ? <Money credits={today} /> : <Count value={today} />)}
    </NumberCard>
  );
}

function Count({ value }: { value: number }) {
  const shown = abbreviate(value);
  const whole = formatWhole(value);
  return (
    <Tooltip text={shown === whole ? '' : whole}>
      <data value={value}>{shown}</data>
    </Tooltip>
  );
}

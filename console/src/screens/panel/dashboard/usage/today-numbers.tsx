import type { DashboardUsage, DayUsage, Self } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useUserGroups } from '#api/user-groups.ts';
import { daysLeft } from '#domain/quota/days-left.ts';
import { Lasts } from '#domain/quota/lasts.tsx';
import { Chip } from '#ui/basic/chip.tsx';
import { formatMoney } from '#ui/format/money.ts';
import { Money } from '#ui/format/money.tsx';
import { NumberCard } from '#ui/basic/number-card.tsx';
import { abbreviate, formatPlain, formatRate, formatWhole } from '#ui/format/number.ts';
import { useShareText } from '#ui/format/use-share-text.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { Sparkline } from '#ui/chart/sparkline.tsx';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { CardFailure } from '#screens/panel/dashboard/card-failure.tsx';
import { accountQuery, usageQuery } from '#screens/panel/dashboard/dashboard-api.ts';
import { DayComparison } from './day-comparison.tsx';
import { useScope } from '#screens/panel/dashboard/scope.ts';
import { measureOf, sameHoursOf, succeeded, total, valuesOf, type Measure } from './usage-days.ts';

interface NumbersProps {
  /** The page's main action, placed here on phones. */
  phoneAction: ReactNode;
}

/** Today's figures, and the own balance. */
export function Numbers({ phoneAction }: NumbersProps) {
  const { t } = useTranslation('shared');
  const hub = useScope() === 'hub';
  const early = useUsage().data?.early_minutes ?? 0;
  return (
    <>
      <div className="grid grid-cols-2 gap-4 max-sm:gap-2 lg:grid-cols-4">
        {!hub && <Balance phoneAction={phoneAction} />}
        {hub && <Spent />}
        <Requests />
        {hub ? <Succeeded /> : <Spent />}
        <Tokens />
      </div>
      {early > 0 && <p className="text-12 text-text3">{t('earlyDays', { time: `23:${60 - early}` })}</p>}
    </>
  );
}

function Balance({ phoneAction }: NumbersProps) {
  const { t } = useTranslation('dashboard');
  const account = useQuery(accountQuery);
  const { data: usage } = useQuery(usageQuery('mine'));
  const group = useGroupText(account.data);
  const left = account.data && usage && daysLeft(account.data.quota, valuesOf(usage, 'quota'));
  const failed = account.error && !account.data;
  // A forecast of years is meaningless.
  const lasts = left !== undefined && left < 1000 && <Lasts days={left} text={(span) => t('lasts', { span })} />;
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
        <CardFailure query={account} />
      ) : (
        account.data && <Money credits={account.data.quota} className="max-sm:text-26" />
      )}
    </NumberCard>
  );
}

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

function Requests() {
  const { t } = useTranslation('dashboard');
  const usage = useUsage();
  const hub = useScope() === 'hub';
  const day = usage.data?.days.at(-1)?.total;
  return (
    <TodayCard
      name={t('requestsToday')}
      usage={usage}
      of={measureOf('requests')}
      format={formatWhole}
      className={hub ? undefined : 'max-sm:order-2'}
    >
      {usage.data && day && (
        <>
          <span className={hub ? undefined : 'max-sm:hidden'}>
            <Week usage={usage.data} measure="requests" format={formatWhole} />
          </span>
          {!hub && (
            <span className="sm:hidden">
              {t('tokensShort', { amount: abbreviate(day.prompt_tokens + day.completion_tokens) })}
            </span>
          )}
        </>
      )}
    </TodayCard>
  );
}

function Spent() {
  const { t } = useTranslation('dashboard');
  const site = useSiteFormat();
  const format = (credits: number) => formatMoney(credits, site);
  const usage = useUsage();
  const hub = useScope() === 'hub';
  const today = usage.data?.days.at(-1)?.total;
  return (
    <TodayCard
      name={t('quotaToday')}
      usage={usage}
      of={measureOf('quota')}
      format={format}
      money
      className={hub ? undefined : 'max-sm:order-1'}
    >
      {usage.data && (
        <>
          <span className="max-sm:hidden">
            <Week usage={usage.data} measure="quota" format={format} />
            {today && <MarginToday {...today} format={format} />}
          </span>
          <span className="sm:hidden">
            <DayComparison usage={usage.data} of={measureOf('quota')} format={format} />
          </span>
        </>
      )}
    </TodayCard>
  );
}

/** Today's margin, which only administrators receive. */
function MarginToday({
  cost = 0,
  costed = 0,
  format,
}: Pick<DayUsage, 'cost' | 'costed'> & { format: (credits: number) => string }) {
  const { t } = useTranslation('dashboard');
  if (cost === 0 && costed === 0) return null;
  return ` · ${t('marginToday', { margin: format(costed - cost) })}`;
}

/** Success rate of today's calls. */
function Succeeded() {
  const { t } = useTranslation('dashboard');
  const usage = useUsage();
  const today = usage.data?.days.at(-1)?.total;
  const shareText = useShareText();
  const all = today && today.requests + today.unserved;
  return (
    <NumberCard
      name={t('succeededToday')}
      aside={
        usage.data && <DayComparison usage={usage.data} of={succeeded} format={(share) => formatRate(share)} points />
      }
      note={
        usage.error && !usage.data
          ? ''
          : today && t('failedToday', { failed: formatWhole(today.failures + today.unserved) })
      }
    >
      {usage.error && !usage.data ? (
        <CardFailure query={usage} />
      ) : (
        today && (all ? shareText(today.requests - today.failures, all, formatRate) : '–')
      )}
    </NumberCard>
  );
}

/** On phones, tokens appear with the requests, since the balance needs the room. */
function Tokens() {
  const { t } = useTranslation('dashboard');
  const usage = useUsage();
  const hub = useScope() === 'hub';
  const today = usage.data?.days.at(-1)?.total;
  return (
    <TodayCard
      name={t('tokensToday')}
      usage={usage}
      of={measureOf('tokens')}
      format={formatWhole}
      className={hub ? undefined : 'max-sm:hidden'}
    >
      {today && t('inAndOut', { input: abbreviate(today.prompt_tokens), output: abbreviate(today.completion_tokens) })}
    </TodayCard>
  );
}

const useUsage = () => useQuery(usageQuery(useScope()));

function Week(props: { usage: DashboardUsage; measure: Measure; format: (value: number) => string }) {
  const { usage, measure, format } = props;
  const { t } = useTranslation('dashboard');
  return t('week', { amount: format(total(valuesOf(usage, measure))) });
}

interface TodayProps {
  name: string;
  usage: ReturnType<typeof useUsage>;
  of: (day: DayUsage) => number;
  /** Formats a value in full. */
  format: (value: number) => string;
  /** Whether the values are credits. */
  money?: boolean;
  className: string | undefined;
  /** The line below; empty while loading. */
  children: ReactNode;
}

function TodayCard({ name, usage, of, format, money = false, className, children }: TodayProps) {
  const { t } = useTranslation('dashboard');
  const phone = useIsPhone();
  const { data, error } = usage;
  const day = data?.days.at(-1);
  const today = day && of(day.total);
  const failed = error && !data;
  const values = data && sameHoursOf(data, of);
  const trend = values && { from: format(values[0] ?? 0), to: format(values.at(-1) ?? 0) };
  return (
    <NumberCard
      name={name}
      className={className}
      aside={data && <DayComparison usage={data} of={of} format={format} />}
      beside={
        values &&
        trend && <Sparkline open values={values} width={phone ? 56 : 88} label={t('trend', { name, ...trend })} />
      }
      note={failed ? '' : children}
    >
      {failed ? (
        <CardFailure query={usage} />
      ) : (
        today !== undefined && (money ? <Money credits={today} /> : <Count value={today} />)
      )}
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

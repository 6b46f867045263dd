import {
  modelPrice,
  type PriceUnit,
  type ReplyOf,
  type RouteCandidate,
  type routeApi,
  type SkipReason,
} from '@relay-hub/contract';
import { lazy, Suspense } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { RuleList } from '#domain/price-rules/rule-summary.tsx';
import { ChannelTile } from '#domain/channel/channel-tile.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Note } from '#ui/feedback/note.tsx';
import { formatDollars } from '#ui/format/money.ts';
import { formatPercent, formatSeconds } from '#ui/format/number.ts';
import { ProgressBar } from '#ui/feedback/progress-bar.tsx';
import { Status, type StatusKind } from '#ui/feedback/status.tsx';
import { Countdown } from '#ui/format/time.tsx';

const LimitUseList = lazy(() => import('#screens/panel/channel/list/limit-use-list.tsx'));

type Route = ReplyOf<typeof routeApi.explain>;

interface Props {
  route: Route;
  model: string;
  onEdit: (id: number) => void;
}

const unit: PriceUnit = { currency: 'USD', per: 1_000_000 };

/** The channels for a call: eligible ones with their share, the others with the reason. */
export function RouteCandidates({ route, ...props }: Props) {
  const { t } = useTranslation('channelRoute');
  const used = route.candidates.filter(({ share }) => share > 0);
  const unused = route.candidates.filter(({ share }) => share === 0);
  const rows = (candidates: RouteCandidate[]) => (
    <ul className="divide-y divide-line rounded-control border border-line">
      {candidates.map((candidate) => (
        <Row
          key={candidate.channel_id}
          candidate={candidate}
          ratio={route.group_ratio}
          preference={route.preference}
          {...props}
        />
      ))}
    </ul>
  );
  return (
    <>
      {used.length === 0 && <Note tone="warn">{t('nobody')}</Note>}
      {used.length > 0 && (
        <DrawerSection
          title={t('used')}
          text={t(`usedText.${route.preference}`)}
          aside={<span className="text-13 text-text2">{t('ratio', { ratio: route.group_ratio })}</span>}
        >
          {rows(used)}
        </DrawerSection>
      )}
      {unused.length > 0 && <DrawerSection title={t('unused')}>{rows(unused)}</DrawerSection>}
    </>
  );
}

interface RowProps extends Omit<Props, 'route'> {
  candidate: RouteCandidate;
  ratio: number;
  preference: Route['preference'];
}

function Row({ candidate, ratio, preference, model, onEdit }: RowProps) {
  const { t } = useTranslation('channelRoute');
  const { channel_id, channel_name, channel_type, priority, weight, host, probe, cause, kept } = candidate;
  const { upstream_model, billed_model, figure } = candidate;
  const facts = [
    kept && t('kept'),
    t('routing', { priority, weight }),
    preference === 'latency' && figure !== null && t('figureLatency', { time: formatSeconds(figure) }),
    preference === 'latency' && figure === null && candidate.share > 0 && t('figureUnknown'),
    preference === 'cost' && figure !== null && t('figureCost', { price: formatDollars(figure, 6) }),
    upstream_model !== model && t('sentAs', { model: upstream_model }),
    billed_model !== model && t('billedAs', { model: billed_model }),
    host !== '' && t('host', { host }),
    cause !== '' && t(`cause.${cause}`),
    probe && t('probe'),
  ].filter(Boolean);
  return (
    <li className="grid grid-cols-1 gap-1 px-3 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <ChannelTile type={channel_type} name={channel_name} size={20} />
        <button
          type="button"
          aria-label={t('open', { name: channel_name })}
          onClick={() => onEdit(channel_id)}
          className="touch min-w-0 truncate font-title text-14 hover:text-accent hover:underline"
        >
          {channel_name}
        </button>
        <span className="ml-auto">
          <Standing candidate={candidate} />
        </span>
      </div>
      <p className="text-13 text-text2">{facts.join(' · ')}</p>
      {candidate.limits.length > 0 && (
        <Suspense>
          <LimitUseList uses={candidate.limits} />
        </Suspense>
      )}
      {candidate.price && <PriceLine price={candidate.price} ratio={ratio} />}
      {candidate.rules && <RulesShown rules={candidate.rules} />}
    </li>
  );
}

/** The request before and after the channel's rules, with the lines that differ marked. */
function RulesShown({ rules }: { rules: NonNullable<RouteCandidate['rules']> }) {
  const { t } = useTranslation('channelRoute');
  const { before, after, headers, problem } = rules;
  if (problem !== '') return <Note tone="bad">{t('rulesBroken', { problem })}</Note>;
  const [left, right] = [linesOf(before), linesOf(after)];
  return (
    <details>
      <summary className="w-fit cursor-pointer text-13 text-accent">{t('rulesChange')}</summary>
      <div className="mt-2 grid grid-cols-2 gap-2 max-sm:grid-cols-1">
        <Lines title={t('before')} lines={left} others={right} look="bg-bad-soft text-bad" />
        <Lines title={t('after')} lines={right} others={left} look="bg-ok-soft text-ok" />
      </div>
      {headers.length > 0 && (
        <ul className="mt-2 grid gap-1 font-mono text-12">
          {headers.map(({ name, before: had, after: has }) => (
            <li key={name} className="break-all">
              {name}: {had ?? '–'} → {has ?? t('headerRemoved')}
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

/** A body line by line; unchanged where it is not JSON. */
function linesOf(body: string): string[] {
  try {
    return JSON.stringify(JSON.parse(body), null, 2).split('\n');
  } catch {
    return [body];
  }
}

/** Lines without the comma that only their place decides about. */
const bare = (line: string): string => line.replace(/,$/, '');

function Lines({ title, lines, others, look }: { title: string; lines: string[]; others: string[]; look: string }) {
  const known = new Set(others.map(bare));
  return (
    <div className="min-w-0">
      <p className="mb-1 text-12 text-text2">{title}</p>
      <pre
        tabIndex={0}
        role="group"
        aria-label={title}
        className="max-h-80 overflow-auto rounded-control border border-line bg-sunk py-2 font-mono text-12/5"
      >
        {lines.map((line, at) => (
          <span key={at} className={cx('block w-max min-w-full px-2.5', !known.has(bare(line)) && look)}>
            {line}
          </span>
        ))}
      </pre>
    </div>
  );
}

const looks: Record<Exclude<SkipReason, ''>, StatusKind> = {
  pinned_to_another: 'disabled',
  excluded: 'disabled',
  not_for_operation: 'disabled',
  only_chat: 'disabled',
  excluded_feature: 'disabled',
  closed: 'failed',
  host_down: 'failed',
  frozen: 'frozen',
  full: 'exhausted',
  unpriced: 'exhausted',
  lower_priority: 'disabled',
  unwished: 'disabled',
  outside_token: 'disabled',
  worse_by_wish: 'disabled',
  less_preferred: 'disabled',
  kept_elsewhere: 'disabled',
  switched_off: 'disabled',
  model_off: 'disabled',
};

/** Share of calls that the channel would get, or why it gets none. */
function Standing({ candidate: { channel_name, share, skipped, until } }: { candidate: RouteCandidate }) {
  const { t } = useTranslation('channelRoute');
  const rest = until > 0 ? <Countdown until={Math.floor(until / 1000)} /> : undefined;
  if (skipped !== '') return <Status kind={looks[skipped]} text={t(`reason.${skipped}`)} note={rest} />;
  return (
    <span className="inline-flex items-center gap-3">
      {until > 0 && <Status kind="frozen" text={t('lastResort')} note={rest} />}
      <ProgressBar value={share} label={t('shareOf', { name: channel_name })} className="w-20" />
      <span className="text-13 tabular-nums">{t('share', { share: formatPercent(share, 1) })}</span>
    </span>
  );
}

/** Price for the group's users. */
function PriceLine({ price, ratio }: { price: NonNullable<RouteCandidate['price']>; ratio: number }) {
  const { t } = useTranslation('channelRoute');
  const shown = modelPrice(price, ratio, unit);
  const free = t('free');
  return (
    <>
      <p className="text-13 text-text2 tabular-nums">
        {shown.type === 'times'
          ? t('perCall', { price: shown.call ?? free })
          : t('perMillion', { input: shown.input ?? free, output: shown.output ?? free })}
      </p>
      <RuleList terms={price} groupRatio={ratio} unit={unit} className="text-12 text-text2" />
    </>
  );
}

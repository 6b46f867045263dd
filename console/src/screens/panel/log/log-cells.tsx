import type { Log } from '@relay-hub/contract';
import {
  Activity,
  ArchiveRestore,
  ArrowDown,
  ArrowUp,
  Ban,
  CircleHelp,
  DatabaseZap,
  Info,
  SlidersHorizontal,
  TriangleAlert,
} from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { Icon, type IconShape } from '#ui/basic/icon.tsx';
import { Money } from '#ui/format/money.tsx';
import { formatFixed, formatPercent, formatWhole } from '#ui/format/number.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import {
  cachedOf,
  countsTokens,
  firstOf,
  formatDuration,
  inputOf,
  isCall,
  kindOf,
  speedOf,
  type LogKind,
} from './log-row.ts';

const looks: Record<LogKind, [IconShape, string]> = {
  consume: [ArrowDown, 'text-text2'],
  refused: [Ban, 'text-warn'],
  failed: [TriangleAlert, 'text-bad'],
  broken: [TriangleAlert, 'text-warn'],
  released: [ArchiveRestore, 'text-text2'],
  topup: [ArrowUp, 'text-ok'],
  manage: [SlidersHorizontal, 'text-text2'],
  system: [Info, 'text-text2'],
  unknownType: [CircleHelp, 'text-text2'],
};

export const kindLook = (kind: LogKind) => looks[kind];

export function LogType({ row }: { row: Log }) {
  const { t } = useTranslation('log');
  const kind = kindOf(row);
  const [icon, tone] = looks[kind];
  return (
    <span className={cx('inline-flex items-center gap-1.5 align-middle', tone)}>
      <Icon of={icon} size={14} />
      {t(kind)}
    </span>
  );
}

const slowMs = 30_000;

export const isSlow = (row: Log): boolean => row.request_time > slowMs;

/** "13.36 / 1.71 s" */
export function Duration({ row }: { row: Log }) {
  if (!isCall(row) || row.request_time === 0) return null;
  const first = firstOf(row);
  const [total, unit] = formatDuration(row.request_time).split(' ');
  const sooner = first !== undefined && (unit === 'ms' ? String(first) : formatFixed(first / 1000, 2));
  return (
    <>
      <span className={cx(isSlow(row) && 'text-warn')}>{total}</span>
      <span className="text-text3">
        {sooner !== false && ` / ${sooner}`} {unit}
      </span>
    </>
  );
}

export function SpeedCell({ row }: { row: Log }) {
  const speed = speedOf(row);
  return speed && <span className="text-text2">{formatFixed(speed.rate, speed.rate < 1000 ? 1 : 0)}</span>;
}

export function InputCell({ row }: { row: Log }) {
  const { t } = useTranslation('log');
  const input = inputOf(row);
  if (!countsTokens(row)) return null;
  const cached = cachedOf(row);
  if (cached === 0) return formatWhole(input);
  const hint = t('cachedHint', { tokens: formatWhole(cached), share: formatPercent(cached / input, 0) });
  return (
    <Tooltip text={hint} repeatsName>
      <span className="inline-flex items-center gap-1 align-middle">
        <Icon of={DatabaseZap} size={12} className="text-text3" />
        <span className="sr-only">{hint} </span>
        {formatWhole(input)}
      </span>
    </Tooltip>
  );
}

export const OutputCell = ({ row }: { row: Log }) => countsTokens(row) && formatWhole(row.completion_tokens);

/** Cost of a call, or another change of the balance. */
export function Cost({ row, className }: { row: Log; className?: string }) {
  if (isCall(row)) return <Money credits={row.quota} fixed className={className} />;
  if (row.quota === 0) return null;
  return <Money credits={row.quota} signed className={cx(row.quota > 0 && 'text-ok', className)} />;
}

export function StreamMark() {
  const { t } = useTranslation('log');
  return (
    <Tooltip text={t('stream')} repeatsName>
      <span className="flex-none text-text3">
        <Icon of={Activity} size={14} />
        <span className="sr-only">{t('stream')}</span>
      </span>
    </Tooltip>
  );
}

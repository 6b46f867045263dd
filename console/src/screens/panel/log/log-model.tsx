import type { Log, ModelOwner } from '@relay-hub/contract';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { ModelName } from '#domain/model/model-name.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { kindLook, LogType, StreamMark } from './log-cells.tsx';
import { RefusedRemark } from '#screens/panel/log/detail/log-refused-remark.tsx';
import { refusalOf } from '#domain/refusal/refusal-text.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { attemptsOf, isCall, isRefused, kindOf, saysWhy } from './log-row.ts';
import { UsageMark } from '#screens/panel/log/detail/log-usage-check.tsx';
import { messageOf, useFailureText } from '#screens/panel/log/detail/use-failure-text.ts';

interface Props {
  row: Log;
  owner: ModelOwner | undefined;
}

/** Longest name that is never shortened in narrow columns. */
const wholeName = 20;

/** The model of a call with its remarks; for other rows their content. */
export function LogModel({ row, owner }: Props) {
  const { t } = useTranslation('log');
  if (isRefused(row) && row.model_name === '')
    return refusalOf(row)?.many_models && <span className="text-text2">{t('manyModels')}</span>;
  if (!isCall(row) && !isRefused(row)) return <span className="text-text2">{row.content}</span>;
  return (
    <span className="flex min-w-0 items-center gap-2">
      <ModelName
        model={row.model_name}
        owner={owner?.name}
        icon={owner?.icon}
        copies={false}
        className={row.model_name.length > wholeName ? 'min-w-36 shrink-99' : 'flex-none'}
      />
      {row.is_stream && <StreamMark />}
      {isCall(row) && <Remarks row={row} withReason={!saysWhy(row)} />}
    </span>
  );
}

/** Icon and word of all rows but ordinary calls; of failed and refused calls, icon and reason. */
export function LogResult({ row }: { row: Log }) {
  const kind = kindOf(row);
  if (kind === 'consume') return null;
  if (!saysWhy(row)) return <LogType row={row} />;
  const [icon, tone] = kindLook(kind);
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <Icon of={icon} size={14} className={tone} />
      {isRefused(row) ? <RefusedRemark row={row} /> : <Failure row={row} />}
    </span>
  );
}

/** Failure reason, and remarks such as retries and estimated usage. */
export function Remarks({ row, withReason = true }: { row: Log; withReason?: boolean }) {
  const { t } = useTranslation('log');
  const attempts = attemptsOf(row);
  const { outcome, price_type: price, usage_source: source, reasoning_tokens: reasoning } = row.metadata ?? {};
  const cached = row.metadata?.reply_cache !== undefined;
  const failed = outcome === 'failed' || outcome === 'broken';
  return (
    // Overflow wraps behind the empty item to a second, hidden line; the detail shows everything.
    <span className="flex h-5 min-w-0 flex-wrap items-center gap-x-1.5 overflow-hidden">
      <span className="-mr-1.5 h-5" />
      {failed && withReason && <Failure row={row} />}
      <UsageMark row={row} />
      {attempts.length > 1 && <Remark>{t('attempts', { count: attempts.length })}</Remark>}
      {cached && <Remark>{t('cachedReply')}</Remark>}
      {outcome === 'client_gone' && <Remark>{t('clientGone')}</Remark>}
      {outcome === 'released' && <Remark>{t('notCharged')}</Remark>}
      {source === 'estimate' && !failed && <Remark>{t('estimate')}</Remark>}
      {reasoning !== undefined && reasoning > 0 && (
        <span className="max-w-full truncate text-text3 max-sm:hidden">
          {t('reasoning', { tokens: formatWhole(reasoning) })}
        </span>
      )}
      {price === 'times' && <span className="text-text3">{t('perCall')}</span>}
    </span>
  );
}

function Failure({ row }: { row: Log }) {
  const failure = useFailureText();
  const last = attemptsOf(row).at(-1);
  return (
    <Tooltip text={last && messageOf(last)}>
      <span className={cx('max-w-full truncate leading-5', kindOf(row) === 'broken' ? 'text-warn' : 'text-bad')}>
        {failure.row(row)}
      </span>
    </Tooltip>
  );
}

function Remark({ children }: { children: ReactNode }) {
  return (
    <span className="inline-flex h-5 items-center rounded-full px-1.75 text-12 text-text2 shadow-[inset_0_0_0_1px_var(--color-line2)]">
      {children}
    </span>
  );
}

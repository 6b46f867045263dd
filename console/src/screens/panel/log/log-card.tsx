import type { Log, ModelOwner } from '@relay-hub/contract';
import { ListTime } from '#ui/format/list-time.tsx';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { refusalOf } from '#domain/refusal/refusal-text.ts';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import { Cost, isSlow, kindLook } from './log-cells.tsx';
import { Remarks } from './log-model.tsx';
import { RefusedRemark } from '#screens/panel/log/detail/log-refused-remark.tsx';
import { countsTokens, formatDuration, inputOf, isCall, isRefused, kindOf } from './log-row.ts';

export function LogCard({ row, owner }: { row: Log; owner: ModelOwner | undefined }) {
  const { t } = useTranslation('log');
  const kind = kindOf(row);
  const [icon, tone] = kindLook(kind);
  const called = isCall(row);
  const refused = isRefused(row);
  const named = called || (refused && row.model_name !== '');
  const quiet = kind === 'failed' || kind === 'released';
  return (
    <>
      <div className="flex items-center gap-2 text-15">
        {named ? (
          <OwnerTile name={owner?.name ?? row.model_name} icon={owner?.icon} />
        ) : (
          <span className={cx('grid size-6 place-items-center rounded-tile bg-fill', tone)}>
            <Icon of={icon} />
          </span>
        )}
        <span className="flex min-w-0 flex-1">
          {named ? (
            <MiddleCut text={row.model_name} />
          ) : (
            <span className="truncate">
              {refused && refusalOf(row)?.many_models
                ? t('manyModels')
                : row.content === '' || refused
                  ? t(kind)
                  : `${t(kind)} · ${row.content}`}
            </span>
          )}
        </span>
        <Cost row={row} className="font-title" />
      </div>
      <div className="mt-1.5 flex items-center gap-1.5 text-13 text-text2 tabular-nums">
        {called && !quiet && (
          <span className="flex-none">
            {countsTokens(row) && (
              <>
                {formatWhole(inputOf(row))} → {formatWhole(row.completion_tokens)}{' '}
                <span className="text-text3">·</span>{' '}
              </>
            )}
            <span className={cx(isSlow(row) && 'text-warn')}>{formatDuration(row.request_time)}</span>
          </span>
        )}
        {called && (
          <>
            {quiet && <Icon of={icon} size={14} className={tone} />}
            <Remarks row={row} />
          </>
        )}
        {refused && (
          <>
            <Icon of={icon} size={14} className={tone} />
            <RefusedRemark row={row} />
          </>
        )}
        {!called && !refused && <span className="min-w-0 truncate">{row.username}</span>}
        <span className="ml-auto flex-none pl-1">
          <ListTime at={row.created_at} />
        </span>
      </div>
    </>
  );
}
